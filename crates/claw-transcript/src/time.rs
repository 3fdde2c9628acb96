//! The timestamps of session files, without a calendar library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 of an ISO 8601 time with a zone, such as the CLI writes.
pub(crate) fn parse_ms(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then_some(())?;
        digits.parse().ok()
    };
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':') && is(16, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 24 || minute > 59 {
        return None;
    }
    let mut at = 19;
    let mut millis = 0;
    if is(at, b'.') {
        let end = at
            + 1
            + bytes[at + 1..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count();
        let digits: String = text[at + 1..end]
            .chars()
            .chain("00".chars())
            .take(3)
            .collect();
        millis = digits.parse().ok()?;
        at = end;
    }
    let zone = match bytes.get(at)? {
        b'Z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && is(at + 3, b':') => {
            let minutes = number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    let days = days_from_civil(year, month, day);
    Some((((days * 24 + hour) * 60 + minute - zone) * 60 + second) * 1000 + millis)
}

/// The time as the CLI writes it: `2026-01-31T12:00:00.000Z`.
pub(crate) fn to_iso(time: SystemTime) -> String {
    let ms = to_ms(time);
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil_from_days(days);
    let (seconds, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// Whole milliseconds since 1970, rounded down.
pub(crate) fn to_ms(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

/// The point in time that many milliseconds after 1970.
pub(crate) fn from_ms(ms: i64) -> SystemTime {
    let distance = Duration::from_millis(ms.unsigned_abs());
    let moved = if ms < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    moved.unwrap_or(UNIX_EPOCH)
}

/// Days since 1970-01-01 of a date in the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written_alike() {
        for (text, ms) in [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999),
            ("2026-11-15T05:12:26.000Z", 1_794_719_546_000),
            ("1969-12-31T23:59:59.999Z", -1),
        ] {
            assert_eq!(parse_ms(text), Some(ms), "{text}");
            assert_eq!(to_iso(from_ms(ms)), text);
        }
    }

    #[test]
    fn zones_and_fractions_are_understood_and_nonsense_is_not() {
        assert_eq!(parse_ms("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse_ms("1969-12-31T22:30:00.5-01:30"), Some(500));
        assert_eq!(parse_ms("1970-01-01T00:00:00.1234567Z"), Some(123));
        for text in [
            "",
            "yesterday",
            "1970-13-01T00:00:00Z",
            "1970-01-01T00:00:00",
            "1970-01-01T00:00:00Zz",
        ] {
            assert_eq!(parse_ms(text), None, "{text}");
        }
    }
}
