//! Reads the members of typed objects.

use crate::extra::{Extra, MemberKey};
use crate::text::Str;
use crate::wire::{Found, Malformed, Reader, Wire};

impl Reader<'_> {
    /// Reads the value of a known member into its field, and keeps the text if the field cannot
    /// represent it exactly. Returns `true`, as [`WireMembers::read_member`] does.
    ///
    /// [`WireMembers::read_member`]: crate::wire::WireMembers::read_member
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    #[inline]
    pub fn field<T: Wire>(
        &mut self,
        slot: &mut T,
        key: MemberKey,
        extra: &mut Extra,
    ) -> Result<bool, Malformed> {
        self.peek()?;
        let start = self.pos;
        if let Some(trail) = self.trail() {
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
                if let Some(trail) = self.trail() {
                    trail.new_shape();
                }
                self.skip()?;
                extra.keep(Str::from_static(key.spelling), self.kept(start)?);
            }
        }
        if let Some(trail) = self.trail() {
            trail.leave();
        }
        Ok(true)
    }

    /// [`Reader::field`] for a member under another accepted spelling: the text is kept under that
    /// spelling, so that it is written back.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn field_as<T: Wire>(
        &mut self,
        slot: &mut T,
        key: &'static str,
        spelling: &'static str,
        extra: &mut Extra,
    ) -> Result<bool, Malformed> {
        self.peek()?;
        let start = self.pos;
        self.field(slot, MemberKey::spelled(spelling), extra)?;
        extra.mark_absent(key);
        extra.keep(Str::from_static(spelling), self.kept(start)?);
        Ok(true)
    }

    /// Keeps a member without a field.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    pub fn unknown_member(&mut self, key: &str, extra: &mut Extra) -> Result<(), Malformed> {
        if let Some(trail) = self.trail() {
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
            // Directly from the line: an intermediate copy would double the memory of a long
            // member.
            extra.append(key, self.slice(start, self.pos)?, rest);
        }
        Ok(())
    }
}
