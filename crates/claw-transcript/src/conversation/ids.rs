//! Names as small numbers.

use std::collections::HashMap;

/// A uuid, message id or tool id of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(u32);

impl Id {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Gives each name a number. A uuid takes 16 bytes here instead of 36.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    numbers: HashMap<Name, u32>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
enum Name {
    Uuid(u128),
    Other(Box<str>),
}

impl Name {
    fn of(text: &str) -> Self {
        // Only the usual spelling: two spellings of one uuid are two names to the CLI.
        let usual = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        match uuid::Uuid::try_parse(text) {
            Ok(uuid) if usual => Self::Uuid(uuid.as_u128()),
            _ => Self::Other(text.into()),
        }
    }
}

impl Ids {
    pub(crate) fn of(&mut self, text: &str) -> Id {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        Id(*self.numbers.entry(Name::of(text)).or_insert(next))
    }

    /// The number of a name that was met.
    pub(crate) fn known(&self, text: &str) -> Option<Id> {
        self.numbers.get(&Name::of(text)).copied().map(Id)
    }

    /// A number for a line that is in no file.
    pub(crate) fn fresh(&mut self) -> Id {
        self.of(&format!("\0{}", self.numbers.len()))
    }

    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }
}
