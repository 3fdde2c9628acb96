//! Ids and times, made without a crate: a flood needs a hundred thousand of them.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar;

/// A stream of ids that differs between processes.
#[derive(Debug)]
pub(super) struct Ids {
    state: AtomicU64,
}

impl Ids {
    pub(super) fn new() -> Self {
        Self {
            state: AtomicU64::new(RandomState::new().hash_one(std::process::id())),
        }
    }

    /// A random (version 4) UUID.
    pub(super) fn uuid(&self) -> String {
        let (high, low) = (self.next(), self.next());
        let high = (high & !0xF000) | 0x4000;
        let low = (low & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xFFFF,
            high & 0xFFFF,
            low >> 48,
            low & 0xFFFF_FFFF_FFFF
        )
    }

    /// SplitMix64: a counter and a mixer, so threads share it without a lock.
    fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self
            .state
            .fetch_add(STEP, Ordering::Relaxed)
            .wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
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
