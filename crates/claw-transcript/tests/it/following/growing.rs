//! A session file that grows while it is read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use claw_testkit::Dice;

/// How many files that were rotated away are kept.
const KEPT: u64 = 20;

/// What a writer did to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Growth {
    /// Lines written, numbered from zero.
    pub(super) lines: u64,
    /// How often the file was renamed to `NAME.1`, older ones to higher numbers.
    pub(super) rotations: u64,
    /// How often its end was cut off, behind some line, and other lines were written there.
    pub(super) cuts: u64,
    /// How often it was replaced by another file.
    pub(super) replacements: u64,
}

/// Appends numbered lines to a file in uneven pieces, and rotates, cuts and replaces it now and
/// then. Each line has its number in `n`.
///
/// Lines that are cut off before they are read are lost. So `caught_up` is called before a cut with
/// a number of lines, and returns when a reader has seen them all.
pub(super) fn grow(
    path: &Path,
    lines: u64,
    seed: u64,
    mut caught_up: impl FnMut(u64) -> io::Result<()>,
) -> io::Result<Growth> {
    let mut dice = Dice::new(seed);
    let mut file = append(path)?;
    let mut growth = Growth::default();
    while growth.lines < lines {
        let text = some_lines(&mut dice, &mut growth.lines, lines);
        // In two pieces, so that a line is seen half written.
        let (one, two) = text.split_at(dice.between(0, text.len()));
        file.write_all(one)?;
        file.write_all(two)?;
        match dice.between(0, 30) {
            0..2 => {
                rotate(path)?;
                file = append(path)?;
                growth.rotations += 1;
            }
            2..4 => {
                caught_up(growth.lines)?;
                let bytes = fs::read(path)?;
                let kept = &bytes[..dice.between(0, bytes.len() + 1)];
                let whole = kept.iter().rposition(|byte| *byte == b'\n');
                file.set_len(whole.map_or(0, |at| at as u64 + 1))?;
                growth.cuts += 1;
            }
            4 => {
                caught_up(growth.lines)?;
                let new = path.with_extension("new");
                fs::write(&new, some_lines(&mut dice, &mut growth.lines, lines))?;
                fs::rename(&new, path)?;
                file = append(path)?;
                growth.replacements += 1;
            }
            _ => {}
        }
    }
    Ok(growth)
}

/// The next lines, up to `most` in all.
fn some_lines(dice: &mut Dice, number: &mut u64, most: u64) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..dice.between(1, 200) {
        if *number == most {
            break;
        }
        let filling = "x".repeat(dice.between(0, 120));
        let line = format!(
            r#"{{"type":"user","n":{number},"message":{{"role":"user","content":"{filling}"}}}}"#
        );
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        *number += 1;
    }
    text
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}

fn rotate(path: &Path) -> io::Result<()> {
    for number in (1..KEPT).rev() {
        if rotated(path, number).exists() {
            fs::rename(rotated(path, number), rotated(path, number + 1))?;
        }
    }
    fs::rename(path, rotated(path, 1))
}

pub(super) fn rotated(path: &Path, number: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    PathBuf::from(name)
}

mod tests {
    use super::*;

    #[test]
    fn every_line_is_written_once_and_everything_happens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let mut asked = 0;
        let growth = grow(&path, 20_000, 5, |lines| {
            assert!(lines > 0 && lines <= 20_000);
            asked += 1;
            Ok(())
        });
        let growth = growth.unwrap();
        assert_eq!(growth.lines, 20_000);
        assert_eq!(asked, growth.cuts + growth.replacements);
        let happened = [growth.rotations, growth.cuts, growth.replacements];
        assert!(happened.iter().all(|times| *times > 0), "{growth:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.lines()
                .all(|line| line.starts_with(r#"{"type":"user","n":"#))
        );
    }
}
