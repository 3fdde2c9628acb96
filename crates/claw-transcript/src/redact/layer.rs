//! Text inside of text: where a place in the innermost is written in the line.

use std::ops::Range;

use super::decoded::Decoded;

/// A string that was read without its escapes, in a text that may be such a string itself.
pub(super) struct Layer<'a> {
    decoded: &'a Decoded<'a>,
    /// Where the string is written in the text around it.
    base: usize,
    outer: Option<&'a Layer<'a>>,
    pub(super) depth: usize,
}

impl<'a> Layer<'a> {
    pub(super) fn new(decoded: &'a Decoded<'a>, base: usize, outer: Option<&'a Layer<'a>>) -> Self {
        Self {
            decoded,
            base,
            outer,
            depth: outer.map_or(1, |outer| outer.depth + 1),
        }
    }

    fn place(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.base + self.decoded.raw_at(range.start);
        let end = self.base + self.decoded.raw_at(range.end);
        written(start..end, self.outer)
    }
}

/// Where in the line a place in a text is written, given what the text stands in.
pub(super) fn written(range: Range<usize>, layer: Option<&Layer<'_>>) -> Range<usize> {
    match layer {
        Some(layer) => layer.place(&range),
        None => range,
    }
}
