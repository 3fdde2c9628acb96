//! ISO 8601 times, held to the letter.

/// Seconds since 1970 of a date and time with a zone; `None` when it is not that.
///
/// Stricter than what readers of session files take, since here the question is whether it is
/// right: no 31st of February, no 25th hour, no time without a zone.
pub(crate) fn seconds(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, len: usize| -> Option<i64> {
        let mut value = 0;
        for digit in bytes.get(from..from + len)? {
            if !digit.is_ascii_digit() {
                return None;
            }
            value = value * 10 + i64::from(digit - b'0');
        }
        Some(value)
    };
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    if !(is(4, b'-') && is(7, b'-') && is(10, b'T') && is(13, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute) = (number(11, 2)?, number(14, 2)?);
    let mut at = 16;
    let mut second = 0;
    if is(at, b':') {
        second = number(17, 2)?;
        at = 19;
        if is(at, b'.') || is(at, b',') {
            let digits = bytes[at + 1..].iter().take_while(|b| b.is_ascii_digit());
            let digits = digits.count();
            if digits == 0 {
                return None;
            }
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
            if hours > 23 || minutes > 59 {
                return None;
            }
            let zone = hours * 60 + minutes;
            if *sign == b'+' { zone } else { -zone }
        }
        _ => return None,
    };
    // A leap second, and midnight at the end of a day, are times too.
    let in_day = hour <= 23 || (hour == 24 && minute == 0 && second == 0);
    let days = days_in(year, month)?;
    if !(1..=days).contains(&day) || !in_day || minute > 59 || second > 60 {
        return None;
    }
    let month_days: i64 = (1..month).filter_map(|month| days_in(year, month)).sum();
    let before = year - 1;
    let days = before * 365 + before / 4 - before / 100 + before / 400 + month_days + day - 719_163;
    Some(((days * 24 + hour) * 60 + minute - zone) * 60 + second)
}

fn days_in(year: i64, month: i64) -> Option<i64> {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        4 | 6 | 9 | 11 => Some(30),
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => Some(29),
        2 => Some(28),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_second() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T01:00:00+01:00", 0),
            ("1970-01-01T00:00:00.123456Z", 0),
            ("1970-01-01T00:00Z", 0),
            ("1969-12-31T19:00:00-0500", 0),
            ("2000-02-29T23:59:59.999Z", 951_868_799),
            ("2026-11-15T05:12:26.000Z", 1_794_719_546),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn nonsense_is_not_a_time() {
        for text in [
            "",
            "yesterday",
            "1738000000",
            "2025-01-27",
            "2025-01-27 10:00:00Z",
            "2025-01-27T10:00:00",
            "2025-13-27T10:00:00Z",
            "2025-02-29T10:00:00Z",
            "2025-01-27T25:00:00Z",
            "2025-01-27T10:61:00Z",
            "2025-01-27T10:00:99Z",
            "2025-01-27T10:00:00.Z",
            "2025-01-27T10:00:00Zz",
            "2025-01-27T10:00:00+1:00",
            "2025-1-27T10:00:00Z",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
