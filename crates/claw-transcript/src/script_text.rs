//! Text rules of the CLI, which counts, trims and cleans like JavaScript.

use unicode_normalization::UnicodeNormalization as _;

/// Trims white space as in JavaScript: U+FEFF is included, U+0085 is not.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}')
}

/// The first `units` UTF-16 units, without splitting a pair; `None` if the text is not longer.
pub(crate) fn cut(text: &str, units: usize) -> Option<&str> {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        seen += c.len_utf16();
        if seen > units {
            return Some(&text[..at]);
        }
    }
    None
}

/// A tag as the CLI stores it: compatibility forms are composed, invisible and private characters
/// are removed. ASCII is unchanged.
pub(crate) fn clean_tag(tag: &str) -> String {
    let mut text = tag.to_owned();
    if !tag.is_ascii() {
        // Removing a character can make two others compose, so repeat until nothing changes.
        for _ in 0..10 {
            let next: String = text.nfkc().filter(|c| !is_invisible(*c)).collect();
            if next == text {
                break;
            }
            text = next;
        }
    }
    trim(&text).to_owned()
}

/// A title from a sidecar as the CLI shows it: one line, at most 200 characters.
pub(crate) fn clean_title(title: &str) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in trim(title).chars() {
        if c.is_control() || is_format(c) || matches!(c, '\u{2028}' | '\u{2029}') {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        out.push(c);
    }
    if gap {
        out.push(' ');
    }
    let end = out.char_indices().nth(200).map_or(out.len(), |(at, _)| at);
    trim(&out[..end]).to_owned()
}

/// Returns whether a character is a format, private or noncharacter. Characters that are not
/// assigned yet are kept, because they depend on the Unicode version.
fn is_invisible(c: char) -> bool {
    let code = u32::from(c);
    is_format(c)
        || matches!(code, 0xE000..=0xF8FF | 0xF_0000..=0x10_FFFF | 0xFDD0..=0xFDEF)
        || code & 0xFFFE == 0xFFFE
}

/// Returns whether a terminal shows no glyph for a character: it moves the cursor, changes colours
/// or the text direction, has zero width, or is a tag. Such characters can hide text.
pub fn is_unseen(c: char) -> bool {
    // Arabic and Syriac number signs are visible.
    let is_sign = matches!(u32::from(c), 0x600..=0x605 | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2);
    let is_selector = matches!(u32::from(c), 0xE0100..=0xE01EF);
    c.is_control() || is_selector || (is_format(c) && !is_sign)
}

/// Unicode's general category Cf.
fn is_format(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x180E
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x2064 | 0x2066..=0x206F | 0xFEFF
        | 0xFFF9..=0xFFFB | 0x110BD | 0x110CD | 0x13430..=0x1343F | 0x1BCA0..=0x1BCA3
        | 0x1D173..=0x1D17A | 0xE0001 | 0xE0020..=0xE007F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_lose_what_nobody_sees() {
        for (tag, clean) in [
            ("plain", "plain"),
            ("  padded\u{feff} ", "padded"),
            ("\u{fb01}x", "fix"),
            ("e\u{301}", "\u{e9}"),
            ("zero\u{200b}width", "zerowidth"),
            ("\u{e000}private", "private"),
            ("🦀", "🦀"),
            ("\u{200b}", ""),
        ] {
            assert_eq!(clean_tag(tag), clean, "{tag:?}");
        }
    }

    #[test]
    fn a_cut_never_leaves_half_a_pair() {
        assert_eq!(cut("abc", 3), None);
        assert_eq!(cut("abcd", 3), Some("abc"));
        assert_eq!(cut("ab🦀", 3), Some("ab"));
        assert_eq!(cut("ab🦀", 4), None);
    }

    #[test]
    fn titles_become_one_line() {
        assert_eq!(clean_title("  a\n\tb\u{200b}c  "), "a b c");
        assert_eq!(clean_title(&"x".repeat(300)).len(), 200);
    }
}
