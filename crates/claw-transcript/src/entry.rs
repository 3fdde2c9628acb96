//! Entries: lines that are JSON objects.
//!
//! Reading an entry finds its members and nothing more. The text of the line is kept as it is.

mod dialect;
mod flags;
mod kind;
mod parent;
mod part;
mod salvage;

use std::borrow::Cow;
use std::ops::Range;

use crate::facts::Facts;
use crate::lines::{Line, readable};
use crate::members::{self, Members};

pub use dialect::Dialect;
pub use flags::Flags;
pub use kind::{Kind, KindGroup};
pub use parent::ParentRef;
pub use part::Part;
#[cfg(feature = "export")]
pub(crate) use part::TELLING;
#[cfg(feature = "repair")]
pub(crate) use salvage::whole_object;
pub use salvage::{Damage, salvage};

/// The content of a line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Body<'a> {
    /// White space, or the NUL bytes that a crash leaves.
    Blank,
    /// A JSON object, known or not.
    Entry(Entry<'a>),
    /// Anything else. It may contain whole entries, see [`Damage::pieces`].
    Broken(Damage),
}

impl<'a> Body<'a> {
    /// Reads a line. Never fails, whatever the bytes are.
    pub fn read(raw: &'a [u8]) -> Self {
        match Entry::read(raw) {
            Some(entry) => Self::Entry(entry),
            None => Damage::of(raw).map_or(Self::Blank, Self::Broken),
        }
    }

    /// The entry, if the line is one.
    pub fn entry(&self) -> Option<&Entry<'a>> {
        match self {
            Self::Entry(entry) => Some(entry),
            _ => None,
        }
    }
}

impl<'a> Line<'a> {
    /// Reads the content of the line.
    pub fn body(&self) -> Body<'a> {
        Body::read(self.raw)
    }
}

/// A line that is a JSON object: a view on its text.
///
/// ```
/// use claw_transcript::{Entry, Kind, Part};
///
/// let line = br#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hello"}}"#;
/// let entry = Entry::read(line).expect("an object");
/// assert_eq!(entry.kind(), Kind::User);
/// assert!(matches!(&entry.parts()[..], [Part::Text(text)] if text == "hello"));
/// ```
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    text: Cow<'a, str>,
    members: Vec<MemberRange>,
    kind: Kind,
    dialect: Dialect,
}

/// A member by its position in the text.
#[derive(Debug, Clone)]
struct MemberRange {
    /// The decoded name.
    name: Name,
    value: Range<usize>,
}

#[derive(Debug, Clone)]
enum Name {
    At(Range<usize>),
    /// Decoded from a name with escapes.
    Own(String),
}

impl<'a> Entry<'a> {
    /// Reads the bytes of a line; `None` if they are not one JSON object.
    pub fn read(raw: &'a [u8]) -> Option<Self> {
        let text = readable(raw);
        let members = Members::read(&text)?;
        let kind = members.string("type");
        let kind = kind.map_or(Kind::Unknown, |kind| Kind::of(&kind));
        let dialect = Dialect::of(kind, |member| members.get(member.name()));
        let range = |part: &str| members::range_in(&text, part);
        let members = members.all().map(|(name, value)| MemberRange {
            name: match name {
                Cow::Borrowed(name) => Name::At(range(name)),
                Cow::Owned(name) => Name::Own(name.clone()),
            },
            value: range(value),
        });
        let members = members.collect();
        Some(Self {
            text,
            members,
            kind,
            dialect,
        })
    }

    /// The JSON, without white space and NUL bytes around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind, from `type`.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The text of `type`; empty if there is none.
    pub fn kind_text(&self) -> Cow<'_, str> {
        self.string("type").unwrap_or_default()
    }

    /// The dialect in which it is written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The JSON text of a member. The last of several counts, as in the CLI.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.members.iter().rev();
        let member = found.find(|member| self.name(member) == name)?;
        Some(&self.text[member.value.clone()])
    }

    /// A member that is a string.
    pub fn string(&self, name: &str) -> Option<Cow<'_, str>> {
        members::string(self.get(name)?)
    }

    /// Returns whether a member is exactly `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// All members in their order, including duplicates.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members
            .iter()
            .map(|member| (self.name(member), &self.text[member.value.clone()]))
    }

    /// A member that is an object.
    pub(crate) fn object(&self, name: &str) -> Option<Members<'_>> {
        Members::read(self.get(name)?)
    }

    fn name<'e>(&'e self, member: &'e MemberRange) -> &'e str {
        match &member.name {
            Name::At(range) => &self.text[range.clone()],
            Name::Own(name) => name,
        }
    }

    /// The id by which other lines refer to this one.
    pub fn uuid(&self) -> Option<Cow<'_, str>> {
        self.id("uuid")
    }

    /// The parent.
    pub fn parent(&self) -> ParentRef<'_> {
        ParentRef::of(self.get("parentUuid"))
    }

    /// The session that the line names.
    pub fn session(&self) -> Option<Cow<'_, str>> {
        self.id("sessionId").or_else(|| self.id("session_id"))
    }

    /// The subagent that it belongs to.
    pub fn agent(&self) -> Option<Cow<'_, str>> {
        self.id("agentId")
    }

    /// The text of `timestamp`.
    pub fn timestamp(&self) -> Option<Cow<'_, str>> {
        self.id("timestamp")
    }

    /// The time in milliseconds since 1970; `None` if it cannot be parsed.
    pub fn time_ms(&self) -> Option<i64> {
        crate::time::parse_ms(&self.timestamp()?)
    }

    /// The directory that the CLI worked in.
    pub fn cwd(&self) -> Option<Cow<'_, str>> {
        self.id("cwd")
    }

    /// The subtype.
    pub fn subtype(&self) -> Option<Cow<'_, str>> {
        self.id("subtype")
    }

    /// For a line that `/branch` or the SDK copied: the session and the line of the original.
    pub fn forked_from(&self) -> Option<(String, String)> {
        let from = self.object("forkedFrom")?;
        let id = |name| from.string(name).map(Cow::into_owned);
        Some((id("sessionId")?, id("messageUuid")?))
    }

    /// The flags, in any dialect.
    pub fn flags(&self) -> Flags {
        self.facts().flags()
    }

    /// The id of the reply that an assistant line is a block of.
    pub fn message_id(&self) -> Option<String> {
        let id = members::string(self.facts().message?.id?)?;
        Some(id.into_owned()).filter(|id| !id.is_empty())
    }

    /// Texts, tool calls and results, in any dialect. Empty for kinds without content.
    pub fn parts(&self) -> Vec<Part<'_>> {
        self.facts().parts()
    }

    /// Everything that one more pass over the line finds in it.
    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts::read(&self.text).unwrap_or_default()
    }

    fn id(&self, name: &str) -> Option<Cow<'_, str>> {
        self.string(name).filter(|id| !id.is_empty())
    }
}

#[cfg(test)]
mod tests;
