//! The recorded lines of the CLI, and the speed at which they are read.

use std::hint::black_box;

use anyhow::{Result, ensure};
use bytes::Bytes;
use claw_testkit::figure::quick;
use claw_testkit::processes::cpu_time;
use claw_testkit::recordings;
use rusty_claw_protocol::Line;

use crate::process::on_cores;
use crate::rounds::Rounds;

/// Fewer files mean that some were not found.
const LEAST_FILES: usize = 500;

/// One line, in the input format of each parser. Conversion is not part of the measured time.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The line in a buffer that can be shared, as a reader of the pipe hands it on.
    pub bytes: Bytes,
    /// The line as text that was already checked to be UTF-8.
    pub text: String,
    file: usize,
}

/// The lines that the CLI printed in all recordings, and that we and another parser accept.
///
/// # Errors
/// Returns an error if recordings are missing.
pub fn recordings(accepts: impl Fn(&Recorded) -> bool) -> Result<Vec<Recorded>> {
    let recordings = recordings::recordings()?;
    let count = recordings.len();
    ensure!(count >= LEAST_FILES, "only {count} recordings");
    let mut lines = Vec::new();
    for (file, recording) in recordings.into_iter().enumerate() {
        for line in recording.stdout {
            let line = Recorded {
                text: String::from_utf8_lossy(&line).into_owned(),
                bytes: line.into(),
                file,
            };
            let ours = Line::decode(line.bytes.clone());
            if ours.message().is_some() && accepts(&line) {
                lines.push(line);
            }
        }
    }
    Ok(lines)
}

/// The lines of each file.
pub fn files(lines: &[Recorded]) -> impl Iterator<Item = &[Recorded]> {
    lines.chunk_by(|one, other| one.file == other.file)
}

/// What lines are, and how fast each contender read them, in words.
pub fn speeds(lines: &[Recorded], rounds: &Rounds) -> String {
    let bytes = lines.iter().map(|line| line.bytes.len()).sum::<usize>();
    let (count, megabytes) = (lines.len(), bytes as f64 / 1e6);
    let speeds = rounds.shown(|seconds| format!("{:.0} MB/s", megabytes / seconds));
    format!("{count} lines, {megabytes:.1} MB; {speeds}")
}

/// A way to read lines.
pub type Contender = (&'static str, fn(&[Recorded]));

/// Reads each line. The loop is part of a contender, so that none pays for a call that another one
/// does not make. Dropping the result is part of the time.
pub fn each<'a, T>(lines: &'a [Recorded], read: impl Fn(&'a Recorded) -> T) {
    lines.iter().for_each(|line| drop(black_box(read(line))));
}

/// The number of rounds. It is fixed, so that no run ends early at a good value.
pub fn rounds() -> usize {
    if quick() { 1 } else { 15 }
}

/// Measures the seconds that each contender takes for the lines, on one core.
///
/// # Errors
/// Returns an error if this process cannot be kept on one core.
pub fn measure(lines: &[Recorded], contenders: &[Contender]) -> Result<Rounds> {
    on_cores(1)?;
    let time = |read: fn(&[Recorded]), passes: usize| {
        let start = cpu_time();
        (0..passes).for_each(|_| read(lines));
        (cpu_time() - start).as_secs_f64() / passes as f64
    };
    // The first pass warms up and determines how many passes fill a round.
    let round = if quick() { 0.0 } else { 0.15 };
    let passes: Vec<usize> = contenders
        .iter()
        .map(|(_, read)| (round / time(*read, 1)).ceil().clamp(1.0, 1e6) as usize)
        .collect();
    let names: Vec<_> = contenders.iter().map(|(name, _)| *name).collect();
    Rounds::measure(rounds(), &names, |at| {
        Ok(time(contenders[at].1, passes[at]))
    })
}
