//! Thirty small libraries of sessions, each with one difficulty and the true totals.
//!
//! Each trap is a folder with a `.claude/projects` in it, as a home folder would have. What is
//! true follows from four rules: a message counts once over all files, by its id; of its lines,
//! the one with the most output tokens has its usage; what cannot be parsed whole is lost, and
//! what can be is spend; only `message.usage` of assistant lines is usage.

use std::fs;
use std::io;
use std::path::Path;

use crate::fixture::{self, Fixture};

/// The traps, as the file itself explains them.
const DATA: &str = include_str!("../../data/traps.txt");

/// One trap, and what a reader must make of it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trap {
    /// The name of its folder.
    pub name: &'static str,
    /// The true totals.
    pub expected: Expected,
}

/// The true totals of a trap, over all its files.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// Calls of a model that left usage behind.
    pub messages: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Tokens written to the cache, both lifetimes.
    pub cache_write: u64,
    /// Those of them that were written for an hour.
    pub cache_write_1h: u64,
    /// Tokens read from the cache.
    pub cache_read: u64,
    /// Dollars, at the prices that the CLI charges.
    pub cost: f64,
    /// On which day the spend falls in a zone, where that is the point of the trap.
    pub days: Vec<ExpectedDay>,
}

/// A day of spend, seen from a time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExpectedDay {
    /// The zone's name in the IANA database.
    pub zone: &'static str,
    /// The day there, as `2026-09-30`.
    pub day: &'static str,
}

/// Writes the traps into a folder, one folder each, and returns their totals.
///
/// The same bytes each time. One of the files is a line of 30 MB. Where links need rights that a
/// test does not have (outside Unix), the trap of the linked folder has no link.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let traps = claw_testkit::corpus::traps::write_all(folder.path())?;
/// assert_eq!(traps.len(), 30);
/// assert!(folder.path().join("t01_blocks/.claude/projects").is_dir());
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_all(folder: &Path) -> io::Result<Vec<Trap>> {
    let mut traps = Vec::new();
    for fixture in fixture::read(DATA) {
        let trap = trap(&fixture);
        let projects = folder.join(trap.name).join(".claude").join("projects");
        for (path, bytes) in fixture.files {
            let path = projects.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)?;
        }
        if trap.name == LINKED {
            link_folder(&projects.join("-link"), "-real")?;
        }
        traps.push(trap);
    }
    Ok(traps)
}

/// The trap that has a link to its folder.
const LINKED: &str = "t24_symlink_project";

fn trap(fixture: &Fixture) -> Trap {
    let count = |at| fixture.column(at).parse().unwrap_or_default();
    let days = fixture.column(9).split_whitespace();
    Trap {
        name: fixture.column(0),
        expected: Expected {
            messages: count(2),
            input: count(3),
            output: count(4),
            cache_write: count(5),
            cache_write_1h: count(6),
            cache_read: count(7),
            cost: fixture.column(8).parse().unwrap_or_default(),
            days: days
                .filter_map(|day| day.split_once('='))
                .map(|(zone, day)| ExpectedDay { zone, day })
                .collect(),
        },
    }
}

#[cfg(unix)]
fn link_folder(link: &Path, target: &str) -> io::Result<()> {
    match std::os::unix::fs::symlink(target, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn link_folder(_link: &Path, _target: &str) -> io::Result<()> {
    Ok(())
}
