//! Reads files and collects the sightings of each message.

mod contexts;
mod file;

use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::worker::{Depth, Worker};
use crate::files::SessionFile;
use crate::lines::ReusedLines;

use file::FileScan;
pub(super) use file::{SYNTHETIC, message_key};

impl Worker {
    /// Reads one file. Periodically calls `progress` with the number of bytes since the last call.
    pub(super) fn read(
        &mut self,
        index: u32,
        file: &SessionFile,
        depth: Depth,
        lines: &mut ReusedLines,
        progress: &dyn Fn(u64),
    ) -> io::Result<()> {
        let lines = lines.open(&file.path)?;
        let mut scan = FileScan::new(self, index, file, depth, born(&file.path));
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
        // Lines before an error count.
        scan.finish();
        let end = lines.offset();
        self.summary.bytes += end;
        progress(end - reported);
        done
    }
}

const PROGRESS_STEP: u64 = 4 << 20;

/// The creation time of a file in seconds since 1970; zero if unknown.
fn born(path: &Path) -> i64 {
    let created = std::fs::metadata(path).and_then(|about| about.created());
    let since = created
        .ok()
        .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0))
}
