//! The facts of one line, found in one pass.
//!
//! [`Facts::read`] walks over a line once and keeps slices of its text: the members that any part
//! of this crate uses ([`Member`]), the message and its content blocks. Nothing is decoded, and no
//! value is rejected because of its type. Check, tree, usage and export read lines this way; search
//! and repair read an [`crate::Entry`] first. Add a [`Member`] if you need another one.
//!
//! - [`Facts::get`] returns a member as JSON, [`Facts::string`] and [`Facts::id`] decode it.
//! - [`Facts::parts`] (in `entry/part.rs`) returns texts, tool calls and results in any dialect,
//!   without another pass; [`Facts::flags`] the flags.
//! - [`crate::Entry`] is the public view of a line; [`crate::Entry::facts`] returns its facts.
//!
//! A line that is not one JSON object has no facts: see [`crate::salvage`].

mod member;
mod message;

use std::borrow::Cow;

use crate::entry::{Dialect, Kind, ParentRef};
use crate::json::Cursor;
use crate::members::{self, Members};

pub(crate) use member::Member;
use member::{KEPT, Named, SLOTS};
pub(crate) use message::{Block, Content, Message};

/// The facts of one line that is a JSON object.
#[derive(Debug, Clone)]
pub(crate) struct Facts<'a> {
    /// The line's JSON.
    pub(crate) text: &'a str,
    kept: [Option<&'a str>; KEPT],
    pub(crate) kind: Kind,
    pub(crate) dialect: Dialect,
    /// The member `message`, if it is an object.
    pub(crate) message: Option<Message<'a>>,
    /// Members with unknown names.
    pub(crate) unknown: Vec<(Cow<'a, str>, &'a str)>,
    /// The last value of a duplicate member of the line itself that is known.
    pub(crate) doubled: Option<&'a str>,
    /// The known members seen so far, by table index.
    seen: [u64; SLOTS / 64],
    /// The first lone surrogate in the members that may be sent to the API.
    pub(crate) lone_sent: Option<&'a str>,
    /// The first lone surrogate in other members.
    pub(crate) lone_kept: Option<&'a str>,
}

impl Default for Facts<'_> {
    fn default() -> Self {
        Self {
            text: "",
            kept: [None; KEPT],
            kind: Kind::Unknown,
            dialect: Dialect::Disk,
            message: None,
            unknown: Vec::new(),
            doubled: None,
            seen: [0; SLOTS / 64],
            lone_sent: None,
            lone_kept: None,
        }
    }
}

impl<'a> Facts<'a> {
    /// Reads the text of a line; `None` if it is not one JSON object.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        Self::walk(text, Cursor::new(text))
    }

    /// Reads a line that may have control characters in strings. The CLI skips such lines, but a
    /// reply in one was paid for.
    #[cfg(feature = "usage")]
    pub(crate) fn read_lenient(text: &'a str) -> Option<Self> {
        Self::walk(text, Cursor::lenient(text))
    }

    fn walk(text: &'a str, mut cursor: Cursor<'a>) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        let mut facts = Self {
            text,
            ..Self::default()
        };
        cursor.object(|cursor, name| facts.member(cursor, name?))?;
        if !cursor.is_done() {
            return None;
        }
        if let Some(kind) = facts.string(Member::Type) {
            facts.kind = Kind::of(&kind);
        }
        facts.dialect = Dialect::of(facts.kind, |member| facts.get(member));
        Some(facts)
    }

    fn member(&mut self, cursor: &mut Cursor<'a>, name: Cow<'a, str>) -> Option<()> {
        let (named, slot) = Named::find(&name);
        let value = if named == Named::Kept(Member::Message) {
            let (value, message) = cursor.raw_with(Message::walk)?;
            self.message = message;
            value
        } else {
            cursor.raw()?
        };
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        match named {
            Named::Unknown => self.unknown.push((name, value)),
            Named::Kept(member) => self.kept[member as usize] = Some(value),
            Named::Known => {}
        }
        if named != Named::Unknown {
            if self.seen[word] & bit != 0 {
                self.doubled = Some(value);
            }
            self.seen[word] |= bit;
        }
        if let Some(lone) = cursor.take_lone_surrogate() {
            let is_sent = matches!(
                named,
                Named::Kept(Member::Message | Member::Attachment | Member::Content)
            );
            let first = if is_sent {
                &mut self.lone_sent
            } else {
                &mut self.lone_kept
            };
            first.get_or_insert(lone);
        }
        Some(())
    }

    /// The JSON of a member. The last of several counts, as in the CLI.
    pub(crate) fn get(&self, member: Member) -> Option<&'a str> {
        self.kept[member as usize]
    }

    /// A member that is a string.
    pub(crate) fn string(&self, member: Member) -> Option<Cow<'a, str>> {
        members::string(self.get(member)?)
    }

    /// A member that is a string and not empty.
    pub(crate) fn id(&self, member: Member) -> Option<Cow<'a, str>> {
        self.string(member).filter(|id| !id.is_empty())
    }

    /// Returns whether a member is exactly `true`.
    pub(crate) fn is_true(&self, member: Member) -> bool {
        self.get(member) == Some("true")
    }

    /// A member that is an object.
    pub(crate) fn object(&self, member: Member) -> Option<Members<'a>> {
        Members::read(self.get(member)?)
    }

    /// The message of a user or assistant line on disk.
    #[cfg(feature = "check")]
    pub(crate) fn api_message(&self) -> Option<&Message<'a>> {
        match (self.kind, self.dialect) {
            (Kind::User | Kind::Assistant, Dialect::Disk) => self.message.as_ref(),
            _ => None,
        }
    }

    /// The content blocks of the message.
    pub(crate) fn blocks(&self) -> &[Block<'a>] {
        self.message.as_ref().map_or(&[], Message::blocks)
    }

    pub(crate) fn parent(&self) -> ParentRef<'a> {
        ParentRef::of(self.get(Member::Parent))
    }

    /// The time in milliseconds since 1970; `None` if it cannot be parsed.
    pub(crate) fn time_ms(&self) -> Option<i64> {
        crate::time::parse_ms(&self.id(Member::Timestamp)?)
    }
}

#[cfg(test)]
pub(crate) mod tests;
