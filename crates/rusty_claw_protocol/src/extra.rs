//! Members that a typed value cannot represent.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::ser::{Serialize, SerializeMap};

use crate::json::Json;
use crate::text::Str;
use crate::wire::Reader;

/// The members of an object that its typed fields do not represent exactly.
///
/// These are: unrecognized members, known members whose value has a new shape, numbers that a field
/// had to round, members under another accepted spelling, and (not listed, but written back) which
/// optional members were an explicit `null`. When the value is serialized, a member kept here
/// overrides the typed field of the same name. A value that you build is empty here.
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
    /// Members without a field, as one text without braces: thousands of them take no more memory
    /// than the line.
    unknown: String,
    /// Kept members that have a field; never more than there are fields.
    known: Option<Box<Known>>,
    /// Bit set of optional members with an explicit `null`. Nearly every line has some, so they
    /// need no allocation.
    nulls: u64,
    /// Bit set of the members seen of the struct that shares this object, during reading.
    shared_seen: u64,
}

#[derive(Clone, Default)]
struct Known(Vec<Kept>);

#[derive(Clone)]
struct Kept {
    key: Str,
    /// `None` marks a missing required member, so that serializing does not add it.
    value: Option<Json>,
}

/// The key of a typed member.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct MemberKey {
    /// Its name on the wire.
    pub spelling: &'static str,
    /// Its number in the object; 64 or more if there is no bit for its `null`.
    pub number: u32,
}

impl MemberKey {
    /// Returns the key of a member in a generated reader.
    pub const fn new(spelling: &'static str, number: u32) -> Self {
        Self { spelling, number }
    }

    /// Returns a key without a number.
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
    /// Returns an empty value.
    pub const fn new() -> Self {
        Self {
            unknown: String::new(),
            known: None,
            nulls: 0,
            shared_seen: 0,
        }
    }

    /// Returns the kept value of a member.
    pub fn get(&self, key: &str) -> Option<Json> {
        if let Some(kept) = self.known().iter().find(|kept| kept.key == *key) {
            return kept.value.clone();
        }
        // The last duplicate wins.
        self.unknown()
            .filter(|(name, _)| name == key)
            .last()
            .map(|(_, value)| value)
    }

    /// Adds or replaces a member; for hosts that send fields newer than this library.
    pub fn insert(&mut self, key: impl Into<Str>, value: Json) {
        self.keep(key.into(), value);
    }

    /// Iterates over all kept members; those with a field come first.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, Json)> {
        let known = self.known().iter();
        known
            .filter_map(|kept| Some((Cow::Borrowed(kept.key.as_str()), kept.value.clone()?)))
            .chain(self.unknown())
    }

    /// Returns whether no member is kept.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Returns the number of kept members.
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

    /// Returns whether to skip the typed field of this name when serializing.
    #[doc(hidden)]
    pub fn holds(&self, key: &str) -> bool {
        self.known().iter().any(|kept| kept.key == *key)
    }

    /// Keeps a value that the member's typed field cannot hold.
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

    /// Keeps a member without a field. `rest` is the maximum length of the text to come: for a
    /// large line it is reserved at once, because growing stepwise would need twice the memory.
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

    /// Removes what was kept for an earlier duplicate of the member.
    #[doc(hidden)]
    #[inline]
    pub fn forget(&mut self, key: MemberKey) {
        self.nulls &= !key.bit();
        if let Some(known) = &mut self.known {
            known.0.retain(|kept| kept.key != *key.spelling);
        }
    }

    /// Records an explicit `null`.
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

    /// Returns whether the member was an explicit `null`.
    #[doc(hidden)]
    pub fn is_null(&self, number: u32) -> bool {
        self.nulls & MemberKey::new("", number).bit() != 0
    }

    /// Writes a member that is always present, unless its text is kept here.
    #[doc(hidden)]
    pub fn write_required<M: SerializeMap, T: Serialize>(
        &self,
        map: &mut M,
        key: &'static str,
        value: &T,
    ) -> Result<(), M::Error> {
        if self.holds(key) {
            return Ok(());
        }
        map.serialize_entry(key, value)
    }

    /// Writes a member that may be absent, unless its text is kept here.
    #[doc(hidden)]
    pub fn write_optional<M: SerializeMap, T: Serialize>(
        &self,
        map: &mut M,
        key: &'static str,
        number: u32,
        value: &Option<T>,
    ) -> Result<(), M::Error> {
        match value {
            Some(value) => self.write_required(map, key, value),
            None if self.is_null(number) => map.serialize_entry(key, &()),
            None => Ok(()),
        }
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

/// Iterates over members without surrounding braces.
struct Members<'a>(Reader<'a>);

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.bare_member().ok()?
    }
}

/// Writes a JSON string.
fn push_string(out: &mut String, text: &str) {
    // Serializing a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Two values are equal if they keep the same members with the same texts.
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
