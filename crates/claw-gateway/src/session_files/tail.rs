//! The end of a copy. Does no I/O.

use std::collections::{HashMap, HashSet, VecDeque};

use bytes::Bytes;

use super::{is_unmirrored, uuid_of};

/// The number of lines at the end of a copy that are recognized.
pub(super) const LINES: u64 = 1024;

/// The lines at the end of a copy, to recognize lines that it has.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail {
    /// The number of the last line.
    pub(super) last: u64,
    /// The numbers of lines by their uuids.
    uuids: HashMap<Box<str>, u64>,
    order: VecDeque<Box<str>>,
    /// The lines without a uuid since the last line that has one.
    others: HashSet<Bytes>,
}

impl Tail {
    /// The end of a copy whose last line is `last`.
    pub(super) fn new(first: u64, lines: &[Bytes]) -> Self {
        let mut tail = Self {
            last: first,
            ..Self::default()
        };
        tail.add(lines);
        tail
    }

    /// Records lines that were appended.
    pub(super) fn add(&mut self, lines: &[Bytes]) {
        for line in lines {
            self.last += 1;
            let Some(uuid) = uuid_of(line) else {
                self.others.insert(line.clone());
                continue;
            };
            self.others.clear();
            if self.uuids.insert(uuid.clone(), self.last).is_none() {
                self.order.push_back(uuid);
            }
            if self.order.len() as u64 > LINES
                && let Some(oldest) = self.order.pop_front()
            {
                self.uuids.remove(&oldest);
            }
        }
    }

    pub(super) fn has_uuids(&self) -> bool {
        !self.uuids.is_empty()
    }

    pub(super) fn has(&self, uuid: &str) -> bool {
        self.uuids.contains_key(uuid)
    }

    /// Returns the lines that are not stored. Lines of a file are mirrored in order, so those
    /// before a stored line are stored too.
    pub(super) fn fresh(&self, lines: &[Bytes]) -> Vec<Bytes> {
        let is_stored = |line: &Bytes| uuid_of(line).is_some_and(|uuid| self.has(&uuid));
        let stored = lines.iter().rposition(is_stored).map_or(0, |at| at + 1);
        let (before, after) = lines.split_at(stored);
        let is_new = |line: &&Bytes| uuid_of(line).is_some_and(|uuid| !self.has(&uuid));
        let mut seen = HashSet::new();
        let is_first = |line: &&Bytes| uuid_of(line).is_none_or(|uuid| seen.insert(uuid));
        let fresh = before.iter().filter(is_new).chain(after);
        fresh.filter(is_first).cloned().collect()
    }

    /// Returns those of [`Tail::fresh`] that a file has and its copy lacks. Lines without a uuid
    /// that repeat the end of the copy are left out, and so are lines that the CLI does not mirror.
    pub(super) fn fresh_of_file(&self, lines: &[Bytes]) -> Vec<Bytes> {
        let mut fresh = self.fresh(lines);
        fresh.retain(|line| !self.others.contains(line) && !is_unmirrored(line));
        fresh
    }

    /// Returns the line after which the file lacks lines of the copy, if it has none of the later
    /// ones. `known` are the uuids of the copy that the file has.
    pub(super) fn missing(&self, known: &HashSet<Box<str>>) -> Option<u64> {
        let newest = known.iter().filter_map(|uuid| self.uuids.get(uuid)).max()?;
        self.uuids
            .values()
            .any(|line| line > newest)
            .then_some(*newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(names: &[&str]) -> Vec<Bytes> {
        let line = |name: &&str| match name.strip_prefix('-') {
            Some(kind) => format!(r#"{{"type":"{kind}"}}"#),
            None => format!(r#"{{"type":"user","uuid":"{name}"}}"#),
        };
        names.iter().map(|name| line(name).into()).collect()
    }

    #[test]
    fn stored_lines_are_recognized_by_uuid_and_by_order() {
        // The copy, the lines that arrive, and those that are appended.
        type Row = (
            &'static [&'static str],
            &'static [&'static str],
            &'static [&'static str],
        );
        let rows: [Row; 6] = [
            (&[], &["a", "-mode", "b"], &["a", "-mode", "b"]),
            (&["a", "-mode"], &["a", "-mode", "b"], &["-mode", "b"]),
            (
                &["a", "-mode", "b"],
                &["a", "-mode", "b", "-cost"],
                &["-cost"],
            ),
            (&["a"], &["b", "b"], &["b"]),
            // A line that is new although a later one is stored.
            (&["a", "c"], &["b", "-mode", "c"], &["b"]),
            (&["-mode"], &["-mode"], &["-mode"]),
        ];
        for (stored, arrived, appended) in rows {
            let tail = Tail::new(0, &lines(stored));
            assert_eq!(tail.last, stored.len() as u64);
            assert_eq!(tail.fresh(&lines(arrived)), lines(appended), "{arrived:?}");
        }
    }

    #[test]
    fn lines_of_a_file_at_the_end_of_its_copy_are_not_added_again() {
        let tail = Tail::new(0, &lines(&["a", "-cost", "-title"]));
        let file = lines(&["-cost", "-title", "-api-request-x", "b", "-mode"]);
        assert_eq!(tail.fresh_of_file(&file), lines(&["b", "-mode"]));
    }

    #[test]
    fn a_file_is_behind_if_it_has_no_later_line_of_the_copy() {
        let tail = Tail::new(10, &lines(&["a", "-mode", "b", "c"]));
        let missing = |known: &[&str]| {
            let known = known.iter().map(|uuid| Box::from(*uuid)).collect();
            tail.missing(&known)
        };
        assert_eq!(missing(&["a"]), Some(11));
        assert_eq!(missing(&["a", "b"]), Some(13));
        assert_eq!(missing(&["c"]), None);
        assert_eq!(missing(&[]), None);
    }

    #[test]
    fn a_tail_has_a_bounded_number_of_uuids() {
        let mut tail = Tail::default();
        for number in 0..2 * LINES {
            tail.add(&lines(&[&format!("u{number}")]));
        }
        assert_eq!(tail.uuids.len() as u64, LINES);
        assert!(tail.has("u2047") && !tail.has("u0"));
        assert_eq!(tail.last, 2 * LINES);
    }
}
