//! Excerpts around matches.

use std::ops::Range;

use super::pattern::Pattern;

/// An excerpt of a text, with marked matches.
///
/// ```
/// # use claw_transcript::Snippet;
/// fn marked(snippet: &Snippet) -> String {
///     let mut out = String::new();
///     let mut at = 0;
///     for range in &snippet.matches {
///         out += &snippet.text[at..range.start];
///         out += "**";
///         out += &snippet.text[range.clone()];
///         out += "**";
///         at = range.end;
///     }
///     out + &snippet.text[at..]
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippet {
    /// The text, without JSON escapes.
    pub text: String,
    /// The positions of the matches, in order and without overlaps.
    pub matches: Vec<Range<usize>>,
    /// Whether the text is truncated at the start.
    pub cut_before: bool,
    /// Whether the text is truncated at the end.
    pub cut_after: bool,
}

impl Snippet {
    /// The excerpt around the first match in some pieces of text, and the number of matches in all
    /// of them.
    pub(super) fn of(
        pieces: &[impl AsRef<str>],
        pattern: &Pattern,
        context: usize,
    ) -> (Self, usize) {
        let mut count = 0;
        let mut snippet = None;
        for piece in pieces {
            let piece = piece.as_ref();
            let mut ranges: Vec<Range<usize>> = Vec::new();
            let mut window = 0..0;
            pattern.find(piece, |found| {
                count += 1;
                if snippet.is_none() && ranges.is_empty() {
                    window = around(piece, found, context);
                    ranges.push(found.clone());
                } else if snippet.is_none() && found.end <= window.end {
                    ranges.push(found.clone());
                }
                true
            });
            if snippet.is_none() && !ranges.is_empty() {
                snippet = Some(Self::cut(piece, window, &ranges));
            }
        }
        // An empty match marks nothing; show the start instead.
        let snippet = snippet.unwrap_or_else(|| {
            let piece = pieces.first().map_or("", AsRef::as_ref);
            Self::cut(piece, around(piece, &(0..0), context), &[])
        });
        (snippet, count)
    }

    fn cut(piece: &str, window: Range<usize>, ranges: &[Range<usize>]) -> Self {
        let shown = ranges.iter().map(|range| {
            let end = range.end.min(window.end);
            range.start - window.start..end - window.start
        });
        Self {
            matches: shown.collect(),
            cut_before: window.start > 0,
            cut_after: window.end < piece.len(),
            text: piece[window].to_owned(),
        }
    }
}

/// The maximum length of a match in an excerpt: `(?s).*` matches megabytes.
const LONGEST: usize = 4096;

/// The range of a match with `context` characters on both sides.
fn around(piece: &str, found: &Range<usize>, context: usize) -> Range<usize> {
    let before = piece[..found.start].char_indices().rev();
    let start = before
        .take(context)
        .last()
        .map_or(found.start, |(at, _)| at);
    if found.len() > LONGEST {
        let mut end = found.start + LONGEST;
        while !piece.is_char_boundary(end) {
            end -= 1;
        }
        return start..end;
    }
    let mut behind = piece[found.end..].char_indices();
    let end = behind
        .nth(context)
        .map_or(piece.len(), |(at, _)| found.end + at);
    start..end
}
