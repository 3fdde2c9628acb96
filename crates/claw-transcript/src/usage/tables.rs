//! Values that many messages share, each stored once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::prices::Manner;
use crate::members;

/// Returns a hash that identifies messages and is the same in every thread. For a hundred million
/// messages the probability of a collision is one in a few hundred.
pub(super) fn hash(kind: u8, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u8(kind);
    hasher.write(bytes);
    hasher.finish()
}

const NAME: u8 = 20;

/// A number for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(pub(super) u32);

/// Names by number.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<Box<str>>,
    /// By hash.
    numbers: HashMap<u64, Name>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> Name {
        let names = &mut self.names;
        let hash = hash(NAME, name.as_bytes());
        *self.numbers.entry(hash).or_insert_with(|| {
            names.push(name.into());
            Name(u32::try_from(names.len() - 1).unwrap_or(u32::MAX))
        })
    }

    /// The number of a name that is JSON between the quotes.
    pub(super) fn number_of_json(&mut self, inner: &str) -> Name {
        if !inner.contains('\\') {
            return self.number(inner);
        }
        let decoded = members::string(&format!("\"{inner}\"")).map(Into::into);
        self.number(&decoded.unwrap_or_else(|| inner.to_owned()))
    }

    pub(super) fn get(&self, name: Name) -> &str {
        self.names.get(name.0 as usize).map_or("", |name| name)
    }
}

/// The context of a message, which most lines of a file share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Context {
    /// Index in the list of files, which is in the order of their paths.
    pub(super) file: u32,
    pub(super) session: Name,
    pub(super) cwd: Option<Name>,
    pub(super) git_branch: Option<Name>,
    pub(super) agent: Option<Name>,
    pub(super) agent_type: Option<Name>,
    /// In a subagent, even if its id is unknown.
    pub(super) sidechain: bool,
    /// The time of one of its messages in seconds since 1970.
    pub(super) near: i64,
}

/// What determines the price of a message besides its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) model: Name,
    pub(super) manner: Manner,
}

/// The shared values of one thread.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) names: Names,
    pub(super) contexts: Vec<Context>,
    pub(super) classes: Vec<Class>,
}

impl Tables {
    pub(super) fn class(&mut self, class: Class) -> u32 {
        let known = self.classes.iter().position(|&known| known == class);
        let number = known.unwrap_or_else(|| {
            self.classes.push(class);
            self.classes.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// The sort key of a class, which does not depend on the order of files.
    pub(super) fn rank(&self, class: u32) -> (&str, Manner) {
        let class = self.classes.get(class as usize);
        class.map_or_else(Default::default, |class| {
            (self.names.get(class.model), class.manner)
        })
    }

    /// Merges the values of another thread, and returns how to translate its numbers.
    pub(super) fn absorb(&mut self, other: Self) -> Renumbering {
        let names = other.names.names.iter();
        let renamed: Vec<Name> = names.map(|name| self.names.number(name)).collect();
        let rename = |name: Name| renamed[name.0 as usize];
        let first_context = u32::try_from(self.contexts.len()).unwrap_or(u32::MAX);
        self.contexts
            .extend(other.contexts.iter().map(|context| Context {
                session: rename(context.session),
                cwd: context.cwd.map(rename),
                git_branch: context.git_branch.map(rename),
                agent: context.agent.map(rename),
                agent_type: context.agent_type.map(rename),
                ..*context
            }));
        let classes = other.classes.iter().map(|&class| {
            let model = rename(class.model);
            self.class(Class { model, ..class })
        });
        Renumbering {
            first_context,
            classes: classes.collect(),
            names: renamed,
        }
    }
}

/// Translates the numbers of one thread into those of all.
#[derive(Debug)]
pub(super) struct Renumbering {
    pub(super) first_context: u32,
    pub(super) classes: Vec<u32>,
    pub(super) names: Vec<Name>,
}
