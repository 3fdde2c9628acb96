//! Interned names of one file.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::id_hash::usual_uuid;

/// A uuid, message id or tool id of one file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Interns the names of a file. A uuid takes 16 bytes instead of 36.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    numbers: HashMap<Name, u32>,
    names: Vec<Name>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Name {
    Uuid(u128),
    Other(Box<str>),
}

impl Name {
    fn of(text: &str) -> Self {
        usual_uuid(text).map_or_else(|| Self::Other(text.into()), Self::Uuid)
    }
}

impl Ids {
    pub(crate) fn of(&mut self, text: &str) -> Id {
        let name = Name::of(text);
        if let Some(number) = self.numbers.get(&name) {
            return Id(*number);
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(name.clone());
        self.numbers.insert(name, number);
        Id(number)
    }

    /// Returns the number of a name, if the file has it.
    pub(crate) fn known(&self, text: &str) -> Option<Id> {
        self.numbers.get(&Name::of(text)).copied().map(Id)
    }

    /// Returns the name of a number.
    pub(crate) fn text(&self, id: Id) -> String {
        match self.names.get(id.index()) {
            Some(Name::Uuid(uuid)) => uuid::Uuid::from_u128(*uuid).to_string(),
            Some(Name::Other(text)) => text.to_string(),
            None => String::new(),
        }
    }

    /// Returns a uuid that no line has. It is a hash of the position and the purpose, so that plans
    /// are reproducible.
    pub(crate) fn fresh_uuid(&mut self, offset: u64, purpose: &str) -> Id {
        let mut round = 0_u32;
        loop {
            let half = |salt: u32| {
                let mut hasher = DefaultHasher::new();
                (salt, round, offset, purpose).hash(&mut hasher);
                u128::from(hasher.finish())
            };
            let bytes = (half(0) << 64 | half(1)).to_be_bytes();
            let uuid = uuid::Builder::from_random_bytes(bytes).into_uuid();
            let uuid = uuid.to_string();
            if self.known(&uuid).is_none() {
                return self.of(&uuid);
            }
            round += 1;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }
}
