//! What was read and written again is the same, byte for byte.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use claw_testkit::corpus::{hostile_files, traps};
use claw_transcript::{Body, Lines};

use crate::Inputs;
use crate::source::files_below;
use crate::workspace_root;
use claw_testkit::figure::Figure;

/// Files that must be written back unchanged.
struct Kind {
    name: &'static str,
    files: Vec<PathBuf>,
}

/// The contents of some files, and the files that were changed.
#[derive(Debug, Default)]
struct Found {
    files: usize,
    bytes: u64,
    lines: u64,
    entries: u64,
    broken: u64,
    /// Whole entries inside of broken lines.
    salvaged: u64,
    blank: u64,
    different: Vec<String>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.lines += other.lines;
        self.entries += other.entries;
        self.broken += other.broken;
        self.salvaged += other.salvaged;
        self.blank += other.blank;
        self.different.extend(other.different);
    }
}

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    traps::write_all(&folder.path().join("traps"))?;
    let hostile = hostile_files(&folder.path().join("hostile"))?;
    let root = workspace_root();
    let kinds = [
        Kind {
            name: "recorded and hand-made sessions",
            files: [
                session_files(&root.join("testdata/cli"))?,
                session_files(&root.join("testdata/sessions"))?,
            ]
            .concat(),
        },
        Kind {
            name: "traps",
            files: session_files(&folder.path().join("traps"))?,
        },
        Kind {
            name: "hostile files",
            files: hostile,
        },
        Kind {
            name: "generated sessions",
            files: inputs
                .corpora
                .largest(inputs.quick)?
                .source
                .session_files()?,
        },
    ];
    let mut figure = Figure::new(
        "byte identity after read and write, all corpora and every trap",
        "100 %",
    );
    let (mut files, mut different) = (0, Vec::new());
    for kind in kinds {
        ensure!(!kind.files.is_empty(), "there are no {}", kind.name);
        let found = read_all(&kind.files)?;
        figure = figure.note(format!(
            "{}: {} files, {:.1} MB, {} lines, of them {} entries, {} broken ({} whole entries in them), {} blank",
            kind.name,
            found.files,
            found.bytes as f64 / 1e6,
            found.lines,
            found.entries,
            found.broken,
            found.salvaged,
            found.blank
        ));
        files += found.files;
        different.extend(found.different);
    }
    Ok(vec![
        figure
            .measured(
                format!("{} of {files} files", files - different.len()),
                different.is_empty(),
            )
            .list("not the same", different),
    ])
}

/// Halves the files between two threads.
fn read_all(files: &[PathBuf]) -> Result<Found> {
    let read = |files: &[PathBuf]| -> Result<Found> {
        let mut all = Found::default();
        for file in files {
            let bytes =
                std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
            all.add(read_back(&file.display().to_string(), &bytes));
        }
        Ok(all)
    };
    let (one, other) = files.split_at(files.len() / 2);
    std::thread::scope(|scope| {
        let helper = scope.spawn(|| read(one));
        let mut found = read(other)?;
        let halves = helper
            .join()
            .map_err(|_| anyhow::anyhow!("a reader panicked"))?;
        found.add(halves?);
        Ok(found)
    })
}

/// Reads lines and their contents, writes them again, and compares.
fn read_back(name: &str, bytes: &[u8]) -> Found {
    let mut found = Found {
        files: 1,
        bytes: bytes.len() as u64,
        ..Found::default()
    };
    match written_again(bytes, &mut found) {
        Ok(back) if back == bytes => {}
        Ok(back) => found.different.push(format!(
            "{name}: {} bytes became {}",
            bytes.len(),
            back.len()
        )),
        Err(error) => found.different.push(format!("{name}: {error:#}")),
    }
    found
}

fn written_again(bytes: &[u8], found: &mut Found) -> Result<Vec<u8>> {
    let mut back = Vec::with_capacity(bytes.len());
    let mut lines = Lines::new(bytes);
    while let Some(line) = lines.next_line()? {
        ensure!(
            line.offset == back.len() as u64,
            "line {} is said to begin at byte {}, not at {}",
            line.ordinal,
            line.offset,
            back.len()
        );
        found.lines += 1;
        match line.body() {
            Body::Blank => {
                found.blank += 1;
                back.extend_from_slice(line.raw);
            }
            Body::Entry(entry) => {
                found.entries += 1;
                back.extend(with_text(line.raw, entry.text()));
            }
            Body::Broken(damage) => {
                found.broken += 1;
                found.salvaged += damage.pieces.len() as u64;
                let mut from = 0;
                for piece in damage.pieces {
                    let between = line.raw.get(from..piece.start);
                    let whole = line.raw.get(piece.clone());
                    back.extend_from_slice(between.context("pieces are out of order")?);
                    back.extend_from_slice(whole.context("a piece is outside of its line")?);
                    from = piece.end;
                }
                back.extend_from_slice(line.raw.get(from..).context("a piece is too long")?);
            }
            _ => anyhow::bail!("line {} is of a kind that is not known here", line.ordinal),
        }
        back.extend_from_slice(line.end.bytes());
    }
    Ok(back)
}

/// The line made from the text of its entry: the text is what the entry has, the rest stood around
/// it. A line that is not UTF-8 has a text for people only, so its own bytes are written.
fn with_text(raw: &[u8], text: &str) -> Vec<u8> {
    let Ok(line) = std::str::from_utf8(raw) else {
        return raw.to_vec();
    };
    let (before, rest) = line.split_at(line.find('{').unwrap_or(0));
    let after = rest.get(text.len()..).unwrap_or_default();
    [before, text, after].concat().into_bytes()
}

/// Every session file below a folder, in order.
pub(crate) fn session_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = paths(folder)?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    Ok(files)
}

fn paths(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(files_below(folder)?
        .into_iter()
        .map(|(path, ..)| path)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_files_come_back() {
        for file in claw_testkit::corpus::hostile_contents() {
            let found = read_back(file.name, &file.bytes);
            assert_eq!(found.different, [""; 0], "{}", file.about);
            assert_eq!(found.lines, found.entries + found.broken + found.blank);
        }
    }

    #[test]
    fn a_text_that_is_not_the_line_s_own_shows() {
        let raw = "\u{feff} {\"a\":1} ".as_bytes();
        assert_eq!(with_text(raw, "{\"a\":1}"), raw);
        assert_ne!(with_text(raw, "{\"a\":2}"), raw);
        assert_ne!(with_text(raw, "{\"a\": 1}"), raw);
    }
}
