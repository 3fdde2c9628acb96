//! After any sequence of changes to a file, a follower has its lines: none lost, none twice.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use claw_transcript::{Change, Cursor, Followed, Follower, LineEnd};

use super::append;
use super::growing::rotated;

/// A small generator of pseudo-random numbers, so that a run can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % most
    }
}

/// Changes a file and tracks its contents.
struct Writer {
    path: PathBuf,
    random: Random,
    /// The complete lines of the file, and the rest.
    lines: Vec<String>,
    partial: String,
    /// The whole lines of the files that were rotated away.
    archive: Vec<Vec<String>>,
    /// Lines that were never completed, and lines that were written late.
    torn: Vec<String>,
    late: Vec<String>,
    next: u64,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Done {
    /// The file still has all earlier lines.
    Kept,
    Rotated,
    Changed,
}

impl Writer {
    fn line(&mut self) -> String {
        self.next += 1;
        let filling = "x".repeat(self.random.below(90) as usize);
        format!("line {} {filling}", self.next)
    }

    fn some_lines(&mut self) -> Vec<String> {
        let count = self.random.below(4);
        (0..count).map(|_| self.line()).collect()
    }

    fn bytes(&self) -> String {
        let mut text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        text.push_str(&self.partial);
        text
    }

    fn append(&mut self) -> Done {
        let mut lines = self.some_lines();
        lines.push(self.line());
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        append(&self.path).write_all(text.as_bytes()).unwrap();
        let partial = std::mem::take(&mut self.partial);
        lines[0].insert_str(0, &partial);
        self.lines.extend(lines);
        Done::Kept
    }

    fn append_half(&mut self) -> Done {
        let text = format!("half {} ", self.line());
        append(&self.path).write_all(text.as_bytes()).unwrap();
        self.partial.push_str(&text);
        Done::Kept
    }

    fn rotate(&mut self) -> Done {
        for number in (1..60).rev() {
            if rotated(&self.path, number).exists() {
                std::fs::rename(rotated(&self.path, number), rotated(&self.path, number + 1))
                    .unwrap();
            }
        }
        std::fs::rename(&self.path, rotated(&self.path, 1)).unwrap();
        self.archive.push(std::mem::take(&mut self.lines));
        let partial = std::mem::take(&mut self.partial);
        if !partial.is_empty() {
            self.torn.push(partial);
        }
        self.lines = self.some_lines();
        std::fs::write(&self.path, self.bytes()).unwrap();
        Done::Rotated
    }

    fn cut(&mut self) -> Done {
        let bytes = self.bytes();
        let left = &bytes[..self.random.below(bytes.len() as u64 + 1) as usize];
        let file = OpenOptions::new().write(true).open(&self.path).unwrap();
        file.set_len(left.len() as u64).unwrap();
        let (whole, partial) = left.rsplit_once('\n').unwrap_or(("", left));
        self.partial = partial.to_owned();
        let whole = if left.contains('\n') {
            whole.lines().count()
        } else {
            0
        };
        self.lines.truncate(whole);
        Done::Changed
    }

    /// In place or by another file, with all that was there or with something else in it.
    fn write_anew(&mut self) -> Done {
        let mut done = Done::Kept;
        if self.random.below(2) == 0 {
            let kept = self.random.below(self.lines.len() as u64 + 1) as usize;
            self.lines.truncate(kept);
            self.partial.clear();
            done = Done::Changed;
        }
        if self.partial.is_empty() {
            let lines = self.some_lines();
            self.lines.extend(lines);
        }
        let text = self.bytes();
        match self.random.below(3) {
            0 => std::fs::write(&self.path, text).unwrap(),
            1 => {
                let new = self.path.with_extension("new");
                std::fs::write(&new, text).unwrap();
                std::fs::rename(&new, &self.path).unwrap();
            }
            _ => {
                std::fs::remove_file(&self.path).unwrap();
                std::fs::write(&self.path, text).unwrap();
            }
        }
        done
    }
}

/// A reader that keeps every line and drops those that are reported as gone.
#[derive(Default)]
struct Reader {
    lines: Vec<String>,
    archive: Vec<Vec<String>>,
    torn: Vec<String>,
    late: Vec<String>,
    changes: Vec<Change>,
    dropped: usize,
}

impl Reader {
    fn take(&mut self, found: Followed<'_>) {
        match found {
            Followed::Line(line) if line.end == LineEnd::None => {
                self.torn.push(line.text().trim_start().to_owned());
            }
            Followed::Line(line) if line.raw.starts_with(b"late") => {
                self.late.push(line.text().into_owned());
            }
            Followed::Line(line) => {
                self.lines
                    .push(String::from_utf8(line.raw.to_vec()).unwrap());
            }
            Followed::Changed(change) => {
                self.changes.push(change);
                if change == Change::Rotated {
                    self.archive.push(std::mem::take(&mut self.lines));
                } else {
                    self.dropped += self.lines.len() - change.kept() as usize;
                    self.lines.truncate(change.kept() as usize);
                }
            }
            _ => panic!("something new"),
        }
    }
}

fn poll(follower: &mut Follower, reader: &mut Reader, times: u64) {
    for _ in 0..times {
        follower.poll(|found| reader.take(found)).unwrap();
    }
}

/// Resumes from a serialized cursor, as another process does.
fn resumed(follower: &mut Follower) -> Follower {
    let kept = serde_json::to_string(&follower.cursor().unwrap()).unwrap();
    let cursor: Option<Cursor> = serde_json::from_str(&kept).unwrap();
    let path = follower.path();
    let other = match cursor {
        Some(cursor) => Follower::resume(path, cursor),
        None => Follower::new(path),
    };
    other.patience(Duration::ZERO)
}

/// The number of polls after which every change is detected.
const SETTLE: u64 = 5;

fn run(seed: u64, operations: u64, resuming: bool) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session.jsonl");
    let mut writer = Writer {
        path: path.clone(),
        random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
        lines: Vec::new(),
        partial: String::new(),
        archive: Vec::new(),
        torn: Vec::new(),
        late: Vec::new(),
        next: 0,
    };
    drop(append(&path));
    let mut follower = Follower::new(&path).patience(Duration::ZERO);
    let mut reader = Reader::default();
    poll(&mut follower, &mut reader, SETTLE);
    // The number of operations since the last complete poll.
    let mut loose = 0;
    for step in 0..operations {
        let said = reader.changes.len();
        let (lines, dropped) = (reader.lines.clone(), reader.dropped);
        let has_half = !writer.partial.is_empty();
        let mut still_open = append(&path);
        let done = match writer.random.below(10) {
            0..3 => writer.append(),
            3 => writer.append_half(),
            4 | 5 => writer.rotate(),
            6 | 7 => writer.cut(),
            _ => writer.write_anew(),
        };
        loose += 1;
        if done == Done::Rotated && writer.random.below(2) == 0 {
            // The old file is still open in another process.
            poll(&mut follower, &mut reader, 1);
            let late = format!("late {step}");
            let before = if has_half { writer.torn.pop() } else { None };
            let text = format!("{}{late}\n", if before.is_some() { "\n" } else { "" });
            still_open.write_all(text.as_bytes()).unwrap();
            writer.late.push(late);
            poll(&mut follower, &mut reader, SETTLE);
            if let Some(before) = before {
                // It is the old file's, whether or not the new one was known by then.
                let views = reader.archive.iter_mut().chain([&mut reader.lines]);
                let places = views.filter_map(|view| {
                    let at = view.iter().position(|line| *line == before)?;
                    Some(view.remove(at))
                });
                assert_eq!(places.count(), 1, "the half line, finished late");
            }
        }
        if resuming && loose == 1 && !(done == Done::Rotated && has_half) {
            follower = resumed(&mut follower);
            // A file that is created and rotated between two polls cannot be detected.
            poll(&mut follower, &mut reader, 1);
        }
        let looks = if has_half && done == Done::Rotated {
            SETTLE
        } else {
            [0, 1, 2, SETTLE][writer.random.below(4) as usize]
        };
        poll(&mut follower, &mut reader, looks);
        if looks < SETTLE {
            continue;
        }
        let context = format!("seed {seed}, step {step}, {done:?}, {:?}", reader.changes);
        assert_eq!(reader.lines, writer.lines, "{context}");
        if loose == 1 {
            let said = &reader.changes[said..];
            let same = lines.iter().zip(&writer.lines);
            let common = same.take_while(|(one, other)| one == other).count();
            match done {
                // No line that the file still has is delivered again.
                Done::Kept => assert_eq!(reader.dropped, dropped, "{context}"),
                Done::Rotated => assert_eq!(said, [Change::Rotated], "{context}"),
                // Not even if the others are gone.
                Done::Changed if !resuming => {
                    assert_eq!(reader.dropped, dropped + lines.len() - common, "{context}");
                }
                Done::Changed => {}
            }
        }
        loose = 0;
    }
    poll(&mut follower, &mut reader, SETTLE);
    assert_eq!(reader.lines, writer.lines, "seed {seed}");
    reader.archive.retain(|lines| !lines.is_empty());
    writer.archive.retain(|lines| !lines.is_empty());
    assert_eq!(reader.archive, writer.archive, "seed {seed}");
    assert_eq!(reader.late, writer.late, "seed {seed}");
    let torn: Vec<&str> = writer.torn.iter().map(|line| line.trim()).collect();
    assert_eq!(reader.torn, torn, "seed {seed}");
    assert!(operations < 20 || !reader.changes.is_empty());
}

#[test]
fn whatever_is_done_to_a_file_nothing_is_lost_or_doubled() {
    for seed in 0..25 {
        run(seed, 40, false);
    }
}

#[test]
fn nor_by_a_follower_that_is_resumed_again_and_again() {
    for seed in 1000..1025 {
        run(seed, 40, true);
    }
}
