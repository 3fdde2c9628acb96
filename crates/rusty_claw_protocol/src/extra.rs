//! What a typed value cannot hold, kept beside it.

use std::fmt;

use serde::ser::SerializeMap;

use crate::json::Json;
use crate::text::Str;

/// The members of an object that its typed fields do not hold exactly.
///
/// That is: members nobody typed yet, known members whose value has a new shape, explicit `null`s
/// (a typed field says only "nothing there"), numbers a field had to round, and members that came
/// under another accepted spelling. When the value is written again, what is kept here wins over
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
pub struct Extra(Vec<Kept>);

#[derive(Clone, PartialEq)]
struct Kept {
    key: Str,
    /// `None` marks a required member that was not there, so that writing does not invent it.
    value: Option<Json>,
}

impl Extra {
    /// An empty one, as a value of our own making has.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The kept value of a member.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0
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
        self.0
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
        self.0.iter().any(|kept| kept.key == *key)
    }

    #[doc(hidden)]
    pub fn keep(&mut self, key: Str, value: Json) {
        self.set(key, Some(value));
    }

    /// Keeps a member without looking whether it is kept already: [`Extra::settle`] does that
    /// once, however many members there are.
    pub(crate) fn append(&mut self, key: Str, value: Json) {
        self.0.push(Kept {
            key,
            value: Some(value),
        });
    }

    /// Of several members of one name the last counts.
    pub(crate) fn settle(&mut self) {
        if self.0.len() < 2 {
            return;
        }
        let mut last = std::collections::HashMap::with_capacity(self.0.len());
        for (index, kept) in self.0.iter().enumerate() {
            last.insert(kept.key.clone(), index);
        }
        if last.len() < self.0.len() {
            let mut index = 0;
            self.0.retain(|kept| {
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
    pub fn forget(&mut self, key: &str) {
        if !self.0.is_empty() {
            self.0.retain(|kept| kept.key != *key);
        }
    }

    fn set(&mut self, key: Str, value: Option<Json>) {
        match self.0.iter_mut().find(|kept| kept.key == key) {
            Some(kept) => kept.value = value,
            None => self.0.push(Kept { key, value }),
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
