//! Names that many messages share, each kept once.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

use super::sighting::Sighting;
use super::walk::unescaped;

/// A hash that is the same in every thread. Messages are known by it alone: with a hundred million
/// of them, two being taken for one has a chance of one in a few hundred.
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
    /// By hash, so that each name is kept once.
    numbers: HashMap<u64, Name>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> Name {
        let hash = hash(NAME, name.as_bytes());
        match self.numbers.get(&hash) {
            Some(number) => *number,
            None => self.add(hash, name.into()),
        }
    }

    fn number_of(&mut self, name: Box<str>) -> Name {
        let hash = hash(NAME, name.as_bytes());
        match self.numbers.get(&hash) {
            Some(number) => *number,
            None => self.add(hash, name),
        }
    }

    fn add(&mut self, hash: u64, name: Box<str>) -> Name {
        let number = Name(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name);
        self.numbers.insert(hash, number);
        number
    }

    pub(super) fn number_of_json(&mut self, inner: &[u8]) -> Name {
        match std::str::from_utf8(inner) {
            Ok(plain) if !plain.contains('\\') => self.number(plain),
            _ => self.number(&unescaped(inner)),
        }
    }

    pub(super) fn get(&self, name: Name) -> &str {
        self.names.get(name.0 as usize).map_or("", |name| name)
    }
}

/// Where a message stands: what nearly all lines of a file have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    /// Index in the list of files, which is in the order of their paths.
    pub(super) file: u32,
    pub(super) session: Name,
    /// The working directory, if the lines say.
    pub(super) cwd: Option<Name>,
    pub(super) git_branch: Option<Name>,
    pub(super) agent: Option<Name>,
    pub(super) agent_type: Option<Name>,
    /// In a subagent, even if it is not said which.
    pub(super) sidechain: bool,
    /// A second since 1970 near those of its messages.
    pub(super) near: i64,
}

/// What decides a message's price beside its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Class {
    pub(super) model: Name,
    pub(super) fast: bool,
    pub(super) us_only: bool,
}

/// All that a thread found in common between messages.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) names: Names,
    pub(super) places: Vec<Place>,
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

    /// What a class is compared by: its number depends on who came first, its names do not.
    pub(super) fn rank(&self, class: u32) -> (&str, bool, bool) {
        let class = self.classes.get(class as usize);
        class.map_or(("", false, false), |class| {
            (self.names.get(class.model), class.fast, class.us_only)
        })
    }

    /// Takes in what another thread found, and says how its numbers are to be read from now on.
    pub(super) fn absorb(&mut self, other: Self) -> Renumbering {
        let names = other.names.names.into_iter();
        let renamed: Vec<Name> = names.map(|name| self.names.number_of(name)).collect();
        let rename = |name: Name| renamed[name.0 as usize];
        let first_place = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.extend(other.places.iter().map(|place| Place {
            session: rename(place.session),
            cwd: place.cwd.map(rename),
            git_branch: place.git_branch.map(rename),
            agent: place.agent.map(rename),
            agent_type: place.agent_type.map(rename),
            ..*place
        }));
        let classes = other.classes.iter().map(|&class| {
            let model = rename(class.model);
            self.class(Class { model, ..class })
        });
        Renumbering {
            first_place,
            classes: classes.collect(),
            names: renamed,
        }
    }
}

/// How the numbers of one thread's tables are read in the common ones.
#[derive(Debug)]
pub(super) struct Renumbering {
    pub(super) first_place: u32,
    classes: Vec<u32>,
    names: Vec<Name>,
}

impl Renumbering {
    /// Makes a sighting of that thread one of all.
    pub(super) fn apply(&self, sighting: &mut Sighting) {
        sighting.place += self.first_place;
        sighting.class = self.classes[sighting.class as usize];
        for block in &mut sighting.blocks {
            block.tool = block.tool.map(|tool| self.names[tool.0 as usize]);
        }
    }
}
