//! The visible text of a line.

use std::borrow::Cow;

use super::role::SearchRole;
use crate::entry::{Entry, Kind, Part};
use crate::json::{Token, Tokens};
use crate::members;

/// A message, tool call, result or title.
#[derive(Debug)]
pub(super) struct Visible<'e> {
    pub(super) role: SearchRole,
    /// Its texts. A tool call has one for each argument.
    pub(super) pieces: Vec<Cow<'e, str>>,
    /// The CLI's own data about a result, as JSON. It usually repeats the result, so it is searched
    /// only if nothing else matches.
    pub(super) spare: Option<&'e str>,
}

impl<'e> Visible<'e> {
    pub(super) fn new(role: SearchRole, pieces: Vec<Cow<'e, str>>) -> Self {
        Self {
            role,
            pieces,
            spare: None,
        }
    }
}

/// The source of a JSON value, which determines the visible parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// Blocks of the API and attachments of the CLI: members with known names are hidden.
    Api,
    /// Arguments of a tool: everything is visible, except Base64 data.
    Tool,
    /// The CLI's data about a result, or a result that is JSON.
    Result,
}

/// The members of the API that are not visible.
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

/// The visible texts of an entry with the given roles.
pub(super) fn visible<'e>(entry: &'e Entry<'_>, roles: &[SearchRole]) -> Vec<Visible<'e>> {
    let title = |name| {
        let title = entry.string(name).into_iter();
        title
            .map(|title| Visible::new(SearchRole::Title, vec![title]))
            .collect()
    };
    let mut all = match entry.kind() {
        Kind::Attachment if roles.contains(&SearchRole::Attachment) => {
            let json = entry.get("attachment").unwrap_or_default();
            vec![Visible::new(
                SearchRole::Attachment,
                texts(json, Whose::Api),
            )]
        }
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
    all.retain(|visible| roles.contains(&visible.role));
    all
}

/// Joins the text blocks of a message into one text, and its thinking blocks into another. Calls
/// and results stay separate.
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

/// The role of a line's text.
fn speaker(entry: &Entry<'_>) -> SearchRole {
    match entry.kind() {
        Kind::Assistant => SearchRole::Assistant,
        // Messages that the CLI writes in the name of the user.
        Kind::User if entry.is_true("isMeta") || entry.is_true("isCompactSummary") => {
            SearchRole::System
        }
        Kind::User => SearchRole::User,
        _ => SearchRole::System,
    }
}

fn of_part(part: Part<'_>, speaker: SearchRole) -> Option<Visible<'_>> {
    Some(match part {
        Part::Text(text) => Visible::new(speaker, vec![text]),
        Part::Thinking { text, .. } => Visible::new(SearchRole::Thinking, vec![text]),
        Part::Call { name, input, .. } => {
            let mut pieces: Vec<Cow<'_, str>> = name.into_iter().collect();
            pieces.extend(input.map_or_else(Vec::new, |input| texts(input, Whose::Tool)));
            Visible::new(SearchRole::ToolCall, pieces)
        }
        Part::Answer {
            content,
            structured,
            ..
        } => {
            let parts = content.map(Part::of_content).unwrap_or_default();
            let pieces = parts.into_iter().flat_map(|part| match part {
                Part::Text(text) => vec![text],
                Part::Other { json, .. } => texts(json, Whose::Api),
                _ => Vec::new(),
            });
            Visible {
                spare: structured,
                ..Visible::new(SearchRole::ToolResult, pieces.collect())
            }
        }
        Part::Other { json, .. } => Visible::new(speaker, texts(json, Whose::Api)),
        Part::Image { .. } => return None,
    })
}

/// All visible texts in JSON, at any depth and in order: strings, and for tools also numbers and
/// booleans.
pub(super) fn texts(json: &str, whose: Whose) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    let mut name = "";
    for token in Tokens::new(json.as_bytes()) {
        match token {
            Token::Name(range) => {
                name = &json[range];
                continue;
            }
            Token::String(range) if is_for_people(name, &json[range.clone()], whose) => {
                found.extend(members::string(&json[range.start - 1..=range.end]));
            }
            Token::Scalar(range) if whose != Whose::Api => {
                let word = &json[range];
                let is_number = word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                // Nearly every result of the CLI contains `false`.
                if is_number || (whose == Whose::Tool && matches!(word, "true" | "false")) {
                    found.push(Cow::Borrowed(word));
                }
            }
            _ => {}
        }
        name = "";
    }
    found
}

/// Returns whether a string is visible, by its member.
fn is_for_people(name: &str, text: &str, whose: Whose) -> bool {
    match whose {
        Whose::Api => !FOR_PROGRAMS.contains(&name),
        _ if matches!(name, "base64" | "data") => !is_base64(text),
        // The names of types of the API and the CLI.
        Whose::Result if name == "type" => !SHAPES.contains(&text),
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

/// Returns whether a text is a file in Base64.
fn is_base64(text: &str) -> bool {
    const SHORTEST: usize = 64;
    text.len() >= SHORTEST
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_'))
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
