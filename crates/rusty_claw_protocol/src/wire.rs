//! How text becomes values: the reader, and what a wire type can do.
//!
//! Hidden from the documentation because only `#[derive(Wire)]` and our own crates use it; it is
//! public so that the derive works outside this crate.

mod cursor;
mod impls;
mod lanes;
mod map;
mod number;
mod reader;
mod scan;
mod shape;
mod skip;
mod string;

pub use serde::ser::SerializeMap;
pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use crate::extra::MemberKey;
pub(crate) use cursor::Cursor;
pub use map::Map;
pub use reader::{Members, Reader};
pub use shape::{Field, Kind, Shape, Variant};

/// The text is not JSON. The reader knows where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// What [`Wire::read`] found.
#[derive(Debug)]
#[must_use]
pub enum Found<T> {
    /// The value holds everything the text said.
    Exact(T),
    /// An explicit `null`, which is not the same as nothing: whoever owns the field notes it.
    Null(T),
    /// The value is a usable view, but the text said more (a rounded number, a list with items of
    /// another shape): whoever owns the field keeps the text too.
    Approx(T),
    /// The text is of another JSON kind. Nothing was consumed.
    Other,
}

impl<T> Found<T> {
    /// The value. `None`: there was none, and nothing was consumed, so somebody must still pass
    /// over what stands there.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Exact(value) | Self::Null(value) | Self::Approx(value) => Some(value),
            Self::Other => None,
        }
    }

    /// The same finding, of another type.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Found<U> {
        match self {
            Self::Exact(value) => Found::Exact(make(value)),
            Self::Null(value) => Found::Null(make(value)),
            Self::Approx(value) => Found::Approx(make(value)),
            Self::Other => Found::Other,
        }
    }
}

/// A type that can be read from the wire.
pub trait Wire: Sized {
    /// Reads a value at the reader's position.
    ///
    /// # Errors
    /// [`Malformed`] only when the text is not JSON; a value of another shape is
    /// [`Found::Other`].
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed>;

    /// [`Wire::read`] of a value that lives on the heap. Large types are made there from the
    /// start, which saves moving them.
    ///
    /// # Errors
    /// As [`Wire::read`].
    fn read_boxed(reader: &mut Reader<'_>) -> Result<Found<Box<Self>>, Malformed> {
        Ok(Self::read(reader)?.map(Box::new))
    }

    /// What the type looks like, for the reference page.
    fn shape() -> Option<&'static Shape> {
        None
    }
}

/// A wire type whose value is a JSON object, so that it can share its object with a tag or with
/// the members of the type around it.
pub trait WireObject: Sized {
    /// Reads the object; `tags` are members that were read already to get here.
    ///
    /// # Errors
    /// The text is not JSON.
    fn read_tagged(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Self>, Malformed>;

    /// [`WireObject::read_tagged`] of a value that lives on the heap.
    ///
    /// # Errors
    /// The text is not JSON.
    fn read_tagged_boxed(
        reader: &mut Reader<'_>,
        tags: Tags,
    ) -> Result<Found<Box<Self>>, Malformed> {
        Ok(Self::read_tagged(reader, tags)?.map(Box::new))
    }

    /// Writes all members into an object that somebody else opened; `written` are the tags that
    /// stand in it already.
    ///
    /// # Errors
    /// The serializer failed.
    fn write_members<M: SerializeMap>(&self, map: &mut M, written: Tags) -> Result<(), M::Error>;
}

/// An object type with a fixed list of members.
pub trait WireMembers: Default {
    /// Takes one member. `false`: the member is not ours, and nothing was consumed. `seen`
    /// collects which required members have come.
    ///
    /// # Errors
    /// The text is not JSON.
    fn read_member(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        seen: &mut u64,
    ) -> Result<bool, Malformed>;

    /// Where members go that no field takes.
    fn extra_mut(&mut self) -> &mut crate::Extra;

    /// Marks the required members that did not come.
    fn finish(&mut self, seen: u64);
}

/// Names of the members that tell types apart, on the way down to one type: `type`, then perhaps
/// `subtype`.
#[derive(Debug, Clone, Copy)]
pub struct Tags {
    names: [&'static str; 3],
    len: usize,
}

impl Tags {
    /// No tag was read.
    pub const NONE: Self = Self {
        names: [""; 3],
        len: 0,
    };

    /// These tags and one more.
    #[must_use]
    pub fn and(mut self, tag: &'static str) -> Self {
        if let Some(slot) = self.names.get_mut(self.len) {
            *slot = tag;
            self.len += 1;
        }
        self
    }

    /// The names.
    pub fn names(&self) -> &[&'static str] {
        self.names.get(..self.len).unwrap_or_default()
    }
}

/// Reads an object member by member.
///
/// Objects nested deeper than any message nests are not typed but kept as text, so that no input
/// can exhaust the stack: not while it is read, nor when the value is written or dropped.
///
/// # Errors
/// The text is not JSON.
pub fn read_members<T: WireMembers>(
    reader: &mut Reader<'_>,
    tags: Tags,
) -> Result<Found<T>, Malformed> {
    if !reader.descend() {
        return Ok(Found::Other);
    }
    let Some(mut members) = reader.object()? else {
        reader.ascend();
        return Ok(Found::Other);
    };
    let mut out = T::default();
    let mut seen = 0;
    let mut times = [0; 3];
    while let Some(key) = members.next(reader)? {
        let tag = tags.names().iter().position(|tag| *tag == key);
        if let Some(times) = tag.and_then(|index| times.get_mut(index)) {
            reader.note_tag(times);
        }
        if out.read_member(reader, &key, &mut seen)? {
            continue;
        }
        if tag.is_some() {
            reader.skip()?;
        } else {
            reader.unknown_member(&key, out.extra_mut())?;
        }
    }
    out.finish(seen);
    reader.ascend();
    Ok(Found::Exact(out))
}

/// Reads a whole text as one value.
///
/// # Errors
/// The text is not JSON, is of another JSON kind, or has something behind the value.
pub fn read_all<T: Wire>(text: &str) -> Result<T, crate::DecodeError> {
    let mut reader = Reader::new(text);
    let value = read_to_end(&mut reader)?;
    if reader.saw_duplicate_tag() {
        // The first tag led here, but for the CLI the last one counts.
        return read_to_end(&mut Reader::new(text).with_last_tag());
    }
    Ok(value)
}

pub(crate) fn read_to_end<T: Wire>(reader: &mut Reader<'_>) -> Result<T, crate::DecodeError> {
    match T::read(reader) {
        Ok(Found::Exact(value) | Found::Null(value) | Found::Approx(value)) if reader.at_end() => {
            Ok(value)
        }
        Ok(Found::Other) if reader.skip().is_ok() && reader.at_end() => {
            Err(crate::DecodeError::other_kind())
        }
        Ok(_) | Err(Malformed) => Err(reader.error()),
    }
}

/// What `Deserialize` of every wire type does: it takes the raw text from serde_json and reads
/// that, so that no serde buffering stands between the text and the type.
///
/// # Errors
/// As [`read_all`], in the words of the deserializer.
pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
    read_all(raw.get()).map_err(serde::de::Error::custom)
}

/// What `Serialize` of every wire object does.
///
/// # Errors
/// The serializer failed.
pub fn serialize<T: WireObject, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    value.write_members(&mut map, Tags::NONE)?;
    map.end()
}

impl<T: WireObject> WireObject for Box<T> {
    fn read_tagged(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Self>, Malformed> {
        T::read_tagged_boxed(reader, tags)
    }

    fn write_members<M: SerializeMap>(&self, map: &mut M, written: Tags) -> Result<(), M::Error> {
        T::write_members(self, map, written)
    }
}

impl<T: WireMembers> WireMembers for Box<T> {
    fn read_member(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        seen: &mut u64,
    ) -> Result<bool, Malformed> {
        T::read_member(self, reader, key, seen)
    }

    fn extra_mut(&mut self) -> &mut crate::Extra {
        T::extra_mut(self)
    }

    fn finish(&mut self, seen: u64) {
        T::finish(self, seen);
    }
}
