//! Finds the first prompt of a session.

use std::fs::File;
use std::path::Path;

use memchr::memmem;

use super::scan::{Piece, has_true, has_type};
use crate::entry::{Body, Entry, Kind, Part};
use crate::lines::Lines;
use crate::members::{self, Members};
use crate::script_text::{cut, trim};

/// The maximum length of a prompt, in UTF-16 units.
const KEPT: usize = 200;

/// The first prompt in a piece of a file, or else the first command's name, or else an empty
/// string.
pub(super) fn first_prompt(piece: &Piece) -> String {
    let mut command = String::new();
    for line in user_lines(piece) {
        if has_true(line, "isCompactSummary") {
            continue;
        }
        if let Some(prompt) = Members::read(line).and_then(|line| prompt_of(&line, &mut command)) {
            return prompt;
        }
    }
    command
}

/// The first prompt of a file in any dialect; empty if there is none. Reads the file until it is
/// found, so it is only for files whose ends show no prompt.
pub(super) fn search(path: &Path) -> String {
    let Ok(file) = File::open(path) else {
        return String::new();
    };
    let mut lines = Lines::new(file);
    while let Ok(Some(line)) = lines.next_line() {
        let said = match line.body() {
            Body::Entry(entry) => said_in(&entry),
            Body::Broken(damage) => {
                let pieces = damage.pieces.into_iter();
                let mut entries = pieces.filter_map(|piece| Entry::read(line.raw.get(piece)?));
                entries.find_map(|entry| said_in(&entry))
            }
            Body::Blank => None,
        };
        if let Some(said) = said {
            return said;
        }
    }
    String::new()
}

fn said_in(entry: &Entry<'_>) -> Option<String> {
    let flags = entry.flags();
    if entry.kind() != Kind::User || flags.meta || flags.compact_summary {
        return None;
    }
    entry.parts().into_iter().find_map(|part| match part {
        Part::Text(text) => words_of_text(&text, &mut String::new()),
        _ => None,
    })
}

/// The label of a prompt that has an attachment and no text.
pub(super) fn attachment_word(piece: &Piece) -> Option<&'static str> {
    user_lines(piece).find_map(|line| {
        if has_type(line, "image") {
            Some("Image")
        } else {
            has_type(line, "document").then_some("Document")
        }
    })
}

fn user_lines(piece: &Piece) -> impl Iterator<Item = &str> {
    piece.lines_with(Kind::User).filter(|line| {
        memmem::find(line.as_bytes(), b"\"tool_result\"").is_none() && !has_true(line, "isMeta")
    })
}

/// The prompt in a user line, if any. Sets `command` to the name of the first command.
pub(crate) fn prompt_of(line: &Members<'_>, command: &mut String) -> Option<String> {
    if line.string("type")? != "user" || line.is_true("isMeta") || line.is_true("isCompactSummary")
    {
        return None;
    }
    words_of(line.object("message")?.get("content")?, command)
}

/// Like [`prompt_of`], for a message's content: a string or a list of blocks.
pub(super) fn words_of(content: &str, command: &mut String) -> Option<String> {
    let mut texts = Vec::new();
    if let Some(text) = members::string(content) {
        texts.push(text);
    } else {
        for block in members::list(content) {
            let Some(block) = Members::read(block) else {
                continue;
            };
            match block.string("type").as_deref() {
                Some("tool_result") => return None,
                Some("text") => texts.extend(block.string("text")),
                _ => {}
            }
        }
    }
    texts.iter().find_map(|text| words_of_text(text, command))
}

/// Like [`prompt_of`], for one text.
fn words_of_text(text: &str, command: &mut String) -> Option<String> {
    let text = without_paste_marks(text).replace('\n', " ");
    let text = trim(&text);
    if text.is_empty() {
        return None;
    }
    if let Some(name) = between(text, "<command-name>", "</command-name>") {
        if command.is_empty() {
            name.clone_into(command);
        }
        return None;
    }
    if let Some(input) = between(text, "<bash-input>", "</bash-input>") {
        return Some(format!("! {}", trim(input)));
    }
    if is_machine_made(text) {
        return None;
    }
    Some(match cut(text, KEPT) {
        Some(start) => format!("{}…", trim(start)),
        None => text.to_owned(),
    })
}

/// Returns whether the CLI wrote a text: it is wrapped in a tag, or the note of an interrupt.
fn is_machine_made(text: &str) -> bool {
    if let Some(note) = text.strip_prefix("[Request interrupted by user") {
        return note.contains(']');
    }
    let Some(tag) = text.strip_prefix('<') else {
        return false;
    };
    if !tag.starts_with(|c: char| c.is_ascii_lowercase()) {
        return false;
    }
    let name_end = tag.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    name_end.is_some_and(|end| tag[end..].starts_with(|c: char| c == '>' || c.is_whitespace()))
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(open)?;
    Some(behind.split_once(close)?.0)
}

/// Removes the numbered marks around pasted text.
fn without_paste_marks(text: &str) -> String {
    const OPEN: &str = "<pasted_content id=\"";
    let mut out = String::new();
    let (mut kept_to, mut from) = (0, 0);
    while let Some(found) = text[from..].find(OPEN) {
        let open = from + found;
        let behind = open + OPEN.len();
        let id = text.get(behind..behind + 4).filter(|id| {
            id.bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        });
        let body = behind + 4 + "\">\n".len();
        let Some(id) = id.filter(|_| text[behind + 4..].starts_with("\">\n")) else {
            from = behind;
            continue;
        };
        let close = format!("\n</pasted_content id=\"{id}\">");
        let Some(end) = text[body - 1..].find(&close).map(|at| at + body - 1) else {
            break;
        };
        let before = trim_newlines_end(&text[kept_to..open]);
        out.push_str(before);
        out.push_str(text.get(body..end).unwrap_or_default());
        kept_to = end + close.len();
        for _ in 0..2 {
            kept_to += usize::from(text[kept_to..].starts_with('\n'));
        }
        from = kept_to;
    }
    out.push_str(&text[kept_to..]);
    out
}

/// Removes the one or two newlines between the text and the paste.
fn trim_newlines_end(text: &str) -> &str {
    let once = text.strip_suffix('\n').unwrap_or(text);
    once.strip_suffix('\n').unwrap_or(once)
}
