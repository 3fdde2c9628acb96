//! Characters that are invisible or look like others.

pub(super) fn invisible(c: char) -> String {
    format!("an invisible sign (U+{:04X})", u32::from(c))
}

/// Characters that are invisible, or change where others are displayed.
pub(super) fn unseen(c: char) -> Option<String> {
    let blank = matches!(c, '\n' | '\t');
    let hidden = matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}');
    (hidden || c.is_control() && !blank).then(|| invisible(c))
}

/// Characters that join several emoji into one: harmless in a message.
pub(super) fn joins_emoji(c: char) -> bool {
    matches!(c, '\u{200D}' | '\u{FE0F}')
}

/// Characters that look like those of the shell or of options. In quotes they are text; elsewhere
/// they are meant to deceive.
pub(super) fn looks_like_a_sign(c: char) -> Option<String> {
    let looks = matches!(c,
        '\u{37E}' | '\u{1680}' | '\u{1806}' | '\u{2000}'..='\u{203F}' | '\u{2044}'
        | '\u{204E}'..='\u{205F}' | '\u{2200}'..='\u{22FF}' | '\u{2571}' | '\u{2572}'
        | '\u{27E8}' | '\u{27E9}' | '\u{2E3A}' | '\u{2E3B}' | '\u{3000}'..='\u{303F}'
        | '\u{A4FE}' | '\u{A78C}' | '\u{A789}' | '\u{FE10}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}'
        | '\u{FFE0}'..='\u{FFEE}');
    looks.then(|| format!("a sign that looks like another (U+{:04X})", u32::from(c)))
}
