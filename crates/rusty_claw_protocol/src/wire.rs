//! The JSON reader and the traits of wire types.
//!
//! Hidden from the documentation because only `#[wire_type]` and our own crates use it; public
//! so that the derive works outside this crate.

mod chunks;
mod cursor;
mod fields;
mod found;
mod impls;
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
pub use found::{Found, Malformed, Tags};
pub use map::Map;
pub use reader::{Members, Reader};
pub use shape::{Field, Kind, Shape, Variant};

/// A type that can be read from the wire.
pub trait Wire: Sized {
    /// Reads a value at the reader's position.
    ///
    /// # Errors
    /// Returns [`Malformed`] only if the text is not JSON; a value of another shape is
    /// [`Found::Other`].
    fn read(reader: &mut Reader<'_>) -> Result<Found<Self>, Malformed>;

    /// [`Wire::read`] into a box. Large types are built on the heap directly, which avoids moving
    /// them.
    ///
    /// # Errors
    /// See [`Wire::read`].
    fn read_boxed(reader: &mut Reader<'_>) -> Result<Found<Box<Self>>, Malformed> {
        Ok(Self::read(reader)?.map(Box::new))
    }

    /// Returns the type's shape, for the reference page.
    fn shape() -> Option<&'static Shape> {
        None
    }
}

/// A wire type that is a JSON object, so that it can share its object with a tag or with the
/// members of the enclosing type.
pub trait WireObject: Sized {
    /// Reads the object; `tags` are the tags already read.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    fn read_tagged(reader: &mut Reader<'_>, tags: Tags) -> Result<Found<Self>, Malformed>;

    /// [`WireObject::read_tagged`] into a box.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    fn read_tagged_boxed(
        reader: &mut Reader<'_>,
        tags: Tags,
    ) -> Result<Found<Box<Self>>, Malformed> {
        Ok(Self::read_tagged(reader, tags)?.map(Box::new))
    }

    /// Writes all members into an open object; `written` are the tags already in it.
    ///
    /// # Errors
    /// Returns the error of the serializer.
    fn write_members<M: SerializeMap>(&self, map: &mut M, written: Tags) -> Result<(), M::Error>;
}

/// An object type with a fixed list of members.
pub trait WireMembers: Default {
    /// The keys of the members that are always present.
    const REQUIRED: &'static [&'static str];

    /// Reads one member. Returns `false`, with nothing consumed, if this type has no such member.
    /// `seen` collects the required members that were present.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON.
    fn read_member(
        &mut self,
        reader: &mut Reader<'_>,
        key: &str,
        seen: &mut u64,
    ) -> Result<bool, Malformed>;

    /// Returns where members without a field are kept.
    fn extra_mut(&mut self) -> &mut crate::Extra;

    /// Marks the missing required members.
    fn finish(&mut self, seen: u64);
}

/// Reads an object member by member.
///
/// Objects nested deeper than any message are kept as text instead of typed, so that no input can
/// overflow the stack when the value is read, written or dropped.
///
/// # Errors
/// Returns an error if the text is not JSON.
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

/// Reads a whole text as a value.
///
/// # Errors
/// Returns an error if the text is not JSON, is of another JSON type, or has something after the
/// value.
pub fn read_all<T: Wire>(text: &str) -> Result<T, crate::DecodeError> {
    let mut reader = Reader::new(text);
    let value = read_to_end(&mut reader)?;
    if reader.saw_duplicate_tag() {
        // The first tag was used, but for the CLI the last one counts.
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

/// The `Deserialize` of every wire type: reads the raw text from serde_json, without serde's
/// buffering.
///
/// # Errors
/// Returns the error of [`read_all`], converted for the deserializer.
pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
    read_all(raw.get()).map_err(serde::de::Error::custom)
}

/// The `Serialize` of every wire object.
///
/// # Errors
/// Returns the error of the serializer.
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
    const REQUIRED: &'static [&'static str] = T::REQUIRED;

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
