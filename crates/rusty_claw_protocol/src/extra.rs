//! What a typed value cannot hold, kept beside it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::ser::SerializeMap;

use crate::json::Json;
use crate::text::Str;
use crate::wire::Reader;

/// The members of an object that its typed fields do not hold exactly.
///
/// That is: members nobody typed yet, known members whose value has a new shape, numbers a field
/// had to round, members that came under another accepted spelling, and (not listed, but written
/// back) which optional members were an explicit `null`. When the value is written again, what is kept here wins over
/// the typed field of the same name. A value you build yourself has an empty one.
///
/// ```
/// use rusty_claw_protocol::messages::Message;
///
/// let line = r#"{"type":"result","subtype":"error","error":"no","exit_code":126}"#;
/// let message = Message::from_json(line)?;
/// # use rusty_claw_protocol::messages::ResultMessage;
/// let Message::Result(ResultMessage::Error { extra, .. }) = message else { panic!() };
/// assert_eq!(extra.get("exit_code").map(|code| code.to_string()), Some("126".to_string()));
/// # Ok::<(), rusty_claw_protocol::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct Extra {
    /// The members that no field takes, as one text without the braces around it: thousands of
    /// them cost no more than the line had.
    unknown: String,
    /// What is kept of members that have a field. There are never more of these than fields.
    known: Option<Box<Known>>,
    /// Which optional members came as an explicit `null`, by their number. Nearly every line has
    /// some, so they cost no allocation.
    nulls: u64,
    /// Which members of the struct that shares this object have come, while it is read.
    shared_seen: u64,
}

#[derive(Clone, Default)]
struct Known(Vec<Kept>);

#[derive(Clone)]
struct Kept {
    key: Str,
    /// `None` marks a required member that was not there, so that writing does not invent it.
    value: Option<Json>,
}

/// How a typed member is known here.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct MemberKey {
    /// Its name on the wire.
    pub spelling: &'static str,
    /// Its number in the object, 64 or more when there is no room to note a `null`.
    pub number: u32,
}

impl MemberKey {
    /// The member of a generated reader.
    pub const fn new(spelling: &'static str, number: u32) -> Self {
        Self { spelling, number }
    }

    /// A member without a number.
    pub const fn spelled(spelling: &'static str) -> Self {
        Self {
            spelling,
            number: u32::MAX,
        }
    }

    fn bit(self) -> u64 {
        1_u64.checked_shl(self.number).unwrap_or(0)
    }
}

impl Extra {
    /// An empty one, as a value of our own making has.
    pub const fn new() -> Self {
        Self {
            unknown: String::new(),
            known: None,
            nulls: 0,
            shared_seen: 0,
        }
    }

    /// The kept value of a member.
    pub fn get(&self, key: &str) -> Option<Json> {
        if let Some(kept) = self.known().iter().find(|kept| kept.key == *key) {
            return kept.value.clone();
        }
        // Of several members of one name the last counts.
        self.unknown()
            .filter(|(name, _)| name == key)
            .last()
            .map(|(_, value)| value)
    }

    /// Adds a member, or replaces it: for hosts that send fields newer than this library.
    pub fn insert(&mut self, key: impl Into<Str>, value: Json) {
        self.keep(key.into(), value);
    }

    /// All kept members; those that have a field first.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, Json)> {
        let known = self.known().iter();
        known
            .filter_map(|kept| Some((Cow::Borrowed(kept.key.as_str()), kept.value.clone()?)))
            .chain(self.unknown())
    }

    /// Whether nothing had to be kept.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// How many members are kept.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    fn known(&self) -> &[Kept] {
        self.known
            .as_ref()
            .map(|known| known.0.as_slice())
            .unwrap_or_default()
    }

    fn unknown(&self) -> Members<'_> {
        Members(Reader::new(&self.unknown))
    }

    /// Whether the typed field of this name must not be written.
    #[doc(hidden)]
    pub fn holds(&self, key: &str) -> bool {
        self.known().iter().any(|kept| kept.key == *key)
    }

    /// Keeps the text of a member that has a field.
    #[doc(hidden)]
    pub fn keep(&mut self, key: Str, value: Json) {
        self.set(key, Some(value));
    }

    #[doc(hidden)]
    pub fn mark_absent(&mut self, key: &'static str) {
        self.set(Str::from_static(key), None);
    }

    fn set(&mut self, key: Str, value: Option<Json>) {
        let known = &mut self.known.get_or_insert_default().0;
        match known.iter_mut().find(|kept| kept.key == key) {
            Some(kept) => kept.value = value,
            None => known.push(Kept { key, value }),
        }
    }

    /// Keeps a member that has no field. `rest` is how much text may still come: a large line
    /// gets its room at once, because growing step by step would need it twice.
    pub(crate) fn append(&mut self, key: &str, value: &str, rest: usize) {
        const LARGE: usize = 1 << 20;
        if self.unknown.is_empty() && rest + value.len() > LARGE {
            self.unknown
                .reserve_exact(rest + key.len() + value.len() + 4);
        }
        if !self.unknown.is_empty() {
            self.unknown.push(',');
        }
        push_string(&mut self.unknown, key);
        self.unknown.push(':');
        self.unknown.push_str(value);
    }

    /// Forgets what an earlier duplicate of the member left here.
    #[doc(hidden)]
    #[inline]
    pub fn forget(&mut self, key: MemberKey) {
        self.nulls &= !key.bit();
        if let Some(known) = &mut self.known {
            known.0.retain(|kept| kept.key != *key.spelling);
        }
    }

    /// Notes an explicit `null`.
    #[doc(hidden)]
    pub fn mark_null(&mut self, key: MemberKey) {
        match key.bit() {
            0 => self.keep(Str::from_static(key.spelling), Json::NULL),
            bit => self.nulls |= bit,
        }
    }

    #[doc(hidden)]
    pub fn shared_seen(&self) -> u64 {
        self.shared_seen
    }

    #[doc(hidden)]
    pub fn set_shared_seen(&mut self, seen: u64) {
        self.shared_seen = seen;
    }

    /// Whether the member came as an explicit `null`.
    #[doc(hidden)]
    pub fn is_null(&self, number: u32) -> bool {
        self.nulls & MemberKey::new("", number).bit() != 0
    }

    #[doc(hidden)]
    pub fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for kept in self.known() {
            if let Some(value) = &kept.value {
                map.serialize_entry(kept.key.as_str(), value)?;
            }
        }
        let mut last = HashMap::new();
        for (index, (key, _)) in self.unknown().enumerate() {
            last.insert(key, index);
        }
        for (index, (key, value)) in self.unknown().enumerate() {
            if last.get(&key) == Some(&index) {
                map.serialize_entry(&*key, &value)?;
            }
        }
        Ok(())
    }
}

/// Walks over members that stand without braces around them.
struct Members<'a>(Reader<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.bare_member().ok()?
    }
}

/// Writes a JSON string.
fn push_string(out: &mut String, text: &str) {
    // Serialising a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// As far as messages compare: the same members with the same texts.
impl PartialEq for Extra {
    fn eq(&self, other: &Self) -> bool {
        let absent = |extra: &Self| -> Vec<Str> {
            let absent = extra.known().iter().filter(|kept| kept.value.is_none());
            absent.map(|kept| kept.key.clone()).collect()
        };
        self.nulls == other.nulls && self.iter().eq(other.iter()) && absent(self) == absent(other)
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
