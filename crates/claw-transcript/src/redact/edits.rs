//! Replaced pieces of a line.

use std::ops::Range;

/// A piece, and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) place: Range<usize>,
    pub(super) text: String,
}

/// Applies and clears edits; `None` if there are none. Overlapping edits become one, which removes
/// all that any of them covers. Its text is that of the first, or of the longest that begins there.
pub(super) fn apply(edits: &mut Vec<Edit>, raw: &[u8]) -> Option<Vec<u8>> {
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|edit| (edit.place.start, std::cmp::Reverse(edit.place.end)));
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    for (nth, edit) in edits.drain(..).enumerate() {
        let start = edit.place.start.min(raw.len());
        let end = edit.place.end.clamp(start, raw.len());
        if nth == 0 || start >= at {
            out.extend_from_slice(&raw[at..start]);
            out.extend_from_slice(edit.text.as_bytes());
        }
        at = at.max(end);
    }
    out.extend_from_slice(&raw[at..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Edits remove everything that they cover, and nothing else.
        #[test]
        fn overlapping_edits_leave_nothing_of_what_they_cover(
            places in prop::collection::vec((0_usize..40, 0_usize..15), 1..12)
        ) {
            let raw: Vec<u8> = (0..40).map(|at| b'a' + at % 26).collect();
            let mut edits: Vec<Edit> = places
                .iter()
                .map(|(start, length)| Edit {
                    place: *start..(start + length).min(raw.len()),
                    text: "#".to_owned(),
                })
                .collect();
            let covered = |at: usize| edits.iter().any(|edit| edit.place.contains(&at));
            let kept: Vec<u8> = (0..raw.len())
                .filter(|at| !covered(*at))
                .map(|at| raw[at])
                .collect();
            let mut out = apply(&mut edits, &raw).expect("there are edits");
            out.retain(|byte| *byte != b'#');
            prop_assert_eq!(out, kept);
            prop_assert!(edits.is_empty());
        }
    }
}
