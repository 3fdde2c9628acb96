//! Reads files and keeps of each message what is needed to count it.

mod clock;
mod file;
mod key;
mod place;

use std::fs::File;
use std::io;
use std::time::UNIX_EPOCH;

use super::ledger::Ledger;
use super::pack::Drawers;
use super::settle::Span;
use super::sighting::Sighting;
use super::tables::Tables;
use crate::files::SessionFile;
use crate::lines::Lines;
use crate::tree::Fate;

use file::FileScan;
pub(super) use key::{SYNTHETIC, message_key};

/// What to look for beyond tokens.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Depth {
    /// What replies are made of, for tools.
    pub(super) blocks: bool,
    /// Which replies lie on branches that were left, which needs a look at every line.
    pub(super) branches: bool,
    /// What kind of agent a subagent is, from the file beside its own.
    pub(super) agent_types: bool,
}

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// Lines that carry usage.
    pub(super) reply_lines: u64,
    /// Lines that might have, and are not JSON.
    pub(super) broken_lines: u64,
    /// Replies that were taken out of such lines.
    pub(super) recovered: u64,
    /// Number of counts that are text or negative.
    pub(super) odd_counts: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.reply_lines += other.reply_lines;
        self.broken_lines += other.broken_lines;
        self.recovered += other.recovered;
        self.odd_counts += other.odd_counts;
    }
}

/// A line of a message that somebody wants explained.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) file: u32,
    pub(super) offset: u64,
    pub(super) ordinal: u64,
    pub(super) message_id: Option<String>,
    pub(super) sighting: Sighting,
}

/// One thread's share of the files.
#[derive(Debug, Default)]
pub(super) struct Worker {
    pub(super) tables: Tables,
    pub(super) drawers: Drawers,
    pub(super) spans: Vec<(u32, Span)>,
    pub(super) ledgers: Vec<Ledger>,
    pub(super) counts: Counts,
    /// Messages on branches that were left, by file, and those of which it is not known.
    pub(super) not_live: Vec<((u32, u64), Fate)>,
    pub(super) watched: Vec<Watched>,
}

impl Worker {
    /// Reads one file. Calls back now and then with the number of bytes that were read since.
    pub(super) fn read(
        &mut self,
        index: u32,
        file: &SessionFile,
        depth: Depth,
        watch: Option<&dyn Fn(u64) -> bool>,
        lines: &mut Option<Lines<File>>,
        progress: &dyn Fn(u64),
    ) -> io::Result<()> {
        let opened = File::open(&file.path)?;
        let born = born(&opened);
        // One buffer for all files of a thread.
        let lines = match lines {
            Some(lines) => {
                lines.restart(opened);
                lines
            }
            None => lines.insert(Lines::new(opened)),
        };
        let mut scan = FileScan::new(self, index, file, depth, watch);
        scan.born(born);
        let mut reported = 0;
        let done = loop {
            match lines.next_line() {
                Ok(Some(line)) => {
                    scan.line(&line);
                    let at = line.offset + line.len_with_end();
                    if at - reported >= PROGRESS_STEP {
                        progress(at - reported);
                        reported = at;
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        // What was read before an error counts.
        scan.finish();
        let end = lines.offset();
        self.counts.bytes += end;
        progress(end - reported);
        done
    }
}

const PROGRESS_STEP: u64 = 4 << 20;

/// When a file was made, in seconds since 1970; zero where the file system does not say.
fn born(file: &File) -> i64 {
    let created = file.metadata().and_then(|about| about.created());
    let since = created
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}
