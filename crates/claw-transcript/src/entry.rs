//! Lines become entries.
//!
//! An entry is a line that is a JSON object, read just far enough to know its members. What a
//! member means is looked up when somebody asks, so that a pass over gigabytes pays only for what
//! it needs, and so that nothing is lost: the text of the line stays what it was.

mod dialect;
mod flags;
mod kind;
mod part;
mod salvage;

use std::borrow::Cow;
use std::ops::Range;

use crate::lines::{Line, readable};
use crate::members::{self, Members};

pub use dialect::Dialect;
pub use flags::Flags;
pub use kind::{Kind, KindGroup};
pub use part::Part;
#[cfg(feature = "export")]
pub(crate) use part::TELLING;
pub use salvage::{Damage, salvage};

/// What a line holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Body<'a> {
    /// Nothing but white space, or the NUL bytes that a crash leaves.
    Blank,
    /// A JSON object, known or not.
    Entry(Entry<'a>),
    /// Something else. Whole entries may lie in it, see [`Damage::pieces`].
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

    /// The entry, when it is one.
    pub fn entry(&self) -> Option<&Entry<'a>> {
        match self {
            Self::Entry(entry) => Some(entry),
            _ => None,
        }
    }
}

impl<'a> Line<'a> {
    /// What the line holds.
    pub fn body(&self) -> Body<'a> {
        Body::read(self.raw)
    }
}

/// What a line says it hangs under.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParentRef<'e> {
    /// The member is not there.
    Absent,
    /// Nothing: it is the first of its chain.
    Root,
    /// The line with this id.
    Id(Cow<'e, str>),
    /// Neither a string nor `null`.
    Odd,
}

impl<'e> ParentRef<'e> {
    /// The id, when there is one.
    pub fn id(self) -> Option<Cow<'e, str>> {
        match self {
            Self::Id(id) => Some(id),
            _ => None,
        }
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
    members: Vec<Member>,
    kind: Kind,
    dialect: Dialect,
}

/// Where a member lies in the text.
#[derive(Debug, Clone)]
struct Member {
    /// Its name, without escapes.
    name: Name,
    value: Range<usize>,
}

#[derive(Debug, Clone)]
enum Name {
    At(Range<usize>),
    /// It was written with escapes.
    Own(String),
}

impl<'a> Entry<'a> {
    /// Reads the bytes of a line; `None` when they are not one JSON object.
    pub fn read(raw: &'a [u8]) -> Option<Self> {
        Self::of_text(readable(raw))
    }

    fn of_text(text: Cow<'a, str>) -> Option<Self> {
        // Most broken lines, and all blank ones, are seen here.
        if !text.starts_with('{') {
            return None;
        }
        let found = Members::read(&text)?;
        let range = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            start..start + part.len()
        };
        let members: Vec<Member> = found
            .all()
            .map(|(name, value)| Member {
                name: match name {
                    Cow::Borrowed(name) => Name::At(range(name)),
                    Cow::Owned(name) => Name::Own(name.clone()),
                },
                value: range(value),
            })
            .collect();
        drop(found);
        Some(Self::with_members(text, members))
    }

    /// Reads the bytes of a line that was read before and is known to be an object, with members
    /// that were found in it: their names as JSON without quotes, and their values.
    #[cfg(feature = "export")]
    pub(crate) fn known(
        text: Cow<'a, str>,
        found: impl FnOnce(&str) -> Vec<(Range<usize>, Range<usize>)>,
    ) -> Self {
        let members = found(&text).into_iter().map(|(name, value)| {
            let written = &text[name.clone()];
            let escaped = written.contains('\\').then(|| format!("\"{written}\""));
            let own = escaped.and_then(|name| members::string(&name).map(Cow::into_owned));
            let name = own.map_or(Name::At(name), Name::Own);
            Member { name, value }
        });
        let members = members.collect();
        Self::with_members(text, members)
    }

    fn with_members(text: Cow<'a, str>, members: Vec<Member>) -> Self {
        let mut entry = Self {
            text,
            members,
            kind: Kind::Unknown,
            dialect: Dialect::Disk,
        };
        entry.kind = entry
            .string("type")
            .map_or(Kind::Unknown, |kind| Kind::of(&kind));
        entry.dialect = Dialect::of(&entry);
        entry
    }

    /// The line's text, without what stood around the JSON.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What it is about.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The `type` as it stands there; empty when there is none.
    pub fn kind_text(&self) -> Cow<'_, str> {
        self.string("type").unwrap_or_default()
    }

    /// In which of the three dialects it is written.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The JSON text of a member. The last of several counts, as it does for the CLI.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.members.iter().rev();
        let member = found.find(|member| self.name(member) == name)?;
        Some(&self.text[member.value.clone()])
    }

    /// Where in [`Entry::text`] a member's JSON lies.
    pub fn range(&self, name: &str) -> Option<Range<usize>> {
        let mut found = self.members.iter().rev();
        let member = found.find(|member| self.name(member) == name)?;
        Some(member.value.clone())
    }

    /// A member that is a string.
    pub fn string(&self, name: &str) -> Option<Cow<'_, str>> {
        members::string(self.get(name)?)
    }

    /// Whether a member is exactly `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// All members in their order, doubled ones too.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members
            .iter()
            .map(|member| (self.name(member), &self.text[member.value.clone()]))
    }

    /// A member that is an object.
    pub(crate) fn object(&self, name: &str) -> Option<Members<'_>> {
        Members::read(self.get(name)?)
    }

    fn name<'e>(&'e self, member: &'e Member) -> &'e str {
        match &member.name {
            Name::At(range) => &self.text[range.clone()],
            Name::Own(name) => name,
        }
    }

    /// The id by which other lines name this one.
    pub fn uuid(&self) -> Option<Cow<'_, str>> {
        self.id("uuid")
    }

    /// What it hangs under.
    pub fn parent(&self) -> ParentRef<'_> {
        match self.get("parentUuid") {
            None => ParentRef::Absent,
            Some("null" | "\"\"") => ParentRef::Root,
            Some(value) => members::string(value).map_or(ParentRef::Odd, ParentRef::Id),
        }
    }

    /// The line before a compaction, which the chain itself does not reach.
    pub fn logical_parent(&self) -> Option<Cow<'_, str>> {
        self.id("logicalParentUuid")
    }

    /// The session that the line says it belongs to.
    pub fn session(&self) -> Option<Cow<'_, str>> {
        self.id("sessionId").or_else(|| self.id("session_id"))
    }

    /// The subagent that it belongs to.
    pub fn agent(&self) -> Option<Cow<'_, str>> {
        self.id("agentId")
    }

    /// When it was written, as it stands there.
    pub fn timestamp(&self) -> Option<Cow<'_, str>> {
        self.id("timestamp")
    }

    /// When it was written, in milliseconds since 1970; `None` when that cannot be read.
    pub fn time_ms(&self) -> Option<i64> {
        crate::time::parse_ms(&self.timestamp()?)
    }

    /// The directory that the CLI worked in.
    pub fn cwd(&self) -> Option<Cow<'_, str>> {
        self.id("cwd")
    }

    /// The CLI's version.
    pub fn version(&self) -> Option<Cow<'_, str>> {
        self.id("version")
    }

    /// The git branch that was checked out.
    pub fn git_branch(&self) -> Option<Cow<'_, str>> {
        self.id("gitBranch")
    }

    /// The prompt that it belongs to.
    pub fn prompt_id(&self) -> Option<Cow<'_, str>> {
        self.id("promptId")
    }

    /// The API request that it came from.
    pub fn request_id(&self) -> Option<Cow<'_, str>> {
        self.id("requestId")
    }

    /// What narrows down its kind.
    pub fn subtype(&self) -> Option<Cow<'_, str>> {
        self.id("subtype")
    }

    /// For a line that `/branch` or the SDK copied: the session and line that it is a copy of.
    pub fn forked_from(&self) -> Option<(String, String)> {
        let from = self.object("forkedFrom")?;
        let id = |name| from.string(name).map(Cow::into_owned);
        Some((id("sessionId")?, id("messageUuid")?))
    }

    /// What is said about it by yes or no, in any dialect.
    pub fn flags(&self) -> Flags {
        Flags::of(self)
    }

    /// The reply that an assistant line is a block of.
    pub fn message_id(&self) -> Option<String> {
        let message = self.object("message")?;
        let id = message.string("id").filter(|id| !id.is_empty())?;
        Some(id.into_owned())
    }

    /// The model that made an assistant line.
    pub fn model(&self) -> Option<String> {
        let message = self.object("message")?;
        message.string("model").map(Cow::into_owned)
    }

    /// What was said, called or returned, in any dialect. Empty for kinds that say nothing.
    pub fn parts(&self) -> Vec<Part<'_>> {
        part::parts(self)
    }

    fn id(&self, name: &str) -> Option<Cow<'_, str>> {
        self.string(name).filter(|id| !id.is_empty())
    }
}

#[cfg(test)]
mod tests;
