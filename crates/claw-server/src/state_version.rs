//! States that are put away name their version, so that none is misread.
//!
//! A state is a library's own: what it remembers changes when what it tells does, and nothing is
//! lost with it, because the events of the session make it anew. So a state of another version is
//! refused, and whoever reads it is told what to do.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of a state. Raise it when a state of before would be read otherwise than it was
/// meant, or not at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StateVersion<const VERSION: u32>;

impl<const VERSION: u32> Serialize for StateVersion<VERSION> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_some(&VERSION)
    }
}

impl<'de, const VERSION: u32> Deserialize<'de> for StateVersion<VERSION> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An option, because only of those serde asks what is to become of a missing one.
        deserializer.deserialize_option(Expected::<VERSION>)
    }
}

struct Expected<const VERSION: u32>;

impl<'de, const VERSION: u32> Visitor<'de> for Expected<VERSION> {
    type Value = StateVersion<VERSION>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the version {VERSION}")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Err(E::custom(format_args!(
            "it names no version, and this library reads version {VERSION}"
        )))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        match u64::deserialize(deserializer)? {
            found if found == u64::from(VERSION) => Ok(StateVersion),
            found => Err(D::Error::custom(format_args!(
                "it is of version {found}, and this library reads version {VERSION}"
            ))),
        }
    }
}

/// What to say of a state that cannot be read.
pub(crate) fn refused<E: Error>(error: impl std::fmt::Display) -> E {
    E::custom(format_args!(
        "this state cannot be taken up: {error}; a state is read by the version of the library \
         that wrote it, so make it anew from the events of the session"
    ))
}

/// Writes and reads a state. Its serde derive stands on the type itself, as `remote = "Self"`, and
/// this puts words for people around what it says when it fails.
macro_rules! put_away {
    ($type:ident) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize(deserializer).map_err(crate::state_version::refused)
            }
        }
    };
}

pub(crate) use put_away;
