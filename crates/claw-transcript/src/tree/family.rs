//! Sessions that are forks of one another.
//!
//! `--fork-session` copies lines with their uuids and says nothing about it; `/branch` does and
//! says so; the SDK gives them new uuids and says so. In all three the replies keep their ids and,
//! but for the last line, their times. So a few numbers of the head of each file are enough: a fork
//! begins with lines that its source has, too, at its start or, after a compaction, further down.

use std::collections::HashMap;
use std::fs::File;

use memchr::memmem;

use super::key::short;
use crate::entry::{Entry, Kind};
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::lines::Lines;

/// How a session came to have lines of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForkKind {
    /// As far as can be told, it is the one that the others were forked from.
    Original,
    /// Its lines do not say that they are copies: `--fork-session`, or a copy of the file.
    Copied,
    /// `/branch`: the lines keep their uuids and name their source.
    Branched,
    /// The SDK's fork: the lines have new uuids and name their source.
    Forked,
}

/// One session of a family.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FamilyMember {
    /// Its place in the list of files that was given.
    pub file: usize,
    /// How it came to be.
    pub kind: ForkKind,
    /// The session that its lines name as their source.
    pub source: Option<String>,
}

/// Sessions that share messages: the original first, then by when they began.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// At least two.
    pub members: Vec<FamilyMember>,
}

/// Finds the families among many files. Files of subagents are passed over; they go with their
/// session. Keeps a few numbers for each file, whatever its length.
///
/// # Errors
/// A file cannot be read.
pub fn families(files: &[SessionFile]) -> Result<Vec<Family>, TranscriptError> {
    let mut sets = Sets((0..files.len()).collect());
    let mut heads: HashMap<u64, usize> = HashMap::new();
    let mut about: Vec<Head> = Vec::with_capacity(files.len());
    let mut lines = None;
    for (at, file) in files.iter().enumerate() {
        let mut head = Head::default();
        if file.role == FileRole::Main {
            head = read_head(file, &mut lines)?;
        }
        let named = head.source.as_deref().map(|id| short(("session", id)));
        let own = file
            .session_id
            .as_deref()
            .filter(|_| file.role == FileRole::Main);
        let own = own.map(|id| short(("session", id)));
        for key in head.keys.iter().copied().chain(named).chain(own) {
            let first = *heads.entry(key).or_insert(at);
            sets.join(at, first);
        }
        about.push(head);
    }
    // A fork of a compacted session begins with a line that its source has further down.
    for (at, file) in files.iter().enumerate() {
        if file.role == FileRole::Main {
            find_heads(file, &mut lines, |key| {
                if let Some(other) = heads.get(&key) {
                    sets.join(at, *other);
                }
            })?;
        }
    }
    let mut families: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if file.role == FileRole::Main {
            families.entry(sets.root(at)).or_default().push(at);
        }
    }
    let mut families: Vec<Vec<usize>> = families.into_values().collect();
    families.retain(|members| members.len() > 1);
    families.sort();
    let families = families.into_iter().map(|mut members| {
        members.sort_by_key(|at| {
            let head = &about[*at];
            (head.source.is_some(), head.began, files[*at].modified)
        });
        let members = members.into_iter().enumerate().map(|(place, file)| {
            let head = &mut about[file];
            let kind = match (&head.source, head.same_uuids) {
                (Some(_), true) => ForkKind::Branched,
                (Some(_), false) => ForkKind::Forked,
                (None, _) if place == 0 => ForkKind::Original,
                (None, _) => ForkKind::Copied,
            };
            FamilyMember {
                file,
                kind,
                source: head.source.take(),
            }
        });
        Family {
            members: members.collect(),
        }
    });
    Ok(families.collect())
}

/// What the start of a file says.
#[derive(Debug)]
struct Head {
    /// Of the first line that has a uuid, and of the first reply.
    keys: Vec<u64>,
    source: Option<String>,
    same_uuids: bool,
    /// When the process wrote its first line: those without a uuid are not copied.
    began: i64,
}

impl Default for Head {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            source: None,
            same_uuids: false,
            began: i64::MAX,
        }
    }
}

/// How far into a file its first reply is looked for.
const HEAD: u64 = 8 << 20;

fn read_head(file: &SessionFile, lines: &mut Option<Lines<File>>) -> Result<Head, TranscriptError> {
    let lines = restart(file, lines)?;
    let mut head = Head::default();
    let mut first_time = i64::MAX;
    while lines.offset() < HEAD {
        let line = lines
            .next_line()
            .map_err(TranscriptError::io("read", &file.path))?;
        let Some(line) = line else {
            break;
        };
        let Some(entry) = Entry::read(line.raw) else {
            continue;
        };
        let time = entry.time_ms().unwrap_or(i64::MAX);
        let Some(uuid) = entry.uuid() else {
            head.began = head.began.min(time);
            continue;
        };
        first_time = first_time.min(time);
        if head.keys.is_empty() {
            head.keys.push(short(("line", &*uuid)));
            if let Some((session, line)) = entry.forked_from() {
                head.same_uuids = *line == *uuid;
                head.source = Some(session);
            }
        }
        if entry.kind() == Kind::Assistant {
            let id = entry.message_id();
            let key = id.map(|id| short(("reply", id, entry.timestamp())));
            head.keys.extend(key);
            break;
        }
    }
    if head.began == i64::MAX {
        head.began = first_time;
    }
    Ok(head)
}

/// The keys of all uuids in a file, and of texts that look like one.
fn find_heads(
    file: &SessionFile,
    lines: &mut Option<Lines<File>>,
    mut found: impl FnMut(u64),
) -> Result<(), TranscriptError> {
    let member = memmem::Finder::new(b"\"uuid\":\"");
    let lines = restart(file, lines)?;
    loop {
        let line = lines
            .next_line()
            .map_err(TranscriptError::io("read", &file.path))?;
        let Some(line) = line else {
            return Ok(());
        };
        for at in member.find_iter(line.raw) {
            let rest = &line.raw[at + 8..];
            let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
            if let Ok(uuid) = std::str::from_utf8(&rest[..end]) {
                found(short(("line", uuid)));
            }
        }
    }
}

/// The lines of a file, in the buffer of the one before.
fn restart<'l>(
    file: &SessionFile,
    lines: &'l mut Option<Lines<File>>,
) -> Result<&'l mut Lines<File>, TranscriptError> {
    let opened = File::open(&file.path).map_err(TranscriptError::io("open", &file.path))?;
    match lines {
        Some(lines) => {
            lines.restart(opened);
            Ok(lines)
        }
        None => Ok(lines.insert(Lines::new(opened))),
    }
}

/// Which files belong together: each knows another one of its set, the first one itself.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}
