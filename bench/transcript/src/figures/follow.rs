//! A process writes a file, and rotates, cuts and replaces it; a follower gets every line once.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use claw_transcript::{Followed, Follower};
use serde_json::Value;

use crate::{Inputs, corpora};
use claw_testkit::figure::Figure;

const LINES: u64 = 100_000;
/// After this time, a line that the writer waits for is lost.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);
const SEED: &str = "7";

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let lines = if inputs.quick { LINES / 10 } else { LINES };
    let writer = corpora::generator()?;
    let folder = tempfile::tempdir()?;
    let started = Instant::now();
    let (seen, summary) = follow(&writer, &folder.path().join("session.jsonl"), lines)?;
    let took = started.elapsed().as_secs_f64();
    ensure!(
        !summary.contains(", 0 "),
        "not everything happened: {summary}"
    );
    let figure = Figure::new(
        "follow: lines lost or doubled while a writer appends 100,000 lines with rotation and truncation",
        "0",
    );
    Ok(vec![
        figure
            .measured(
                format!(
                    "{} lost, {} doubled, {} out of order of {lines} lines",
                    seen.lost(),
                    seen.doubled,
                    seen.out_of_order
                ),
                seen.is_whole(),
            )
            .note(format!(
                "the writer, a process of its own: {summary}; the follower noticed {} changes",
                seen.changes
            ))
            .note(format!("{took:.1} s, waiting for each other included")),
    ])
}

/// Which lines came.
struct Seen {
    times: Vec<u32>,
    /// One more than the highest number.
    next: u64,
    doubled: u64,
    out_of_order: u64,
    changes: u64,
}

impl Seen {
    fn new(lines: u64) -> Result<Self> {
        Ok(Self {
            times: vec![0; usize::try_from(lines)?],
            next: 0,
            doubled: 0,
            out_of_order: 0,
            changes: 0,
        })
    }

    fn line(&mut self, text: &str) -> Result<()> {
        let line: Value = serde_json::from_str(text).context("half a line was delivered")?;
        let number = line.get("n").and_then(Value::as_u64);
        let number = number.context("a line without a number was delivered")?;
        let times = usize::try_from(number)
            .ok()
            .and_then(|at| self.times.get_mut(at));
        let times = times.context("a line was delivered that was not written")?;
        *times += 1;
        if *times > 1 {
            self.doubled += 1;
        } else if number < self.next {
            self.out_of_order += 1;
        }
        self.next = self.next.max(number + 1);
        Ok(())
    }

    fn lost(&self) -> usize {
        self.times.iter().filter(|times| **times == 0).count()
    }

    fn is_whole(&self) -> bool {
        self.lost() == 0 && self.doubled == 0 && self.out_of_order == 0 && self.changes > 0
    }
}

/// Follows a file that the program writes. Returns the lines, and the summary of the program.
fn follow(writer: &Path, path: &Path, lines: u64) -> Result<(Seen, String)> {
    // The follower starts before the first rotation.
    std::fs::write(path, "")?;
    let mut follower = Follower::new(path);
    follower.poll(|_| ())?;
    let mut child = Command::new(writer)
        .arg("grow")
        .arg(path)
        .args(["--lines", &lines.to_string(), "--seed", SEED])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("session-corpus did not start")?;
    let mut answers = child.stdin.take().context("it has no input")?;
    let output = child.stdout.take().context("it has no output")?;
    let (sender, printed) = channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let mut seen = Seen::new(lines)?;
    let outcome = keep_up(&mut follower, &printed, &mut seen, |()| {
        answers.write_all(b"\n")
    });
    if outcome.is_err() {
        child.kill()?;
    }
    drop(answers);
    let status = child.wait()?;
    drop(reader.join());
    let summary = outcome?;
    ensure!(status.success(), "session-corpus failed: {status}");
    Ok((seen, summary))
}

/// Reads until the writer is done and nothing more comes.
fn keep_up(
    follower: &mut Follower,
    printed: &Receiver<String>,
    seen: &mut Seen,
    mut answer: impl FnMut(()) -> std::io::Result<()>,
) -> Result<String> {
    let (mut waits_for, mut summary): (Option<(u64, Instant)>, _) = (None, String::new());
    let mut done = false;
    loop {
        let mut wrong = Ok(());
        let count = follower.wait(Duration::from_millis(30), |found| match found {
            Followed::Line(line) => {
                let read = seen.line(&line.text());
                if wrong.is_ok() {
                    wrong = read;
                }
            }
            _ => seen.changes += 1,
        })?;
        wrong?;
        if let Some((lines, since)) = waits_for
            && (seen.next >= lines || since.elapsed() > LINE_TIMEOUT)
        {
            answer(())?;
            waits_for = None;
        }
        match printed.try_recv() {
            Ok(line) => match line.parse() {
                Ok(lines) => waits_for = Some((lines, Instant::now())),
                Err(_) => summary = line,
            },
            Err(TryRecvError::Empty) => {}
            // Twice nothing after the end is the end.
            Err(TryRecvError::Disconnected) if count == 0 && done => return Ok(summary),
            Err(TryRecvError::Disconnected) => done = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_doubled_or_late_is_counted() {
        let mut seen = Seen::new(5).unwrap();
        for number in [0, 2, 2, 1, 4] {
            seen.line(&format!(r#"{{"n":{number}}}"#)).unwrap();
        }
        assert_eq!((seen.lost(), seen.doubled, seen.out_of_order), (1, 1, 1));
        assert!(!seen.is_whole());
        assert!(seen.line(r#"{"n":5}"#).is_err());
        assert!(seen.line(r#"{"n":"#).is_err());
    }
}
