//! What a person would see of a line.

use std::borrow::Cow;

use memchr::memchr2;

use super::{Roles, SearchRole};
use crate::entry::{Entry, Kind, Part};
use crate::members;

/// One thing that was said, called or returned.
#[derive(Debug)]
pub(super) struct Visible<'e> {
    pub(super) role: SearchRole,
    /// Its texts. A tool call has one for each argument.
    pub(super) pieces: Vec<Cow<'e, str>>,
    /// What the CLI kept for its own screen, as JSON. Mostly the same again, so that it is looked
    /// at only when nothing else matches.
    pub(super) spare: Option<&'e str>,
}

/// The members that are there for programs, wherever they stand.
const FOR_PROGRAMS: [&str; 14] = [
    "base64",
    "data",
    "encrypted_content",
    "encrypted_index",
    "encrypted_stdout",
    "hash",
    "id",
    "media_type",
    "messageId",
    "signature",
    "toolUseID",
    "tool_use_id",
    "type",
    "uuid",
];

/// What is to be seen of an entry, as far as it is asked for.
pub(super) fn visible<'e>(entry: &'e Entry<'_>, roles: Roles) -> Vec<Visible<'e>> {
    let alone = |role, text| {
        vec![Visible {
            role,
            pieces: vec![text],
            spare: None,
        }]
    };
    let title = |name| {
        let title = entry.string(name);
        title.map_or_else(Vec::new, |title| alone(SearchRole::Title, title))
    };
    let mut all = match entry.kind() {
        Kind::Attachment if roles.has(SearchRole::Attachment) => vec![Visible {
            role: SearchRole::Attachment,
            pieces: entry.get("attachment").map(texts).unwrap_or_default(),
            spare: None,
        }],
        Kind::CustomTitle => title("customTitle"),
        Kind::AiTitle => title("aiTitle"),
        Kind::Summary => title("summary"),
        Kind::User | Kind::Assistant | Kind::System | Kind::Progress | Kind::CompactSystem => {
            let speaker = speaker(entry);
            let parts = entry.parts().into_iter();
            parts.filter_map(|part| of_part(part, speaker)).collect()
        }
        _ => Vec::new(),
    };
    all.retain(|visible| roles.has(visible.role));
    all
}

/// Who says the text of a line.
fn speaker(entry: &Entry<'_>) -> SearchRole {
    match entry.kind() {
        Kind::Assistant => SearchRole::Assistant,
        // What the CLI says in the user's place.
        Kind::User if entry.is_true("isMeta") || entry.is_true("isCompactSummary") => {
            SearchRole::System
        }
        Kind::User => SearchRole::User,
        _ => SearchRole::System,
    }
}

fn of_part(part: Part<'_>, speaker: SearchRole) -> Option<Visible<'_>> {
    let mut spare = None;
    let (role, pieces) = match part {
        Part::Text(text) => (speaker, vec![text]),
        Part::Thinking { text, .. } => (SearchRole::Thinking, vec![text]),
        Part::Call { name, input, .. } => {
            let mut pieces: Vec<Cow<'_, str>> = name.into_iter().collect();
            pieces.extend(input.map(texts).unwrap_or_default());
            (SearchRole::ToolCall, pieces)
        }
        Part::Answer {
            content,
            structured,
            ..
        } => {
            spare = structured;
            let parts = content.map(Part::of_content).unwrap_or_default();
            let pieces = parts.into_iter().flat_map(|part| match part {
                Part::Text(text) => vec![text],
                Part::Other { json, .. } => texts(json),
                _ => Vec::new(),
            });
            (SearchRole::ToolResult, pieces.collect())
        }
        Part::Other { json, .. } => (speaker, texts(json)),
        Part::Image { .. } => return None,
    };
    Some(Visible {
        role,
        pieces,
        spare,
    })
}

/// All strings in a JSON text that are for people, at any depth and in their order.
pub(super) fn texts(json: &str) -> Vec<Cow<'_, str>> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut for_programs = false;
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', bytes.get(at..).unwrap_or_default()) {
        let start = at + start;
        let between = &bytes[at..start];
        if between.iter().any(|b| matches!(b, b'{' | b'[' | b',')) {
            for_programs = false;
        }
        let Some(end) = string_end(bytes, start) else {
            break;
        };
        at = end;
        let quoted = &json[start..end];
        let rest = bytes[end..].iter().find(|b| !b.is_ascii_whitespace());
        if rest == Some(&b':') {
            for_programs = FOR_PROGRAMS.contains(&&json[start + 1..end - 1]);
        } else if !for_programs {
            found.extend(members::string(quoted));
        }
    }
    found
}

/// Where the string that begins at a quote ends, behind its other quote.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_not_for_people() {
        let json = r#"{"type":"a","file" : "b\n\"c","list":["d",{"id":"e","x":["f"]},"g"],"data":"h","n":1,"i":"j"}"#;
        assert_eq!(texts(json), ["b\n\"c", "d", "f", "g", "j"]);
        assert_eq!(texts(r#""alone""#), ["alone"]);
        assert_eq!(texts("17"), [""; 0]);
        assert_eq!(texts(r#"{"a":"cut"#), [""; 0]);
    }
}
