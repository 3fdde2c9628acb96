//! A writer that appends, rotates, cuts and replaces a file, and a reader that must not miss or double
//! a line.

mod growing;
mod model;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use claw_testkit::figure::{Figure, record};
use claw_transcript::{Followed, Follower};
use serde_json::Value;

use self::growing::{Growth, grow};
use crate::is_full;

/// After this time, a line that the writer waits for is lost.
const LINE_TIMEOUT: Duration = Duration::from_secs(10);

fn append(path: &Path) -> File {
    let mut options = File::options();
    options.append(true).create(true).open(path).unwrap()
}

/// What a follower delivered of lines that are numbered from zero.
#[derive(Default)]
struct Seen {
    times: Vec<u32>,
    /// One more than the highest number.
    next: u64,
    doubled: u64,
    out_of_order: u64,
    changes: u64,
}

impl Seen {
    fn line(&mut self, text: &str) {
        let line: Value = serde_json::from_str(text).expect("a whole line");
        let number = line["n"].as_u64().expect("a number");
        let times = &mut self.times[usize::try_from(number).unwrap()];
        *times += 1;
        if *times > 1 {
            self.doubled += 1;
        } else if number < self.next {
            self.out_of_order += 1;
        }
        self.next = self.next.max(number + 1);
    }

    fn lost(&self) -> usize {
        self.times.iter().filter(|times| **times == 0).count()
    }
}

/// Follows a file that grows.
fn follow(lines: u64, seed: u64) -> (Seen, Growth) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session.jsonl");
    let read = AtomicU64::new(0);
    let mut seen = Seen {
        times: vec![0; usize::try_from(lines).unwrap()],
        ..Seen::default()
    };
    let growth = std::thread::scope(|scope| {
        // A follower that starts after a rotation does not see earlier files.
        drop(append(&path));
        let mut follower = Follower::new(&path);
        follower.poll(|_| ()).unwrap();
        let writer = scope.spawn(|| {
            grow(&path, lines, seed, |written| {
                // Lines that are cut before they are read are lost.
                let end = Instant::now() + LINE_TIMEOUT;
                while read.load(Ordering::Acquire) < written && Instant::now() < end {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(())
            })
        });
        // Nothing new, twice after the writer's end, is the end.
        let mut silent = 0;
        while silent < 2 {
            let has_ended = writer.is_finished();
            let count = follower
                .wait(Duration::from_millis(30), |found| match found {
                    Followed::Line(line) => seen.line(&line.text()),
                    _ => seen.changes += 1,
                })
                .unwrap();
            read.store(seen.next, Ordering::Release);
            silent = if has_ended && count == 0 {
                silent + 1
            } else {
                0
            };
        }
        writer.join().unwrap().unwrap()
    });
    (seen, growth)
}

#[test]
fn no_line_is_lost_or_doubled_by_rotation_cuts_and_replacements() {
    let (lines, seeds) = if is_full() {
        (100_000, 7..8)
    } else {
        (20_000, 1..4)
    };
    let (mut lost, mut doubled, mut out_of_order, mut changes) = (0, 0, 0, 0);
    let (mut written, mut all) = (0, Vec::new());
    for seed in seeds {
        let (seen, growth) = follow(lines, seed);
        lost += seen.lost();
        doubled += seen.doubled;
        out_of_order += seen.out_of_order;
        changes += seen.changes;
        written += growth.lines;
        all.push(growth);
    }
    let happened = |times: fn(&Growth) -> u64| all.iter().map(times).sum::<u64>();
    let happened = [
        happened(|growth| growth.rotations),
        happened(|growth| growth.cuts),
        happened(|growth| growth.replacements),
    ];
    assert!(!happened.contains(&0), "not everything happened: {all:?}");
    let figure = Figure::new(
        "follow: lines lost or doubled while a writer appends 100,000 lines with rotation and truncation",
        "0",
    )
    .measured(
        format!(
            "{lost} lost, {doubled} doubled, {out_of_order} out of order of {written} lines"
        ),
        lost == 0 && doubled + out_of_order == 0 && changes > 0,
    );
    let [rotations, cuts, replacements] = happened;
    record(
        "follow",
        vec![figure.note(format!(
            "{rotations} rotations, {cuts} cuts, {replacements} replacements; the follower noticed {changes} changes"
        ))],
    );
}

#[test]
fn lost_doubled_and_late_lines_are_counted() {
    let mut seen = Seen {
        times: vec![0; 5],
        ..Seen::default()
    };
    for number in [0, 2, 2, 1, 4] {
        seen.line(&format!(r#"{{"n":{number}}}"#));
    }
    assert_eq!((seen.lost(), seen.doubled, seen.out_of_order), (1, 1, 1));
}
