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

/// Whose JSON it is, which says what of it is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Blocks of the API and attachments of the CLI: members of known names are for programs.
    Api,
    /// Arguments of a tool. Whatever their names are, somebody gave them.
    Tool,
    /// What the CLI kept of a result, or a result that is JSON: as much a tool's as the API's.
    Result,
}

/// The members of the API that are there for programs.
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
            pieces: entry
                .get("attachment")
                .map(|json| texts(json, Whose::Api))
                .unwrap_or_default(),
            spare: None,
        }],
        Kind::CustomTitle => title("customTitle"),
        Kind::AiTitle => title("aiTitle"),
        Kind::Summary => title("summary"),
        Kind::User | Kind::Assistant | Kind::System | Kind::Progress | Kind::CompactSystem => {
            let speaker = speaker(entry);
            let parts = entry.parts().into_iter();
            joined(parts.filter_map(|part| of_part(part, speaker)))
        }
        _ => Vec::new(),
    };
    all.retain(|visible| roles.has(visible.role));
    all
}

/// The blocks of a message are one text, and those in which the model thinks another. Every call
/// and every result stands for itself.
fn joined<'e>(parts: impl Iterator<Item = Visible<'e>>) -> Vec<Visible<'e>> {
    let mut all: Vec<Visible<'e>> = Vec::new();
    for part in parts {
        let alone = matches!(part.role, SearchRole::ToolCall | SearchRole::ToolResult);
        let same = all.iter_mut().find(|earlier| earlier.role == part.role);
        match same {
            Some(same) if !alone => same.pieces.extend(part.pieces),
            _ => all.push(part),
        }
    }
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
            pieces.extend(input.map_or_else(Vec::new, |input| texts(input, Whose::Tool)));
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
                Part::Other { json, .. } => texts(json, Whose::Api),
                _ => Vec::new(),
            });
            (SearchRole::ToolResult, pieces.collect())
        }
        Part::Other { json, .. } => (speaker, texts(json, Whose::Api)),
        Part::Image { .. } => return None,
    };
    Some(Visible {
        role,
        pieces,
        spare,
    })
}

/// All that is for people in a JSON text, at any depth and in its order: strings, and where they
/// are a tool's, numbers and truths as they are written.
pub(super) fn texts(json: &str, whose: Whose) -> Vec<Cow<'_, str>> {
    let bytes = json.as_bytes();
    let mut found = Vec::new();
    let mut name = "";
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', bytes.get(at..).unwrap_or_default()) {
        let start = at + start;
        let between = &json[at..start];
        if between.bytes().any(|b| matches!(b, b'{' | b'[' | b',')) {
            name = "";
        }
        bare_words(between, whose, &mut found);
        let Some(end) = string_end(bytes, start) else {
            return found;
        };
        at = end;
        let quoted = &json[start..end];
        let rest = bytes[end..].iter().find(|b| !b.is_ascii_whitespace());
        if rest == Some(&b':') {
            name = &json[start + 1..end - 1];
        } else if is_for_people(name, quoted, whose) {
            found.extend(members::string(quoted));
        }
    }
    bare_words(json.get(at..).unwrap_or_default(), whose, &mut found);
    found
}

/// What stands outside of strings.
fn bare_words<'e>(between: &'e str, whose: Whose, found: &mut Vec<Cow<'e, str>>) {
    if whose == Whose::Api {
        return;
    }
    let words = between
        .split(|c: char| matches!(c, '{' | '}' | '[' | ']' | ',' | ':') || c.is_ascii_whitespace());
    for word in words {
        let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        // Nearly every result of the CLI says that something is false.
        let is_truth = whose == Whose::Tool && matches!(word, "true" | "false");
        if is_number || is_truth {
            found.push(Cow::Borrowed(word));
        }
    }
}

/// Whether a string is there to be read, by the member that it is in.
fn is_for_people(name: &str, quoted: &str, whose: Whose) -> bool {
    match whose {
        Whose::Api => !FOR_PROGRAMS.contains(&name),
        _ if matches!(name, "base64" | "data") => !is_base64(quoted.trim_matches('"')),
        // The words by which the API and the CLI tell their own shapes apart.
        Whose::Result if name == "type" => !SHAPES.contains(&quoted.trim_matches('"')),
        _ => true,
    }
}

const SHAPES: [&str; 12] = [
    "base64",
    "create",
    "document",
    "file_unchanged",
    "image",
    "notebook",
    "parts",
    "pdf",
    "text",
    "tool_reference",
    "tool_result",
    "update",
];

/// Whether a text is a file in Base64, and nothing that anybody would read.
fn is_base64(text: &str) -> bool {
    const SHORTEST: usize = 64;
    text.len() >= SHORTEST
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
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
        let of_api = |json| texts(json, Whose::Api);
        assert_eq!(of_api(json), ["b\n\"c", "d", "f", "g", "j"]);
        assert_eq!(of_api(r#""alone""#), ["alone"]);
        assert_eq!(of_api("17"), [""; 0]);
        assert_eq!(of_api(r#"{"a":"cut"#), [""; 0]);
    }

    #[test]
    fn a_tool_may_name_its_arguments_as_it_likes() {
        let picture = "QUJD".repeat(20);
        let json = format!(
            r#"{{"id":"PROJ-1","type":"text","data":"words","n":[-1.5e3, 7],"t":true,"z":null,"base64":"{picture}"}}"#
        );
        let of_call = ["PROJ-1", "text", "words", "-1.5e3", "7", "true"];
        assert_eq!(texts(&json, Whose::Tool), of_call);
        assert_eq!(
            texts(&json, Whose::Result),
            ["PROJ-1", "words", "-1.5e3", "7"]
        );
        assert_eq!(texts("17", Whose::Tool), ["17"]);
        assert_eq!(texts(r#"[1,"cut"#, Whose::Tool), ["1"]);
    }
}
