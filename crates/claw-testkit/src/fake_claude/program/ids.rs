//! Ids and times, made without a crate: a flood needs a hundred thousand of them.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
    format_time(now.as_secs(), now.subsec_millis())
}

fn format_time(seconds: u64, millis: u32) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // The civil calendar from a day count, with years that start in March.
    let day = days + 719_468;
    let era = day / 146_097;
    let day_of_era = day % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{millis:03}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::{Ids, format_time, is_uuid};

    #[test]
    fn times_are_civil() {
        assert_eq!(format_time(0, 0), "1970-01-01T00:00:00.000Z");
        assert_eq!(format_time(951_782_400, 7), "2000-02-29T00:00:00.007Z");
        assert_eq!(format_time(1_794_710_285, 567), "2026-11-15T02:38:05.567Z");
    }

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
