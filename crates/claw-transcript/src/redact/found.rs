//! The positions of secrets in a text.

use super::text::Unescaped;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// An index of `Finder::kinds`.
    pub(super) kind: usize,
    pub(super) form: Form,
}

/// The notation of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// With escapes of URLs, HTML or source code, or characters without width.
    Markup,
    /// In parts, with spaces or line ends between them.
    Parts,
    /// Any notation of a known secret, by its number.
    Known(usize),
}

impl Found {
    pub(super) fn plain(start: usize, end: usize, kind: usize) -> Self {
        Self {
            start,
            end,
            kind,
            form: Form::Plain,
        }
    }

    /// Converts a find in a text without escapes to a find in its source.
    pub(super) fn in_source(self, unescaped: &Unescaped<'_>) -> Self {
        Self {
            start: unescaped.source(self.start),
            end: unescaped.source(self.end),
            form: match self.form {
                Form::Known(_) => self.form,
                _ => Form::Markup,
            },
            kind: self.kind,
        }
    }
}

/// Sorts finds and merges overlapping ones into one that covers them all, because the rest of one
/// may reveal the other. It has the kind of the one that covers everything, or else of the first in
/// order of precedence.
pub(super) fn merged(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.start, found.end));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    let mut rest = found.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end;
        let mut count = 1;
        while let Some(next) = rest.get(count).filter(|next| next.start < end) {
            end = end.max(next.end);
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        let is_whole = |found: &Found| (found.start, found.end) == (first.start, end);
        let is_known = |found: &Found| matches!(found.form, Form::Known(_));
        let rank = |found: &&Found| (!is_whole(found), is_known(found), found.kind);
        let best = group.iter().min_by_key(rank);
        merged.extend(best.map(|best| match is_whole(best) {
            true => *best,
            false => Found::plain(first.start, end, best.kind),
        }));
        rest = others;
    }
    merged
}
