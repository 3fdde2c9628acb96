//! Repairs of random damage.

use std::collections::{HashMap, HashSet};

use claw_transcript::{Body, Entry, Kind, Lines, Part, repair_bytes, salvage};

use super::{marked, recorded};

/// A small generator of numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

/// Damages lines in one of many ways.
fn damage(lines: &mut Vec<Vec<u8>>, dice: &mut Dice) {
    if lines.len() < 3 {
        return;
    }
    let at = dice.below(lines.len());
    let other = dice.below(lines.len());
    let text = String::from_utf8_lossy(&lines[at]).into_owned();
    let uuid_of =
        |line: &[u8]| Entry::read(line).and_then(|entry| Some(entry.uuid()?.into_owned()));
    match dice.below(16) {
        0 => {
            let cut = dice.below(lines[at].len());
            lines[at].truncate(cut);
        }
        1 => {
            let line = lines.remove(at);
            let before = at.saturating_sub(1);
            lines[before].extend(line);
        }
        2 => {
            let cut = dice.below(lines[at].len());
            lines[at].truncate(cut);
            if at + 1 < lines.len() {
                let next = lines.remove(at + 1);
                lines[at].extend(next);
            }
        }
        3 => drop(lines.remove(at)),
        4 => lines.insert(other, lines[at].clone()),
        5 => lines.swap(at, other),
        6 | 7 => {
            let parent = if dice.below(2) == 0 {
                Some("99999999-9999-4999-8999-999999999999".to_owned())
            } else {
                uuid_of(&lines[other])
            };
            let entry = Entry::read(&lines[at]);
            let old = entry.and_then(|entry| Some(entry.parent().id()?.into_owned()));
            if let (Some(old), Some(parent)) = (old, parent) {
                let (old, new) = (
                    format!("\"parentUuid\":\"{old}\""),
                    format!("\"parentUuid\":\"{parent}\""),
                );
                lines[at] = text.replacen(&old, &new, 1).into_bytes();
            }
        }
        8 => {
            let nuls = vec![0; 1 + dice.below(50)];
            lines[at].splice(0..0, nuls);
        }
        9 => lines[at] = text.replacen("MARK", "\\ud83eMARK", 1).into_bytes(),
        10 => {
            if let Some(mark) = text.find("MARK") {
                lines[at].insert(mark, 0xFF);
            }
        }
        11 => lines[at] = flipped(&text).into_bytes(),
        12 => {
            // Another line under the uuid of this one.
            let changed = text.replacen("MARK", "MARK again ", 1).into_bytes();
            lines.insert(other, changed);
        }
        13 => lines.insert(at, b"nobody knows how this came here".to_vec()),
        14 => lines.insert(at, vec![0; 64]),
        _ => {
            let cut = dice.below(lines[at].len() + 1);
            let rest = lines[at].split_off(cut);
            lines.insert(at + 1, rest);
        }
    }
}

fn flipped(line: &str) -> String {
    if line.contains("\"isSidechain\":false") {
        line.replacen("\"isSidechain\":false", "\"isSidechain\":true", 1)
    } else {
        line.replacen("\"isSidechain\":true", "\"isSidechain\":false", 1)
    }
}

/// The entries of a file, including those in broken lines.
fn entries(bytes: &[u8]) -> Vec<String> {
    let mut lines = Lines::new(bytes);
    let mut entries = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        match line.body() {
            Body::Entry(entry) => entries.push(entry.text().to_owned()),
            Body::Broken(_) => entries.extend(salvage(line.raw).into_iter().map(|piece| {
                let text = String::from_utf8_lossy(&line.raw[piece]);
                text.into_owned()
            })),
            _ => {}
        }
    }
    entries
}

/// The content of a line, without the members that a repair may change.
fn words(text: &str) -> String {
    let entry = Entry::read(text.as_bytes()).unwrap();
    let mut words = String::new();
    for part in entry.parts() {
        match part {
            Part::Text(text) => words.push_str(&text),
            Part::Call { id, .. } => words.push_str(&id.unwrap_or_default()),
            Part::Answer { content, .. } => {
                let parts = content.map(Part::of_content).unwrap_or_default();
                for part in parts {
                    if let Part::Text(text) = part {
                        words.push_str(&text);
                    }
                }
            }
            _ => {}
        }
    }
    words
}

/// What must hold of every repaired file.
fn assert_whole(damaged: &[u8], mended: &[u8], seed: u64) {
    let (again, same) = repair_bytes(mended);
    assert_eq!(again, [], "seed {seed}: a repaired file needs no repair");
    assert_eq!(same, mended, "seed {seed}");

    let mut lines = Lines::new(mended);
    let mut seen = HashSet::new();
    let mut calls: HashMap<String, usize> = HashMap::new();
    let mut said = String::new();
    while let Some(line) = lines.next_line().unwrap() {
        let Body::Entry(entry) = line.body() else {
            assert!(line.is_blank(), "seed {seed}: {:?}", line.text());
            continue;
        };
        if let Some(uuid) = entry.uuid() {
            if let Some(parent) = entry.parent().id() {
                assert!(
                    seen.contains(&*parent),
                    "seed {seed}: {parent} is not before {uuid}"
                );
            }
            assert!(
                seen.insert(uuid.clone().into_owned()),
                "seed {seed}: {uuid} twice"
            );
        }
        for part in entry.parts() {
            match part {
                Part::Call { id: Some(id), .. } => drop(calls.entry(id.into_owned()).or_default()),
                Part::Answer {
                    call: Some(call), ..
                } if entry.kind() == Kind::User => {
                    *calls.entry(call.into_owned()).or_insert(10) += 1;
                }
                _ => {}
            }
        }
        said.push_str(&words(entry.text()));
        said.push('\n');
    }
    for (call, results) in calls {
        assert!(results < 2, "seed {seed}: {call} has {results} results");
    }
    // A repair replaces half an emoji; the text around it is unchanged.
    let said = said.replace('\u{FFFD}', "");
    for text in entries(damaged) {
        let words = words(&text).replace('\u{FFFD}', "");
        assert!(said.contains(&words), "seed {seed}: lost: {text}");
    }
}

/// Damages a session in a different way for each seed, and repairs it.
fn any_damage_is_mended(seeds: std::ops::RangeInclusive<u64>) {
    for seed in seeds {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut lines = marked();
        for _ in 0..=dice.below(8) {
            damage(&mut lines, &mut dice);
        }
        let mut bytes = lines.join(&b"\n"[..]);
        if dice.below(4) > 0 {
            bytes.push(b'\n');
        }
        let (_, mended) = repair_bytes(&bytes);
        assert_whole(&bytes, &mended, seed);
    }
}

// Two tests, which run in parallel.
#[test]
fn any_damage_is_mended_and_nothing_whole_is_lost() {
    any_damage_is_mended(1..=200);
}

#[test]
fn more_damage_is_mended_and_nothing_whole_is_lost() {
    any_damage_is_mended(201..=400);
}

#[test]
fn recorded_sessions_survive_damage() {
    for (seed, path) in (1_u64..).zip(&recorded()) {
        let bytes = std::fs::read(path).unwrap();
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        for _ in 0..4 {
            damage(&mut lines, &mut dice);
        }
        let bytes = lines.join(&b"\n"[..]);
        let (_, mended) = repair_bytes(&bytes);
        assert_whole(&bytes, &mended, seed);
    }
}
