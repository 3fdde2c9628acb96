//! Formats numbers, times and text for people.

use std::borrow::Cow;
use std::path::Path;
use std::time::SystemTime;

use claw_transcript::Part;

/// A size: `17 B`, `4.2 MB`.
pub(crate) fn size(bytes: u64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 || value >= 99.5 {
        format!("{value:.0} {}", units[unit])
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

/// A count, in groups of three: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 line`, `1,234 lines`.
pub(crate) fn several(number: u64, what: &str) -> String {
    let (stem, ending) = match what.strip_suffix("ly") {
        _ if number == 1 => (what, ""),
        Some(stem) => (stem, "lies"),
        None if what.ends_with("ch") => (what, "es"),
        None => (what, "s"),
    };
    format!("{} {stem}{ending}", count(number))
}

/// How long ago something was: `just now`, `5 min ago`, `3 days ago`.
pub(crate) fn ago(time: SystemTime, now: SystemTime) -> String {
    let Ok(passed) = now.duration_since(time) else {
        return "in the future".to_owned();
    };
    let seconds = passed.as_secs();
    let ago = |number: u64, unit: &str| format!("{} ago", several(number, unit));
    match seconds {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => ago(seconds / 3600, "hour"),
        86_400..5_184_000 => ago(seconds / 86_400, "day"),
        _ => ago(seconds / 2_592_000, "month"),
    }
}

/// The text on one line, truncated to a number of characters.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let mut line = String::new();
    let mut words = text.split_whitespace();
    if let Some(first) = words.next() {
        line.push_str(first);
    }
    for word in words {
        line.push(' ');
        line.push_str(word);
        if line.len() > width * 4 {
            break;
        }
    }
    // Remove characters that control the terminal.
    line.retain(|c| !steers(c));
    if line.chars().count() <= width {
        return line;
    }
    let mut short: String = line.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Text without characters that control the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !steers(*c) || matches!(c, '\n' | '\t'))
        .collect()
}

/// Returns whether a character controls the terminal instead of being shown.
pub(crate) use claw_transcript::is_unseen as steers;

/// A time as session files write it, from milliseconds since 1970: `2026-01-31T12:00:00.000Z`.
pub(crate) fn iso(ms: i64) -> String {
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    // Years begin in March here, so that the leap day is the last day.
    let era_day = days + 719_468;
    let (era, day) = (era_day.div_euclid(146_097), era_day.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    let year = year + era * 400 + next;
    let (seconds, millis) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// A path for programs. Invalid UTF-8 is replaced, because an inexact path is better than no row.
pub(crate) fn path(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// A path for people.
pub(crate) fn shown(path: &Path) -> String {
    plain(&path.to_string_lossy())
}

/// The text of a tool's result, from its JSON.
pub(crate) fn of_content(content: &str) -> String {
    let parts = Part::of_content(content);
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_ref()),
        Part::Image { .. } => Some("[image]"),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn numbers_are_said_as_people_say_them() {
        let sizes = [
            0,
            999,
            1000,
            12_345,
            99_499,
            999_499,
            999_500,
            5_000_000_000,
        ];
        let said: Vec<String> = sizes.into_iter().map(size).collect();
        assert_eq!(
            said,
            [
                "0 B", "999 B", "1.0 kB", "12.3 kB", "99.5 kB", "999 kB", "1.0 MB", "5.0 GB"
            ]
        );
        assert_eq!(count(0), "0");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(999), "999");
        assert_eq!(several(1, "line"), "1 line");
        assert_eq!(several(2000, "line"), "2,000 lines");
        assert_eq!(several(2, "branch"), "2 branches");
        assert_eq!(several(2, "reply"), "2 replies");
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(ago(at(0), at(59)), "just now");
        assert_eq!(ago(at(0), at(3600)), "1 hour ago");
        assert_eq!(ago(at(0), at(200_000)), "2 days ago");
        assert_eq!(ago(at(9), at(0)), "in the future");
    }

    #[test]
    fn times_are_written_as_session_files_write_them() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_399_001, "2000-02-28T23:59:59.001Z"),
            (951_868_799_000, "2000-02-29T23:59:59.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_769_860_800_000, "2026-01-31T12:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ];
        for (ms, expected) in cases {
            assert_eq!(iso(ms), expected);
        }
    }

    #[test]
    fn what_turns_text_around_is_not_printed() {
        let hostile = "a\u{202e}b\u{2066}c\u{200f}d\u{1b}[2Je";
        assert_eq!(plain(hostile), "abcd[2Je");
        assert_eq!(cut(hostile, 80), "abcd[2Je");
    }

    #[test]
    fn a_line_is_cut_by_characters_and_has_no_escapes() {
        assert_eq!(cut("a  b\n c", 9), "a b c");
        assert_eq!(cut("日本語です", 4), "日本語…");
        assert_eq!(cut("\u{1b}[31mred", 9), "[31mred");
        assert_eq!(cut("", 9), "");
    }
}
