//! What the checks need to know about a line, found in one look.
//!
//! Nothing is decoded that need not be, and no value is refused because of its type: a member is
//! the text of its value until a rule asks what it is.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::member::{KEPT, Member, Named};
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
        };
        let mut json = serde_json::Deserializer::from_str(text);
        Fill(&mut facts).deserialize(&mut json).ok()?;
        json.end().ok()?;
        if let Some(kind) = facts.string(Member::Type) {
            facts.kind = Kind::of(&kind);
        }
        facts.dialect = facts.find_dialect();
        Some(facts)
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
        let subtypes: &[&str] = match self.kind {
            Kind::Assistant => &["response", "tool_use", "thinking", "command", "error"],
            Kind::System => &["tool_result", "error", "meta"],
            _ => &[],
        };
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

/// Reads an object into facts.
struct Fill<'f, 'a>(&'f mut Facts<'a>);

impl<'de> DeserializeSeed<'de> for Fill<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Name)? {
            match Named::of(&name) {
                Named::Kept(member) => {
                    let value: &'de RawValue = map.next_value()?;
                    self.0.kept[member as usize] = Some(value.get());
                }
                Named::Known => {
                    map.next_value::<IgnoredAny>()?;
                }
                Named::Unknown => {
                    let value: &'de RawValue = map.next_value()?;
                    self.0.unknown.push((name, value.get()));
                }
            }
        }
        Ok(())
    }
}

/// A member's name, borrowed unless it has escapes.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
