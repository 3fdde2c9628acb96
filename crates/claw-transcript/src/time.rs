//! The timestamps of session files, without a calendar library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The fields of an ISO 8601 date and time with a zone.
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    millis: i64,
    /// Offset from UTC in minutes.
    zone: i64,
}

impl Fields {
    fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |from: usize, len: usize| {
            bytes.get(from..from + len)?.iter().try_fold(0, |value, b| {
                b.is_ascii_digit().then(|| value * 10 + i64::from(b - b'0'))
            })
        };
        let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
        if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':')) {
            return None;
        }
        let (mut at, mut second, mut millis) = (16, 0, 0);
        if is(at, b':') {
            second = number(17, 2)?;
            at = 19;
            if is(at, b'.') || is(at, b',') {
                let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit());
                let digits = digits.count();
                let shown = digits.min(3);
                millis = number(at + 1, shown).filter(|_| digits > 0)?;
                millis *= 10_i64.pow(3 - shown as u32);
                at += 1 + digits;
            }
        }
        let zone = match bytes.get(at)? {
            b'Z' if bytes.len() == at + 1 => 0,
            sign @ (b'+' | b'-') => {
                let minutes = match bytes.len() - at {
                    3 => 0,
                    5 => number(at + 3, 2)?,
                    6 if is(at + 3, b':') => number(at + 4, 2)?,
                    _ => return None,
                };
                let hours = number(at + 1, 2)?;
                let zone = hours * 60 + minutes;
                let is_zone = hours <= 23 && minutes <= 59;
                let zone = if *sign == b'+' { zone } else { -zone };
                is_zone.then_some(zone)?
            }
            _ => return None,
        };
        let fields = Self {
            year: number(0, 4)?,
            month: number(5, 2)?,
            day: number(8, 2)?,
            hour: number(11, 2)?,
            minute: number(14, 2)?,
            second,
            millis,
            zone,
        };
        let in_range = (1..=12).contains(&fields.month)
            && (1..=31).contains(&fields.day)
            && fields.hour <= 24
            && fields.minute <= 59;
        in_range.then_some(fields)
    }

    fn seconds(&self) -> i64 {
        let days = days_from_civil(self.year, self.month, self.day);
        ((days * 24 + self.hour) * 60 + self.minute - self.zone) * 60 + self.second
    }
}

/// Milliseconds since 1970 of an ISO 8601 time with a zone. The 31st of February is the 3rd of
/// March.
pub(crate) fn parse_ms(text: &str) -> Option<i64> {
    let fields = Fields::parse(text)?;
    Some(fields.seconds() * 1000 + fields.millis)
}

/// Seconds since 1970 of an ISO 8601 time with a zone; `None` if there is no such day or time.
#[cfg(feature = "check")]
pub(crate) fn strict_seconds(text: &str) -> Option<i64> {
    let fields = Fields::parse(text)?;
    let days = days_from_civil(fields.year, fields.month, fields.day);
    let is_day = civil_from_days(days) == (fields.year, fields.month, fields.day);
    // Leap seconds and midnight at the end of a day are valid.
    let is_midnight = fields.minute == 0 && fields.second == 0;
    let is_time = fields.second <= 60 && (fields.hour <= 23 || is_midnight);
    (is_day && is_time).then(|| fields.seconds())
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

/// The time that many milliseconds after 1970.
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
        // The text, its milliseconds, and whether there is such a time in the calendar.
        for (text, ms, is_strict) in [
            ("1970-01-01T00:00:00.000Z", Some(0), true),
            ("2000-02-29T23:59:59.999Z", Some(951_868_799_999), true),
            ("2026-11-15T05:12:26.000Z", Some(1_794_719_546_000), true),
            ("1969-12-31T23:59:59.999Z", Some(-1), true),
            ("1970-01-01T00:00:00Z", Some(0), true),
            ("1970-01-01T00:00Z", Some(0), true),
            ("1970-01-01T01:00:00+01:00", Some(0), true),
            ("1969-12-31T19:00:00-0500", Some(0), true),
            ("1969-12-31T22:30:00.5-01:30", Some(500), true),
            ("1970-01-01T00:00:00.1234567Z", Some(123), true),
            ("2025-02-29T10:00:00Z", Some(1_740_823_200_000), false),
            ("2025-01-27T10:00:99Z", Some(1_737_972_099_000), false),
            ("", None, false),
            ("yesterday", None, false),
            ("1738000000", None, false),
            ("2025-01-27", None, false),
            ("2025-01-27 10:00:00Z", None, false),
            ("2025-01-27T10:00:00", None, false),
            ("2025-13-27T10:00:00Z", None, false),
            ("2025-01-27T25:00:00Z", None, false),
            ("2025-01-27T10:61:00Z", None, false),
            ("2025-01-27T10:00:00.Z", None, false),
            ("2025-01-27T10:00:00Zz", None, false),
            ("2025-01-27T10:00:00+1:00", None, false),
            ("2025-1-27T10:00:00Z", None, false),
        ] {
            assert_eq!(parse_ms(text), ms, "{text}");
            let is_usual = text.len() == 24 && text.ends_with('Z');
            if let Some(ms) = ms.filter(|_| is_usual) {
                assert_eq!(to_iso(from_ms(ms)), text);
            }
            #[cfg(feature = "check")]
            {
                let seconds = ms.filter(|_| is_strict).map(|ms: i64| ms.div_euclid(1000));
                assert_eq!(strict_seconds(text), seconds, "{text}");
            }
            #[cfg(not(feature = "check"))]
            let _ = is_strict;
        }
    }
}
