//! A pull parser for one line of JSON.
//!
//! Written by hand because existing libraries reject what the CLI prints: lone surrogates, nesting
//! deeper than 128, raw control characters. It reads forward in one pass, does not recurse over
//! skipped values, and returns slices of the text.

use std::borrow::Cow;

use crate::audit::Trail;
use crate::json::{Json, has_controls};
use crate::text::Str;
use crate::wire::{Malformed, Tags};

/// The memory limit for typed lists; a quarter of the line's length is added.
const LIST_MEMORY: usize = 1 << 20;

/// The deepest recorded message nests a dozen typed objects.
const MAX_TYPED_DEPTH: usize = 64;

/// Reads a JSON text from front to back.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    /// Open brackets of the skipped value; reused to avoid allocations.
    pub(super) open: Vec<u8>,
    /// Whether the text has control characters, which must be escaped in copies.
    pub(super) controls: bool,
    /// Whether the last of several equal tags counts instead of the first.
    last_tag_wins: bool,
    duplicate_tag: bool,
    /// Number of open typed objects.
    depth: usize,
    /// Remaining memory for typed lists.
    budget: usize,
    trail: Option<Box<Trail>>,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the start of a text.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            open: Vec::new(),
            controls: has_controls(text),
            last_tag_wins: false,
            duplicate_tag: false,
            depth: 0,
            budget: LIST_MEMORY + text.len() / 4,
            trail: None,
        }
    }

    /// Creates a reader that also records what no typed field reads.
    pub(crate) fn auditing(text: &'a str) -> Self {
        Self {
            trail: Some(Box::default()),
            ..Self::new(text)
        }
    }

    /// Uses the last of several equal tags, as JavaScript does.
    pub(crate) fn with_last_tag(mut self) -> Self {
        self.last_tag_wins = true;
        self
    }

    /// Returns whether an object had a duplicate tag, so that the first one may be the wrong one.
    pub(crate) fn saw_duplicate_tag(&self) -> bool {
        self.duplicate_tag && !self.last_tag_wins
    }

    pub(crate) fn into_trail(self) -> Option<Box<Trail>> {
        self.trail
    }

    /// Returns an error at the current position.
    pub(crate) fn error(&self) -> crate::DecodeError {
        crate::DecodeError::at(self.pos)
    }

    /// Returns whether only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.pos >= self.text.len()
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Returns the next byte that is not white space, without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, Malformed> {
        // The CLI prints no white space between tokens, so this is the usual case.
        match self.bytes().get(self.pos) {
            Some(&byte) if byte > b' ' => Ok(byte),
            _ => {
                self.skip_space();
                self.bytes().get(self.pos).copied().ok_or(Malformed)
            }
        }
    }

    #[inline]
    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes().get(self.pos) {
            self.pos += 1;
        }
    }

    #[inline]
    pub(super) fn slice(&self, start: usize, end: usize) -> Result<&'a str, Malformed> {
        self.text.get(start..end).ok_or(Malformed)
    }

    /// Enters an object. Returns `None`, with nothing consumed, for another type of value.
    ///
    /// # Errors
    /// Returns an error if the text ends here.
    #[inline]
    pub fn object(&mut self) -> Result<Option<Members>, Malformed> {
        Ok(self.enter(b'{')?.then_some(Members { first: true }))
    }

    /// Consumes an opening bracket, if it is next.
    #[inline]
    pub(super) fn enter(&mut self, bracket: u8) -> Result<bool, Malformed> {
        let is_it = self.peek()? == bracket;
        self.pos += usize::from(is_it);
        Ok(is_it)
    }

    /// Reads the next value as validated text.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn json(&mut self) -> Result<Json, Malformed> {
        self.peek()?;
        let start = self.pos;
        self.skip()?;
        self.kept(start)
    }

    /// Returns the validated text from `start` to the current position.
    pub(super) fn kept(&self, start: usize) -> Result<Json, Malformed> {
        let text = self.slice(start, self.pos)?;
        Ok(if self.controls {
            Json::from_checked(text)
        } else {
            Json::from_clean(text)
        })
    }

    /// Counts the occurrences of a tag of the current object.
    #[inline]
    pub(crate) fn note_tag(&mut self, times: &mut u32) {
        *times += 1;
        self.duplicate_tag |= *times > 1;
    }

    /// Records whether the object at this position has a duplicate tag. Nothing is consumed.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub(crate) fn note_duplicate_tags(&mut self, tags: Tags) -> Result<(), Malformed> {
        let start = self.pos;
        let mut times = [0; 3];
        if let Some(mut members) = self.object()? {
            while let Some(key) = members.next(self)? {
                let tag = tags.names().iter().position(|tag| *tag == key);
                if let Some(times) = tag.and_then(|index| times.get_mut(index)) {
                    self.note_tag(times);
                }
                self.leap()?;
            }
        }
        self.pos = start;
        Ok(())
    }

    /// Enters a typed object; returns `false` if it is nested deeper than messages are.
    #[inline]
    pub(super) fn descend(&mut self) -> bool {
        let fits = self.depth < MAX_TYPED_DEPTH;
        self.depth += usize::from(fits);
        fits
    }

    /// Leaves a typed object.
    #[inline]
    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Takes memory for list items from the budget of the line; returns `false` if it is exhausted.
    /// All real lines stay far below; a line of millions of empty objects does not.
    #[inline]
    pub(super) fn afford(&mut self, bytes: usize) -> bool {
        let left = self.budget.checked_sub(bytes);
        self.budget = left.unwrap_or(self.budget);
        left.is_some()
    }

    /// Returns the current position.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            found: self.trail.as_ref().map(|trail| trail.audit.len()),
        }
    }

    /// Returns to a [`Reader::mark`] and drops what was recorded since.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.pos = mark.pos;
        if let (Some(trail), Some(found)) = (&mut self.trail, mark.found) {
            trail.audit.truncate(found);
        }
    }

    /// Reads the next member of a text without braces; returns `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub(crate) fn bare_member(&mut self) -> Result<Option<(Cow<'a, str>, Json)>, Malformed> {
        if self.at_end() {
            return Ok(None);
        }
        let mut members = Members {
            first: self.pos == 0,
        };
        let Some(key) = members.next(self)? else {
            return Ok(None);
        };
        Ok(Some((key, self.json()?)))
    }

    /// Returns a string member of the object at this position; the last duplicate wins. Nothing is
    /// consumed.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub(crate) fn last_string(&mut self, key: &str) -> Result<Option<Str>, Malformed> {
        self.peek()?;
        let start = self.pos;
        let found = self.find_tag(key, true)?.map(|text| Str::from(&*text));
        self.pos = start;
        Ok(found)
    }

    /// Returns the tag of the object at this position; `None` if there is none or it is not a
    /// string. Nothing is consumed.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn tag(&mut self, tag: &str) -> Result<Option<Cow<'a, str>>, Malformed> {
        self.peek()?;
        let start = self.pos;
        let found = self.find_tag(tag, self.last_tag_wins);
        self.pos = start;
        found
    }

    fn find_tag(&mut self, tag: &str, last_wins: bool) -> Result<Option<Cow<'a, str>>, Malformed> {
        let Some(mut members) = self.object()? else {
            return Ok(None);
        };
        let mut found = None;
        while let Some(key) = members.next(self)? {
            if key == tag {
                found = self.string()?;
                if !last_wins {
                    break;
                }
                if found.is_none() {
                    self.leap()?;
                }
            } else {
                self.leap()?;
            }
        }
        Ok(found)
    }

    /// Runs a read within a member, so that an audit has its path.
    pub(crate) fn within<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<T, Malformed> {
        if let Some(trail) = &mut self.trail {
            trail.enter(key);
        }
        let value = read(self)?;
        if let Some(trail) = &mut self.trail {
            trail.leave();
        }
        Ok(value)
    }

    /// Returns whether an object starts here. Nothing is consumed.
    ///
    /// # Errors
    /// Returns an error if the text ends here.
    #[inline]
    pub fn is_object(&mut self) -> Result<bool, Malformed> {
        Ok(self.peek()? == b'{')
    }

    /// Records which variant of a tagged type is being read.
    #[inline]
    pub fn enter_variant(&mut self, tag: Option<&str>) {
        if let Some(trail) = &mut self.trail {
            trail.enter(&format!("<{}>", tag.unwrap_or("")));
        }
    }

    /// Leaves the variant.
    #[inline]
    pub fn leave_variant(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.leave();
        }
    }

    pub(super) fn trail(&mut self) -> Option<&mut Trail> {
        self.trail.as_deref_mut()
    }

    pub(crate) fn note_opaque(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.opaque();
        }
    }

    pub(crate) fn note_unknown(&mut self, tag: Option<&str>) {
        if let Some(trail) = &mut self.trail {
            trail.unknown(tag);
        }
    }
}

/// A saved position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pos: usize,
    /// Number of audit findings at that point.
    found: Option<[usize; 4]>,
}

/// The members of an object being read.
#[derive(Debug)]
pub struct Members {
    first: bool,
}

impl Members {
    /// Returns the next key, or `None` at the end of the object. The reader is then at its value,
    /// which must be read before the next call.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    #[inline]
    pub fn next<'a>(&mut self, reader: &mut Reader<'a>) -> Result<Option<Cow<'a, str>>, Malformed> {
        if !reader.more(&mut self.first, b'}')? {
            return Ok(None);
        }
        if reader.peek()? != b'"' {
            return Err(Malformed);
        }
        let key = reader.string()?.ok_or(Malformed)?;
        if reader.peek()? != b':' {
            return Err(Malformed);
        }
        reader.pos += 1;
        Ok(Some(key))
    }
}

impl Reader<'_> {
    /// Returns whether another item follows in the container that `close` ends; consumes the comma
    /// or the closing bracket.
    #[inline]
    pub(super) fn more(&mut self, first: &mut bool, close: u8) -> Result<bool, Malformed> {
        let byte = self.peek()?;
        if byte == close {
            self.pos += 1;
            return Ok(false);
        }
        if !std::mem::take(first) {
            if byte != b',' {
                return Err(Malformed);
            }
            self.pos += 1;
        }
        Ok(true)
    }
}
