//! Times as the CLI writes them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;

/// The day in UTC, as `2026-09-30`.
pub(crate) fn day(ms: i64) -> String {
    let (year, month, day) = civil(ms.div_euclid(DAY_MS));
    format!("{year:04}-{month:02}-{day:02}")
}

/// The time in UTC, as the CLI writes it.
pub(crate) fn timestamp(ms: i64) -> String {
    let (seconds, millis) = (ms.rem_euclid(DAY_MS) / 1000, ms.rem_euclid(1000));
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", day(ms))
}

/// The time as the standard library has it.
pub(crate) fn system_time(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms.unsigned_abs())
}

/// Year, month and day of a number of days since 1970, as Howard Hinnant computes it.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_right() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(timestamp(1_785_571_200_000), "2026-08-01T08:00:00.000Z");
        assert_eq!(timestamp(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
        assert_eq!(timestamp(951_782_400_007), "2000-02-29T00:00:00.007Z");
    }
}
