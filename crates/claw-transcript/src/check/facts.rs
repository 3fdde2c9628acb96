//! What the checks need to know about a line, found in one look.
//!
//! Nothing is decoded that need not be, and no value is refused because of its type: a member is
//! the text of its value until a rule asks what it is.

use std::borrow::Cow;

use super::examine::subtypes;
use super::json::Cursor;
use super::member::{KEPT, Member, Named, PLACES};
use super::said::Said;
use crate::entry::{Dialect, Kind, KindGroup};
use crate::members;

/// The facts of one line that is a JSON object.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// The line's JSON.
    pub(super) text: &'a str,
    kept: [Option<&'a str>; KEPT],
    pub(super) kind: Kind,
    pub(super) dialect: Dialect,
    /// Members that are new, with their values.
    pub(super) unknown: Vec<(Cow<'a, str>, &'a str)>,
    /// The member `message`, when it is an object.
    pub(super) said: Option<Said<'a>>,
    /// The last value of a duplicate member of the line itself.
    pub(super) doubled: Option<&'a str>,
    /// The known members seen so far, by table index.
    seen: [u64; PLACES / 64],
    /// The first escape that is half of a character, in what may be sent to the API.
    pub(super) half_sent: Option<&'a str>,
    /// The same in other members.
    pub(super) half_kept: Option<&'a str>,
}

impl<'a> Facts<'a> {
    /// Reads the text of a line; `None` when it is not one JSON object.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        let mut facts = Self {
            text,
            kept: [None; KEPT],
            kind: Kind::Unknown,
            dialect: Dialect::Disk,
            unknown: Vec::new(),
            said: None,
            doubled: None,
            seen: [0; PLACES / 64],
            half_sent: None,
            half_kept: None,
        };
        let mut cursor = Cursor::new(text);
        cursor.object(|cursor, name| facts.member(cursor, name?))?;
        if !cursor.is_done() {
            return None;
        }
        if let Some(kind) = facts.string(Member::Type) {
            facts.kind = Kind::of(&kind);
        }
        facts.dialect = facts.find_dialect();
        Some(facts)
    }

    fn member(&mut self, cursor: &mut Cursor<'a>, name: Cow<'a, str>) -> Option<()> {
        let (named, place) = Named::find(&name);
        let value = if named == Named::Kept(Member::Message) {
            let (value, said) = cursor.raw_with(Said::walk)?;
            self.said = said;
            value
        } else {
            cursor.raw()?
        };
        let (word, bit) = (place / 64, 1 << (place % 64));
        let twice = match named {
            Named::Unknown => self.unknown.iter().any(|(known, _)| *known == name),
            _ => self.seen[word] & bit != 0,
        };
        if twice {
            self.doubled = Some(value);
        }
        match named {
            Named::Unknown => self.unknown.push((name, value)),
            Named::Kept(member) => self.kept[member as usize] = Some(value),
            Named::Known => {}
        }
        if named != Named::Unknown {
            self.seen[word] |= bit;
        }
        if let Some(half) = cursor.take_half() {
            let sent = matches!(
                named,
                Named::Kept(Member::Message | Member::Attachment | Member::Content)
            );
            let place = if sent {
                &mut self.half_sent
            } else {
                &mut self.half_kept
            };
            place.get_or_insert(half);
        }
        Some(())
    }

    /// The JSON text of a member. The last of several counts, as it does for the CLI.
    pub(super) fn get(&self, member: Member) -> Option<&'a str> {
        self.kept[member as usize]
    }

    /// A member that is a string.
    pub(super) fn string(&self, member: Member) -> Option<Cow<'a, str>> {
        members::string(self.get(member)?)
    }

    /// A member that is a string with something in it.
    pub(super) fn id(&self, member: Member) -> Option<Cow<'a, str>> {
        self.string(member).filter(|id| !id.is_empty())
    }

    pub(super) fn is_true(&self, member: Member) -> bool {
        self.get(member) == Some("true")
    }

    /// The same as [`crate::Entry::dialect`], but a message of the document that lost its session
    /// is still one.
    fn find_dialect(&self) -> Dialect {
        if self.kind == Kind::CompactSystem {
            return Dialect::Document;
        }
        let has = |member| self.get(member).is_some();
        if !has(Member::Session) && !has(Member::Parent) {
            let on_disk = !matches!(
                self.kind.group(),
                KindGroup::Stream | KindGroup::Chain | KindGroup::Unknown
            );
            return if on_disk || !has(Member::StreamSession) {
                let conversation = matches!(self.kind, Kind::User | Kind::Assistant | Kind::System);
                if conversation && self.is_of_the_document() {
                    return Dialect::Document;
                }
                Dialect::Disk
            } else {
                Dialect::Stream
            };
        }
        let conversation = matches!(self.kind, Kind::User | Kind::Assistant | Kind::System);
        if conversation && self.is_of_the_document() {
            Dialect::Document
        } else {
            Dialect::Disk
        }
    }

    fn is_of_the_document(&self) -> bool {
        let has = |member| self.get(member).is_some();
        if let Some(message) = self.get(Member::Message) {
            return message.starts_with('"');
        }
        let subtypes = subtypes(self.kind);
        let own = [
            Member::ToolName,
            Member::ToolArguments,
            Member::Deleted,
            Member::Aborted,
        ];
        !has(Member::Version)
            && (own.into_iter().any(has)
                || self
                    .id(Member::Subtype)
                    .is_some_and(|subtype| subtypes.contains(&&*subtype))
                || !has(Member::Content))
    }
}
