//! Versions of saved states, so that none is misread.
//!
//! The format of a state is private to the library and changes with it. Nothing is lost with a
//! state, because the events of the session rebuild it. So a state of another version is rejected.

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of a state. Increase it if an older state would be misread, or could not be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct StateVersion<const VERSION: u32>;

impl<const VERSION: u32> Serialize for StateVersion<VERSION> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_some(&VERSION)
    }
}

impl<'de, const VERSION: u32> Deserialize<'de> for StateVersion<VERSION> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // An option: for a missing field, serde supports only `deserialize_option`.
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

/// The error for a state that cannot be read.
pub(crate) fn refused<E: Error>(error: impl std::fmt::Display) -> E {
    E::custom(format_args!(
        "this state cannot be restored: {error}; a state is read by the version of the library \
         that wrote it, so make it anew from the events of the session"
    ))
}

/// Implements serde for a state. The type itself derives it with `remote = "Self"`, and this adds
/// an explanation to its errors.
macro_rules! snapshot_serde {
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

pub(crate) use snapshot_serde;
