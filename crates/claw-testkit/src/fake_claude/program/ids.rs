//! Ids and times.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use super::output::lock;
use crate::calendar;
use crate::dice::{Dice, uuid_text};

/// A stream of ids that differs between processes.
#[derive(Debug)]
pub(super) struct Ids(Mutex<Dice>);

impl Ids {
    pub(super) fn new() -> Self {
        let seed = RandomState::new().hash_one(std::process::id());
        Self(Mutex::new(Dice::new(seed)))
    }

    /// A random (version 4) UUID.
    pub(super) fn uuid(&self) -> String {
        uuid_text(lock(&self.0).uuid())
    }
}

/// Whether a text has the form of a UUID.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Now, as the CLI writes it: `2026-11-14T22:43:19.290Z`.
pub(super) fn timestamp() -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    calendar::timestamp(i64::try_from(now.as_millis()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Ids, is_uuid};

    #[test]
    fn ids_are_random_uuids() {
        let ids = Ids::new();
        let (one, two) = (ids.uuid(), ids.uuid());
        assert!(is_uuid(&one) && is_uuid(&two) && one != two, "{one} {two}");
        assert_eq!(&one[14..15], "4");
        assert!(matches!(&one[19..20], "8" | "9" | "a" | "b"), "{one}");
        assert!(!is_uuid("abc"));
    }
}
