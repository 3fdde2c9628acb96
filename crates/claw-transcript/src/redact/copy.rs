//! Reads a file twice: to search it, and to write its copy.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use super::error::RedactError;
use super::matches::Matches;
use super::pass::Pass;
use super::pixel;
use crate::lines::Lines;

/// The result of the first pass over a file.
#[derive(Debug)]
pub(super) struct Seen {
    matches: Matches,
    /// The length and the modification time of the file. If they have changed since, the whole file
    /// is searched again.
    state: Option<(u64, SystemTime)>,
}

impl Seen {
    /// Searches a file and assigns pseudonyms to its secrets. Keeps at most `room` finds.
    pub(super) fn read(pass: &mut Pass<'_>, path: &Path, room: usize) -> Result<Self, RedactError> {
        let state = state(path);
        pass.matches = Matches::new(room);
        redact(pass, path, path, &mut io::sink())?;
        let matches = std::mem::take(&mut pass.matches).finish();
        Ok(Self { matches, state })
    }

    pub(super) fn len(&self) -> usize {
        self.matches.len()
    }
}

fn state(path: &Path) -> Option<(u64, SystemTime)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.len(), meta.modified().ok()?))
}

/// Redacts a file that was searched before.
pub(super) fn copy(
    pass: &mut Pass<'_>,
    path: &Path,
    target: &Path,
    seen: Seen,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    if seen.state.is_some() && state(path) == seen.state {
        pass.matches = seen.matches;
    }
    redact(pass, path, target, out)
}

fn redact(
    pass: &mut Pass<'_>,
    path: &Path,
    target: &Path,
    out: &mut dyn Write,
) -> Result<(), RedactError> {
    if path.extension().is_none_or(|ending| ending != "jsonl") {
        // The CLI keeps such files short.
        let raw = std::fs::read(path).map_err(RedactError::io("read", path))?;
        let new = whole(pass, path, &raw);
        return out
            .write_all(new.as_deref().unwrap_or(&raw))
            .and_then(|()| out.flush())
            .map_err(RedactError::io("write", target));
    }
    let file = File::open(path).map_err(RedactError::io("open", path))?;
    let mut lines = Lines::new(file);
    while let Some(line) = lines.next_line().map_err(RedactError::io("read", path))? {
        pass.begin(line.ordinal + 1, line.offset);
        pass.json(line.raw);
        pass.matches.end_line();
        let new = pass.apply(line.raw);
        pass.file.lines += 1;
        pass.file.lines_changed += u64::from(new.is_some());
        out.write_all(new.as_deref().unwrap_or(line.raw))
            .and_then(|()| out.write_all(line.end.bytes()))
            .map_err(RedactError::io("write", target))?;
    }
    out.flush().map_err(RedactError::io("write", target))
}

/// Redacts all of a file that has no lines of JSON; `None` if nothing changes.
fn whole(pass: &mut Pass<'_>, path: &Path, raw: &[u8]) -> Option<Vec<u8>> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    if simdutf8::basic::from_utf8(raw).is_err() || raw.contains(&0) {
        let pixel = pixel::pixel_file(&ending).filter(|_| pass.images);
        match pixel {
            Some(_) => pass.file.images_replaced += 1,
            None => pass.file.not_searched += 1,
        }
        return pixel;
    }
    pass.begin(1, 0);
    if ending == "json" && serde_json::from_slice::<serde::de::IgnoredAny>(raw).is_ok() {
        pass.json(raw);
    } else {
        pass.plain(raw, true);
    }
    let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as u64;
    pass.file.lines = lines(raw) + u64::from(!raw.is_empty() && !raw.ends_with(b"\n"));
    for place in &mut pass.file.places {
        place.line = 1 + lines(&raw[..place.offset as usize]);
    }
    let changed: BTreeSet<u64> = pass.file.places.iter().map(|place| place.line).collect();
    pass.file.lines_changed = changed.len() as u64;
    pass.apply(raw)
}
