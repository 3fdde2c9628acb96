//! Numbers and times as people say them.

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

/// So many of something: `1 line`, `1,234 lines`.
pub(crate) fn several(number: u64, what: &str) -> String {
    let ending = match number {
        1 => "",
        _ if what.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {what}{ending}", count(number))
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

/// One line of text, cut to a number of characters.
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
    // Bytes that move the cursor or colour the screen are not for a list.
    line.retain(|c| !c.is_control());
    if line.chars().count() <= width {
        return line;
    }
    let mut short: String = line.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Text without bytes that would steer the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}

/// A path for programs: what is no text in it is replaced, for a row without the file is worth
/// more than no rows.
pub(crate) fn path(path: &Path) -> Cow<'_, str> {
    path.to_string_lossy()
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
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(ago(at(0), at(59)), "just now");
        assert_eq!(ago(at(0), at(3600)), "1 hour ago");
        assert_eq!(ago(at(0), at(200_000)), "2 days ago");
        assert_eq!(ago(at(9), at(0)), "in the future");
    }

    #[test]
    fn a_line_is_cut_by_characters_and_has_no_escapes() {
        assert_eq!(cut("a  b\n c", 9), "a b c");
        assert_eq!(cut("日本語です", 4), "日本語…");
        assert_eq!(cut("\u{1b}[31mred", 9), "[31mred");
        assert_eq!(cut("", 9), "");
    }
}
