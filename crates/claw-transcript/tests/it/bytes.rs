//! Files are written back byte for byte from what was read.

use std::path::{Path, PathBuf};

use claw_testkit::corpus::{SessionCorpus, hostile_files, traps};
use claw_testkit::figure::{Figure, record};
use claw_transcript::{Body, Lines};

use crate::is_full;
use crate::scratch::{session_files_under, testdata};

/// What is in some files, and which of them came back changed.
#[derive(Default)]
struct Found {
    bytes: usize,
    lines: u64,
    entries: u64,
    broken: u64,
    /// Whole entries inside of broken lines.
    salvaged: usize,
    blank: u64,
    different: Vec<String>,
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let files = session_files_under(folder).into_iter();
    files.map(|file| file.path).collect()
}

#[test]
fn every_file_is_written_back_as_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = |name| folder.path().join(name);
    traps::write_all(&made("traps")).expect("traps");
    let corpus = SessionCorpus::of_megabytes(if is_full() { 1000.0 } else { 12.0 });
    corpus.seed(7).write(&made("generated")).expect("a corpus");
    let recorded = [testdata().join("cli"), testdata().join("sessions")];
    let kinds = [
        (
            "recorded and hand-made sessions",
            recorded.map(|folder| paths(&folder)).concat(),
        ),
        ("traps", paths(&made("traps"))),
        (
            "hostile files",
            hostile_files(&made("hostile")).expect("hostile files"),
        ),
        ("generated sessions", paths(&made("generated"))),
    ];
    let mut figure = Figure::new(
        "byte identity after read and write, all corpora and every trap",
        "100 %",
    );
    let (mut files, mut different) = (0, Vec::new());
    for (name, paths) in kinds {
        assert!(!paths.is_empty(), "no {name}");
        let mut found = Found::default();
        for path in &paths {
            found.read(path);
        }
        figure = figure.note(format!(
            "{name}: {} files, {:.1} MB, {} lines, of them {} entries, {} broken ({} whole entries in them), {} blank",
            paths.len(),
            found.bytes as f64 / 1e6,
            found.lines,
            found.entries,
            found.broken,
            found.salvaged,
            found.blank
        ));
        files += paths.len();
        different.extend(found.different);
    }
    let same = format!("{} of {files} files", files - different.len());
    let figure = figure.measured(same, different.is_empty());
    record("bytes", vec![figure.list("not the same", different)]);
}

impl Found {
    fn read(&mut self, path: &Path) {
        let bytes = std::fs::read(path).expect("a file");
        self.bytes += bytes.len();
        let name = path.display();
        match self.written_again(&bytes) {
            Some(back) if back == bytes => {}
            Some(back) => {
                let what = format!("{name}: {} bytes became {}", bytes.len(), back.len());
                self.different.push(what);
            }
            None => self.different.push(format!("{name}: pieces out of place")),
        }
    }

    /// The lines, made from what their entries and pieces hold. None if the offset of a line or the
    /// range of a piece is wrong.
    fn written_again(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut back = Vec::with_capacity(bytes.len());
        let mut lines = Lines::new(bytes);
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            (line.offset == back.len() as u64).then_some(())?;
            self.lines += 1;
            match line.body() {
                Body::Blank => {
                    self.blank += 1;
                    back.extend_from_slice(line.raw);
                }
                Body::Entry(entry) => {
                    self.entries += 1;
                    back.extend(with_text(line.raw, entry.text()));
                }
                Body::Broken(damage) => {
                    self.broken += 1;
                    self.salvaged += damage.pieces.len();
                    let mut from = 0;
                    for piece in damage.pieces {
                        back.extend_from_slice(line.raw.get(from..piece.start)?);
                        back.extend_from_slice(line.raw.get(piece.clone())?);
                        from = piece.end;
                    }
                    back.extend_from_slice(line.raw.get(from..)?);
                }
                _ => panic!("an unknown kind of line"),
            }
            back.extend_from_slice(line.end.bytes());
        }
        Some(back)
    }
}

/// A line with the text of its entry, and with what is around that. The text of a line that is not
/// UTF-8 is for people only, so its own bytes are written.
fn with_text(raw: &[u8], text: &str) -> Vec<u8> {
    let Ok(line) = std::str::from_utf8(raw) else {
        return raw.to_vec();
    };
    let (before, rest) = line.split_at(line.find('{').unwrap_or(0));
    let after = rest.get(text.len()..).unwrap_or_default();
    [before, text, after].concat().into_bytes()
}

#[test]
fn text_that_differs_from_its_line_shows() {
    let raw = "\u{feff} {\"a\":1} ".as_bytes();
    assert_eq!(with_text(raw, "{\"a\":1}"), raw);
    assert_ne!(with_text(raw, "{\"a\":2}"), raw);
    assert_ne!(with_text(raw, "{\"a\": 1}"), raw);
}
