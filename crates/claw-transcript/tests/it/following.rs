//! A writer that appends, rotates and cuts, and a reader that must not miss or double a line.

mod model;

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use claw_transcript::{Followed, Follower};

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

fn old(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

fn append(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.append(true).create(true).open(path).unwrap()
}

/// Appends lines in random pieces; now and then rotates, or cuts the file once the reader has it.
fn write(path: &Path, lines: u64, seed: u64, read: &AtomicU64) {
    let mut random = Random(seed);
    let mut file = append(path);
    let mut number = 0;
    while number < lines {
        let several = 1 + random.below(200).min(lines - number - 1);
        let mut text = String::new();
        for _ in 0..several {
            let filling = "x".repeat(random.below(120) as usize);
            text.push_str(&format!("{{\"n\":{number},\"f\":\"{filling}\"}}\n"));
            number += 1;
        }
        // In two pieces, so that lines are seen half written.
        let (one, two) = text.split_at(random.below(text.len() as u64) as usize);
        file.write_all(one.as_bytes()).unwrap();
        file.write_all(two.as_bytes()).unwrap();
        match random.below(40) {
            0 => {
                for number in (1..20).rev() {
                    if old(path, number).exists() {
                        std::fs::rename(old(path, number), old(path, number + 1)).unwrap();
                    }
                }
                std::fs::rename(path, old(path, 1)).unwrap();
                file = append(path);
            }
            1 => {
                // Lines that are cut before they are read are lost.
                let end = std::time::Instant::now() + Duration::from_secs(20);
                while read.load(Ordering::Acquire) < number {
                    assert!(
                        std::time::Instant::now() < end,
                        "nobody reads line {number}"
                    );
                    std::thread::sleep(Duration::from_millis(1));
                }
                let length = file.metadata().unwrap().len();
                let kept = std::fs::read(path).unwrap();
                let kept = &kept[..random.below(length + 1) as usize];
                let whole = kept.iter().rposition(|byte| *byte == b'\n');
                file.set_len(whole.map_or(0, |at| at as u64 + 1)).unwrap();
            }
            _ => {}
        }
    }
}

/// Follows a file that grows, and checks the order of its lines.
fn follow(lines: u64, seed: u64) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("session.jsonl");
    let read = AtomicU64::new(0);
    std::thread::scope(|scope| {
        // A follower that starts after a rotation does not see earlier files.
        drop(append(&path));
        let mut follower = Follower::new(&path);
        follower.poll(|_| ()).unwrap();
        scope.spawn(|| write(&path, lines, seed, &read));
        let mut next = 0;
        let mut changes = 0;
        let end = std::time::Instant::now() + Duration::from_secs(60);
        while next < lines {
            assert!(std::time::Instant::now() < end, "stuck at line {next}");
            follower
                .wait(Duration::from_millis(50), |found| match found {
                    Followed::Line(line) => {
                        let text = line.text();
                        let number = text[5..].split(',').next().unwrap();
                        let number: u64 = number.parse().unwrap();
                        assert_eq!(number, next, "lost or doubled");
                        next += 1;
                        read.store(next, Ordering::Release);
                    }
                    _ => changes += 1,
                })
                .unwrap();
        }
        assert!(changes > 0, "nothing was rotated or cut");
    });
}

#[test]
fn no_line_is_lost_or_doubled_by_rotation_and_cutting() {
    for seed in [1, 2, 3] {
        follow(20_000, seed);
    }
}
