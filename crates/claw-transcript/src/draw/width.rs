//! The approximate width of text in a terminal.

/// Columns of a character: none for combining marks, two for wide scripts.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036F | 0x200B..=0x200D | 0x20D0..=0x20FF | 0xFE00..=0xFE0F | 0xFEFF => 0,
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1F64F
        | 0x1F680..=0x1F6FF
        | 0x1F900..=0x1F9FF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Cuts a text to a width, and appends `end` if it was cut.
pub(super) fn fit(text: &str, room: usize, end: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let room = room.saturating_sub(width(end));
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        used += columns(c);
        if used > room {
            break;
        }
        out.push(c);
    }
    out.push_str(end);
    out
}

#[cfg(test)]
mod tests {
    use super::{fit, width};

    #[test]
    fn texts_are_cut_by_columns_not_by_characters() {
        assert_eq!(width("漢字 e\u{301}"), 6);
        assert_eq!(fit("漢字漢字", 5, "…"), "漢字…");
        assert_eq!(fit("漢字漢字", 4, "…"), "漢…");
        assert_eq!(fit("plain", 5, "…"), "plain");
        assert_eq!(fit("plainer", 5, "..."), "pl...");
    }
}
