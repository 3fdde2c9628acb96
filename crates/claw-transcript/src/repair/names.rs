//! Names as small numbers, and back.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A uuid, message id or tool id of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name(u32);

/// Gives each name a number. A uuid takes 16 bytes here instead of 36.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<Spelling, u32>,
    spellings: Vec<Spelling>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Spelling {
    Uuid(u128),
    Other(Box<str>),
}

impl Spelling {
    fn of(text: &str) -> Self {
        // Only the usual spelling: two spellings of one uuid are two names to the CLI.
        let usual = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        match uuid::Uuid::try_parse(text) {
            Ok(uuid) if usual => Self::Uuid(uuid.as_u128()),
            _ => Self::Other(text.into()),
        }
    }
}

impl Names {
    pub(super) fn of(&mut self, text: &str) -> Name {
        let spelling = Spelling::of(text);
        if let Some(number) = self.numbers.get(&spelling) {
            return Name(*number);
        }
        let number = u32::try_from(self.spellings.len()).unwrap_or(u32::MAX);
        self.spellings.push(spelling.clone());
        self.numbers.insert(spelling, number);
        Name(number)
    }

    pub(super) fn text(&self, name: Name) -> String {
        match self.spellings.get(name.0 as usize) {
            Some(Spelling::Uuid(uuid)) => uuid::Uuid::from_u128(*uuid).to_string(),
            Some(Spelling::Other(text)) => text.to_string(),
            None => String::new(),
        }
    }

    /// A uuid that no line has. Made from where it is needed, so that two plans for one file are
    /// the same plan.
    pub(super) fn fresh(&mut self, offset: u64, why: &str) -> Name {
        let mut round = 0_u32;
        loop {
            let half = |salt: u32| {
                let mut hasher = DefaultHasher::new();
                (salt, round, offset, why).hash(&mut hasher);
                hasher.finish().to_be_bytes()
            };
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&half(0));
            bytes[8..].copy_from_slice(&half(1));
            let uuid = uuid::Builder::from_random_bytes(bytes).into_uuid();
            let known = self.numbers.contains_key(&Spelling::Uuid(uuid.as_u128()));
            if !known {
                return self.of(&uuid.to_string());
            }
            round += 1;
        }
    }
}
