//! What a typed value cannot hold, kept beside it.

use std::fmt;

use serde::ser::SerializeMap;

use crate::json::Json;
use crate::text::Str;

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
#[derive(Clone, Default, PartialEq)]
pub struct Extra {
    kept: Vec<Kept>,
    /// Which optional members came as an explicit `null`, by their number. Nearly every line has
    /// some, so they cost no allocation.
    nulls: u64,
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

#[derive(Clone, PartialEq)]
struct Kept {
    key: Str,
    /// `None` marks a required member that was not there, so that writing does not invent it.
    value: Option<Json>,
}

impl Extra {
    /// An empty one, as a value of our own making has.
    pub const fn new() -> Self {
        Self {
            kept: Vec::new(),
            nulls: 0,
        }
    }

    /// The kept value of a member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.kept
            .iter()
            .rev()
            .find(|kept| kept.key == *key)
            .and_then(|kept| kept.value.as_ref())
    }

    /// Adds a member, or replaces it: for hosts that send fields newer than this library.
    pub fn insert(&mut self, key: impl Into<Str>, value: Json) {
        self.keep(key.into(), value);
    }

    /// All kept members, in the order they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.kept
            .iter()
            .filter_map(|kept| Some((kept.key.as_str(), kept.value.as_ref()?)))
    }

    /// Whether nothing had to be kept.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// How many members are kept.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether the typed field of this name must not be written.
    #[doc(hidden)]
    pub fn holds(&self, key: &str) -> bool {
        self.kept.iter().any(|kept| kept.key == *key)
    }

    #[doc(hidden)]
    pub fn keep(&mut self, key: Str, value: Json) {
        self.set(key, Some(value));
    }

    /// Keeps a member without looking whether it is kept already: [`Extra::settle`] does that
    /// once, however many members there are.
    pub(crate) fn append(&mut self, key: Str, value: Json) {
        self.kept.push(Kept {
            key,
            value: Some(value),
        });
    }

    /// Of several members of one name the last counts.
    pub(crate) fn settle(&mut self) {
        if self.kept.len() < 2 {
            return;
        }
        let mut last = std::collections::HashMap::with_capacity(self.kept.len());
        for (index, kept) in self.kept.iter().enumerate() {
            last.insert(kept.key.clone(), index);
        }
        if last.len() < self.kept.len() {
            let mut index = 0;
            self.kept.retain(|kept| {
                index += 1;
                last.get(&kept.key) == Some(&(index - 1))
            });
        }
    }

    #[doc(hidden)]
    pub fn mark_absent(&mut self, key: &'static str) {
        self.set(Str::from_static(key), None);
    }

    /// Forgets what an earlier duplicate of the member left here.
    #[doc(hidden)]
    #[inline]
    pub fn forget(&mut self, key: MemberKey) {
        self.nulls &= !key.bit();
        if !self.kept.is_empty() {
            self.kept.retain(|kept| kept.key != *key.spelling);
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

    /// Whether the member came as an explicit `null`.
    #[doc(hidden)]
    pub fn is_null(&self, number: u32) -> bool {
        self.nulls & MemberKey::new("", number).bit() != 0
    }

    fn set(&mut self, key: Str, value: Option<Json>) {
        match self.kept.iter_mut().find(|kept| kept.key == key) {
            Some(kept) => kept.value = value,
            None => self.kept.push(Kept { key, value }),
        }
    }

    #[doc(hidden)]
    pub fn write<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Extra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
