//! Sessions that are forks of one another.
//!
//! `--fork-session` copies lines with their uuids and does not mark them; `/branch` marks them; the
//! SDK marks them and gives them new uuids. In all three the replies keep their ids and, except for
//! the last line, their times. So a few hashes of the head of each file suffice: a fork begins with
//! lines that its source also has, at its start or, after a compaction, further down.

use std::collections::{BTreeMap, HashMap};

use memchr::memmem;

use super::key::short;
use crate::entry::{Entry, Kind};
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::lines::ReusedLines;

/// How a session was forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ForkKind {
    /// Probably the one that the others were forked from.
    Original,
    /// Unmarked copies: `--fork-session`, or a copy of the file.
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
    /// Its index in the given list of files.
    pub file: usize,
    /// How it was forked.
    pub kind: ForkKind,
    /// The source that its lines name.
    pub source: Option<String>,
}

/// Sessions that share messages: the original first, then by their start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Family {
    /// At least two.
    pub members: Vec<FamilyMember>,
}

/// Finds the families among many files. Files of subagents are skipped. Keeps a few hashes per file,
/// whatever its length.
///
/// # Errors
/// A file cannot be read.
pub fn families(files: &[SessionFile]) -> Result<Vec<Family>, TranscriptError> {
    let main = files.iter().enumerate();
    let main = main.filter(|(_, file)| file.role == FileRole::Main);
    let main: Vec<(usize, &SessionFile)> = main.collect();
    let mut sets = Sets((0..main.len()).collect());
    let mut heads: HashMap<u64, usize> = HashMap::new();
    let mut about: Vec<Head> = Vec::with_capacity(main.len());
    let mut lines = ReusedLines::default();
    for (at, (_, file)) in main.iter().enumerate() {
        let head = read_head(file, &mut lines)?;
        let sessions = head.source.iter().chain(&file.session_id);
        let sessions = sessions.map(|id| short(("session", id)));
        for key in head.keys.iter().copied().chain(sessions) {
            let first = *heads.entry(key).or_insert(at);
            sets.join(at, first);
        }
        about.push(head);
    }
    // A fork of a compacted session begins with a line that its source has further down.
    for (at, (_, file)) in main.iter().enumerate() {
        find_heads(file, &mut lines, |key| {
            if let Some(other) = heads.get(&key) {
                sets.join(at, *other);
            }
        })?;
    }
    let mut families: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..main.len() {
        families.entry(sets.root(at)).or_default().push(at);
    }
    let families = families.into_values().filter(|members| members.len() > 1);
    let families = families.map(|mut members| {
        members.sort_by_key(|at| {
            let head = &about[*at];
            (head.source.is_some(), head.began, main[*at].1.modified)
        });
        let members = members.into_iter().enumerate().map(|(place, at)| {
            let head = &about[at];
            FamilyMember {
                file: main[at].0,
                kind: match (&head.source, head.same_uuids) {
                    (Some(_), true) => ForkKind::Branched,
                    (Some(_), false) => ForkKind::Forked,
                    (None, _) if place == 0 => ForkKind::Original,
                    (None, _) => ForkKind::Copied,
                },
                source: head.source.clone(),
            }
        });
        let members = members.collect();
        Family { members }
    });
    Ok(families.collect())
}

/// The start of a file.
#[derive(Debug)]
struct Head {
    /// Hashes of the first line that has a uuid, and of the first reply.
    keys: Vec<u64>,
    source: Option<String>,
    same_uuids: bool,
    /// The time of the first line without a uuid, which is not a copy.
    began: i64,
}

/// How far into a file its first reply is searched.
const HEAD: u64 = 8 << 20;

fn read_head(file: &SessionFile, lines: &mut ReusedLines) -> Result<Head, TranscriptError> {
    let lines = lines
        .open(&file.path)
        .map_err(TranscriptError::io("open", &file.path))?;
    let mut head = Head {
        keys: Vec::new(),
        source: None,
        same_uuids: false,
        began: i64::MAX,
    };
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

/// Calls back with the hashes of all uuids in a file.
fn find_heads(
    file: &SessionFile,
    lines: &mut ReusedLines,
    mut found: impl FnMut(u64),
) -> Result<(), TranscriptError> {
    let member = memmem::Finder::new(b"\"uuid\":\"");
    let lines = lines
        .open(&file.path)
        .map_err(TranscriptError::io("open", &file.path))?;
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

/// Disjoint sets of files. Each points to another one of its set, the root to itself.
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
