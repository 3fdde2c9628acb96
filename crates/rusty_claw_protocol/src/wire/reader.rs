//! A pull reader over one line of JSON.
//!
//! Written by hand because the libraries of the field refuse what the CLI really prints: half
//! surrogates, nesting deeper than 128, raw control characters. It reads forward, once, never
//! recurses over skipped values, and gives out slices of the text.

use std::borrow::Cow;

use crate::audit::Trail;
use crate::extra::{Extra, MemberKey};
use crate::json::{Json, has_controls};
use crate::text::Str;
use crate::wire::{Found, Malformed, Tags, Wire};

/// What typed lists may take in memory whatever the line, and a quarter of a long line on top.
const LIST_MEMORY: usize = 1 << 20;

/// The deepest message on record nests a dozen typed objects.
const MAX_TYPED_DEPTH: usize = 64;

/// Reads one JSON text from front to back.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    /// Open brackets of the value being skipped; kept to save the allocation.
    pub(super) open: Vec<u8>,
    /// The text has control characters, which must not travel on unescaped.
    controls: bool,
    /// Tags are taken from the last of several equal keys instead of the first.
    last_tag_wins: bool,
    duplicate_tag: bool,
    /// How many typed objects are open.
    depth: usize,
    /// How much memory typed lists may still take.
    budget: usize,
    trail: Option<Box<Trail>>,
}

impl<'a> Reader<'a> {
    /// Starts at the front of a text.
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

    /// A reader that also notes what no typed field takes.
    pub(crate) fn auditing(text: &'a str) -> Self {
        Self {
            trail: Some(Box::default()),
            ..Self::new(text)
        }
    }

    /// Reads tags as JavaScript does: of several equal keys the last one counts.
    pub(crate) fn with_last_tag(mut self) -> Self {
        self.last_tag_wins = true;
        self
    }

    /// Whether an object had its tag twice, so that the first one may have misled us.
    pub(crate) fn saw_duplicate_tag(&self) -> bool {
        self.duplicate_tag && !self.last_tag_wins
    }

    pub(crate) fn into_trail(self) -> Option<Box<Trail>> {
        self.trail
    }

    /// Where reading stopped, for messages.
    pub(crate) fn error(&self) -> crate::DecodeError {
        crate::DecodeError::at(self.pos)
    }

    /// Whether only white space is left.
    pub fn at_end(&mut self) -> bool {
        self.skip_space();
        self.pos >= self.text.len()
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The next byte that is not white space, not consumed.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<u8, Malformed> {
        // The CLI prints no white space between tokens, so this is nearly always the answer.
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

    /// Enters an object. `None`, nothing consumed, when the value is of another kind.
    ///
    /// # Errors
    /// The text ends here.
    #[inline]
    pub fn object(&mut self) -> Result<Option<Members>, Malformed> {
        Ok(self.enter(b'{')?.then_some(Members { first: true }))
    }

    /// Consumes an opening bracket, if that is what comes next.
    #[inline]
    pub(super) fn enter(&mut self, bracket: u8) -> Result<bool, Malformed> {
        let is_it = self.peek()? == bracket;
        self.pos += usize::from(is_it);
        Ok(is_it)
    }

    /// The text of the next value, checked, as a value of its own.
    ///
    /// # Errors
    /// The text is not JSON.
    pub fn json(&mut self) -> Result<Json, Malformed> {
        self.peek()?;
        let start = self.pos;
        self.skip()?;
        self.kept(start)
    }

    /// The checked text from `start` to here.
    fn kept(&self, start: usize) -> Result<Json, Malformed> {
        let text = self.slice(start, self.pos)?;
        Ok(if self.controls {
            Json::from_checked(text)
        } else {
            Json::from_clean(text)
        })
    }

    /// Reads the value of a known member into its field and keeps the text where the field cannot
    /// hold it exactly.
    ///
    /// # Errors
    /// The text is not JSON.
    #[inline]
    pub fn field<T: Wire>(
        &mut self,
        slot: &mut T,
        key: MemberKey,
        extra: &mut Extra,
    ) -> Result<(), Malformed> {
        self.peek()?;
        let start = self.pos;
        if let Some(trail) = &mut self.trail {
            trail.enter(key.spelling);
        }
        extra.forget(key);
        match T::read(self)? {
            Found::Exact(value) => *slot = value,
            Found::Null(value) => {
                *slot = value;
                extra.mark_null(key);
            }
            Found::Approx(value) => {
                *slot = value;
                extra.keep(Str::from_static(key.spelling), self.kept(start)?);
            }
            Found::Other => {
                if let Some(trail) = &mut self.trail {
                    trail.new_shape();
                }
                self.skip()?;
                extra.keep(Str::from_static(key.spelling), self.kept(start)?);
            }
        }
        if let Some(trail) = &mut self.trail {
            trail.leave();
        }
        Ok(())
    }

    /// [`Reader::field`] for a member that came under another accepted spelling: the text is kept
    /// under that spelling, so that writing gives it back.
    ///
    /// # Errors
    /// The text is not JSON.
    pub fn field_as<T: Wire>(
        &mut self,
        slot: &mut T,
        key: &'static str,
        spelling: &'static str,
        extra: &mut Extra,
    ) -> Result<(), Malformed> {
        self.peek()?;
        let start = self.pos;
        self.field(slot, MemberKey::spelled(spelling), extra)?;
        extra.mark_absent(key);
        extra.keep(Str::from_static(spelling), self.kept(start)?);
        Ok(())
    }

    /// Keeps a member that no field takes.
    ///
    /// # Errors
    /// The text is not JSON.
    pub fn unknown_member(&mut self, key: &str, extra: &mut Extra) -> Result<(), Malformed> {
        if let Some(trail) = &mut self.trail {
            trail.enter(key);
            trail.unread();
            trail.leave();
        }
        self.peek()?;
        let start = self.pos;
        self.skip()?;
        let rest = self.text.len() - self.pos;
        if self.controls {
            extra.append(key, self.kept(start)?.text(), rest);
        } else {
            // Straight from the line: a copy in between would double what a long member needs.
            extra.append(key, self.slice(start, self.pos)?, rest);
        }
        Ok(())
    }

    /// Counts how often a tag of the object being read has come.
    #[inline]
    pub(crate) fn note_tag(&mut self, times: &mut u32) {
        *times += 1;
        self.duplicate_tag |= *times > 1;
    }

    /// Notes whether the object that starts here has one of its tags more than once. Nothing is
    /// consumed.
    ///
    /// # Errors
    /// The text is not JSON.
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

    /// Enters one more typed object; `false` when that is deeper than messages nest.
    #[inline]
    pub(super) fn descend(&mut self) -> bool {
        let fits = self.depth < MAX_TYPED_DEPTH;
        self.depth += usize::from(fits);
        fits
    }

    /// Leaves what [`Reader::descend`] entered.
    #[inline]
    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Takes memory for list items out of what a line of this length may use; `false` when it is
    /// spent. Every real line stays far below; a line of millions of empty objects does not.
    #[inline]
    pub(super) fn afford(&mut self, bytes: usize) -> bool {
        let left = self.budget.checked_sub(bytes);
        self.budget = left.unwrap_or(self.budget);
        left.is_some()
    }

    /// Where the reader stands, to come back to.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            found: self.trail.as_ref().map(|trail| trail.audit.len()),
        }
    }

    /// Comes back to a [`Reader::mark`], and forgets what was noted since.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.pos = mark.pos;
        if let (Some(trail), Some(found)) = (&mut self.trail, mark.found) {
            trail.audit.truncate(found);
        }
    }

    /// The next of members that stand without braces around them; `None` at the end.
    ///
    /// # Errors
    /// The text is not JSON.
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

    /// The string of a member of the object that starts here; of several the last. Nothing is
    /// consumed.
    ///
    /// # Errors
    /// The text is not JSON.
    pub(crate) fn last_string(&mut self, key: &str) -> Result<Option<Str>, Malformed> {
        self.peek()?;
        let start = self.pos;
        let found = self.find_tag(key, true)?.map(|text| Str::from(&*text));
        self.pos = start;
        Ok(found)
    }

    /// The tag of the object that starts here. Nothing is consumed. `None` when it has none, or
    /// one that is not a string.
    ///
    /// # Errors
    /// The text is not JSON.
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

    /// Runs a read that belongs to a member, so that an audit knows where it is.
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

    /// Whether an object starts here. Nothing is consumed.
    ///
    /// # Errors
    /// The text ends here.
    #[inline]
    pub fn is_object(&mut self) -> Result<bool, Malformed> {
        Ok(self.peek()? == b'{')
    }

    /// Notes which alternative of a tagged type is being read.
    #[inline]
    pub fn enter_variant(&mut self, tag: Option<&str>) {
        if let Some(trail) = &mut self.trail {
            trail.enter(&format!("<{}>", tag.unwrap_or("")));
        }
    }

    /// Ends what [`Reader::enter_variant`] began.
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

/// A place to come back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    pos: usize,
    /// How much an audit had found by then.
    found: Option<[usize; 4]>,
}

/// The members of an object being read.
#[derive(Debug)]
pub struct Members {
    first: bool,
}

impl Members {
    /// The next key; the reader then stands at its value, which must be taken before the next
    /// call. `None` at the end of the object.
    ///
    /// # Errors
    /// The text is not JSON.
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
    /// Whether another item follows in the container that `close` ends; consumes the comma or
    /// the closing bracket.
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
