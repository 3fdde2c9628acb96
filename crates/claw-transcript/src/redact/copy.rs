//! Reads a file through a pass: once to see what is in it, once to write it.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use super::RedactError;
use super::pass::{Memory, Pass};
use super::picture;
use super::remembered::Remembered;
use crate::lines::Lines;

/// What is remembered of a file that was searched.
#[derive(Debug)]
pub(super) struct Seen {
    finds: Remembered,
    /// What the file was like: in one that was changed meanwhile all is searched again.
    state: Option<(u64, SystemTime)>,
}

impl Seen {
    /// Searches a file and gives pseudonyms to what is found. Remembers as much as there is room
    /// for.
    pub(super) fn read(pass: &mut Pass<'_>, path: &Path, room: usize) -> Result<Self, RedactError> {
        let state = state(path);
        if !is_lines(path) {
            let raw = std::fs::read(path).map_err(RedactError::io("read", path))?;
            whole(pass, path, &raw);
            pass.edits.clear();
            let finds = Remembered::default();
            return Ok(Self { finds, state });
        }
        let file = File::open(path).map_err(RedactError::io("open", path))?;
        let mut lines = Lines::new(file);
        pass.memory = Memory::Noting(Remembered::new(room));
        while let Some(line) = lines.next_line().map_err(RedactError::io("read", path))? {
            let before = pass.noticed();
            pass.begin(line.ordinal + 1, line.offset);
            pass.json(line.raw);
            pass.edits.clear();
            let special = pass.noticed() > before;
            if let Memory::Noting(finds) = &mut pass.memory {
                finds.passed(line.ordinal + 1, special);
            }
        }
        let finds = match std::mem::replace(&mut pass.memory, Memory::None) {
            Memory::Noting(finds) => finds,
            _ => Remembered::default(),
        };
        Ok(Self { finds, state })
    }

    /// How many finds are remembered.
    pub(super) fn len(&self) -> usize {
        self.finds.len()
    }
}

/// The length of a file and when it was written.
fn state(path: &Path) -> Option<(u64, SystemTime)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

fn is_lines(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

/// Copies a file through a pass, as what it is.
pub(super) fn copy(
    pass: &mut Pass<'_>,
    path: &Path,
    target: &Path,
    seen: Seen,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    if is_lines(path) {
        return copy_lines(pass, path, target, seen, out);
    }
    // The CLI keeps these short.
    let raw = std::fs::read(path).map_err(RedactError::io("read", path))?;
    pass.line = 1;
    let new = match whole(pass, path, &raw) {
        false => pixel(pass, path),
        true => {
            let lines = memchr::memchr_iter(b'\n', &raw).count() as u64;
            pass.file.lines = lines + u64::from(!raw.is_empty() && !raw.ends_with(b"\n"));
            for place in &mut pass.file.places {
                let before = &raw[..place.offset as usize];
                place.line = 1 + memchr::memchr_iter(b'\n', before).count() as u64;
            }
            let changed: BTreeSet<u64> = pass.file.places.iter().map(|place| place.line).collect();
            pass.file.lines_changed = changed.len() as u64;
            pass.apply(&raw)
        }
    };
    out.write_all(new.as_deref().unwrap_or(&raw))
        .and_then(|()| out.flush())
        .map_err(RedactError::io("write", target))
}

/// Searches all of a file, unless it is no text.
fn whole(pass: &mut Pass<'_>, path: &Path, raw: &[u8]) -> bool {
    if simdutf8::basic::from_utf8(raw).is_err() || raw.contains(&0) {
        return false;
    }
    let json = path.extension().is_some_and(|ending| ending == "json");
    if json && serde_json::from_slice::<serde::de::IgnoredAny>(raw).is_ok() {
        pass.json(raw);
    } else {
        pass.plain(raw);
    }
    true
}

/// What comes in the place of a file that is no text.
fn pixel(pass: &mut Pass<'_>, path: &Path) -> Option<Vec<u8>> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    let pixel = picture::pixel_file(&ending).filter(|_| pass.images);
    match pixel {
        Some(_) => pass.file.images_replaced += 1,
        None => pass.file.not_searched += 1,
    }
    pixel
}

fn copy_lines(
    pass: &mut Pass<'_>,
    path: &Path,
    target: &Path,
    seen: Seen,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    let unchanged = seen.state.is_some() && state(path) == seen.state;
    if unchanged {
        pass.memory = Memory::Telling(seen.finds);
    }
    let file = File::open(path).map_err(RedactError::io("open", path))?;
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next_line().map_err(RedactError::io("read", path))? {
        pass.begin(line.ordinal + 1, line.offset);
        pass.file.lines += 1;
        let new = match stays(pass, line.raw) {
            true => None,
            false => {
                pass.json(line.raw);
                pass.apply(line.raw)
            }
        };
        pass.file.lines_changed += u64::from(new.is_some());
        out.write_all(new.as_deref().unwrap_or(line.raw))
            .and_then(|()| out.write_all(line.end.bytes()))
            .map_err(RedactError::io("write", target))?;
    }
    out.flush().map_err(RedactError::io("write", target))
}

/// Whether nothing can change in the line at hand: nothing was found in it, and nothing that was
/// found elsewhere can be in it.
fn stays(pass: &Pass<'_>, raw: &[u8]) -> bool {
    let plain = match &pass.memory {
        Memory::Telling(finds) => finds.is_plain(pass.line),
        _ => false,
    };
    plain && pass.renamed.is_none() && pass.known.is_none_or(|known| !known.may_be_in(raw))
}
