//! wget without a terminal: rows of dots, and a line with a date at the end.

use super::label_of;
use crate::progress::parser::counters::counters;
use crate::progress::parser::page::Page;
use crate::progress::parser::reading::{KNOWN_FORM, update};
use crate::progress::{ProgressKind, ProgressState, ProseProgress};

/// How far above the last line the bar may stand.
const BAR_ABOVE: usize = 3;

/// `229376K ........ ........ ........ 95% 11.0M 1s`: how many dots stand together can be chosen.
pub(super) fn is_row(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let counted = rest.len() < text.len() && rest.starts_with("K ");
    let dotted = rest.get(1..).map_or("", str::trim_start);
    counted && dotted.starts_with(['.', ',']) || text.contains(".......... ..........")
}

/// `2026-11-15 09:12:40 (10.9 MB/s) - ‘dump.zst’ saved [279037952/279037952]`, in the languages in
/// which wget says it: the rate and the bytes at the end are the same in all.
///
/// In a terminal the bar above it has said the same.
pub(super) fn saved(page: &Page<'_>, at: usize) -> Option<ProseProgress> {
    let line = page.lines.get(at)?;
    let above = page.between(at.saturating_sub(BAR_ABOVE), at);
    if above.iter().any(|line| line.text.contains("%[")) {
        return None;
    }
    let (stamp, what) = line.text.split_once("/s) - ")?;
    let dated = stamp.starts_with(|c: char| c.is_ascii_digit()) && stamp.contains(" (");
    let (_, bytes) = what.strip_suffix(']')?.rsplit_once(" [")?;
    let plain = bytes.bytes().all(|b| b.is_ascii_digit() || b == b'/');
    let place = counters(&line.tokens).into_iter().last();
    let place = place.filter(|place| dated && plain && place.stroke)?;
    let mut found = update(ProgressKind::Count, KNOWN_FORM);
    found.done = Some(place.done);
    found.total = Some(place.total);
    found.label = label_of(line, place.first, place.after);
    if place.done >= place.total {
        found.state = ProgressState::Finished;
    }
    Some(found)
}
