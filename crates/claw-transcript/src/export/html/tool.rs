//! Calls of tools and what they returned.

use std::borrow::Cow;

use super::{diff, escape, markdown, number};
use crate::entry::{Part, TELLING};
use crate::export::said::preview;
use crate::export::skim::{self, Fields, quoted};
use crate::members;

/// A call, read far enough to draw it.
pub(in crate::export) struct Call<'e> {
    pub(in crate::export) name: Cow<'e, str>,
    input: Fields<'e>,
    /// The arguments when they are no object.
    odd: Option<&'e str>,
}

/// What came back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'e> {
    pub(super) content: Option<&'e str>,
    pub(super) is_error: bool,
    pub(super) structured: Option<&'e str>,
}

/// More lines, or bytes, of output than these are folded.
const LINES: usize = 14;
const BYTES: usize = 2000;

impl<'e> Call<'e> {
    pub(in crate::export) fn new(name: Option<Cow<'e, str>>, input: Option<&'e str>) -> Self {
        let read = input.filter(|input| input.starts_with('{')).map(Fields::of);
        Self {
            name: name.unwrap_or(Cow::Borrowed("a tool without a name")),
            odd: input.filter(|_| read.is_none()),
            input: read.unwrap_or_default(),
        }
    }

    /// The argument that says best what it is about, on one line.
    pub(in crate::export) fn about(&self) -> (Option<&'static str>, String) {
        for name in TELLING {
            if let Some(raw) = self.input.inner(name) {
                return (Some(name), one_line(raw, 140));
            }
        }
        if &*self.name == "TodoWrite" {
            let items = self
                .input
                .get("todos")
                .map_or(0, |todos| skim::list(todos).count());
            return (Some("todos"), format!("{items} items"));
        }
        (None, String::new())
    }

    fn changes_files(&self) -> bool {
        matches!(&*self.name, "Edit" | "MultiEdit" | "Write" | "NotebookEdit")
    }

    /// Writes the arguments. Says whether they are worth showing at once.
    pub(super) fn arguments(
        &self,
        about: Option<&str>,
        answer: Option<&Answer<'_>>,
        out: &mut Vec<u8>,
    ) -> bool {
        let get = |name: &str| self.input.get(name);
        match &*self.name {
            "Bash" | "PowerShell" if self.input.inner("command").is_some() => {
                if let Some(what) = self.input.inner("description") {
                    out.extend_from_slice(b"<p class=\"dim\">");
                    escape::json_attribute(what, out);
                    out.extend_from_slice(b"</p>");
                }
                let command = self.input.inner("command").unwrap_or_default();
                clipped(command, "cmd", out);
                self.others(&["command", "description", "timeout"], out);
                false
            }
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => {
                let lines = self.change(answer, out);
                let shown = [
                    "file_path",
                    "notebook_path",
                    "old_string",
                    "new_string",
                    "content",
                    "new_source",
                    "edits",
                    "replace_all",
                ];
                self.others(&shown, out);
                lines > 0 && lines <= 40
            }
            "TodoWrite" => {
                out.extend_from_slice(b"<ul class=\"todo\">");
                for item in skim::list(get("todos").unwrap_or_default()) {
                    let item = Fields::of(item);
                    let (class, sign) = match item.string("status").as_deref() {
                        Some("completed") => ("done", "☑"),
                        Some("in_progress") => ("now", "◧"),
                        _ => ("", "☐"),
                    };
                    out.extend_from_slice(format!("<li class=\"{class}\">{sign} ").as_bytes());
                    escape::json_attribute(item.inner("content").unwrap_or_default(), out);
                    out.extend_from_slice(b"</li>");
                }
                out.extend_from_slice(b"</ul>");
                true
            }
            "ExitPlanMode" if get("plan").is_some() => {
                out.extend_from_slice(b"<div class=\"md\">");
                markdown::write(&self.input.string("plan").unwrap_or_default(), out);
                out.extend_from_slice(b"</div>");
                true
            }
            "AskUserQuestion" if get("questions").is_some() => {
                questions(get("questions").unwrap_or_default(), out);
                self.others(&["questions"], out);
                true
            }
            _ => {
                if let Some(odd) = self.odd {
                    json(odd, out);
                }
                // What the head shows whole is not shown again.
                let whole = about.filter(|name| {
                    let raw = self.input.inner(name).unwrap_or_default();
                    raw.len() <= 100 && !raw.contains('\\')
                });
                self.others(whole.as_slice(), out);
                false
            }
        }
    }

    /// The change of a file, by the hunks that the CLI kept or by the arguments.
    fn change(&self, answer: Option<&Answer<'_>>, out: &mut Vec<u8>) -> usize {
        let structured = answer.and_then(|answer| answer.structured);
        let hunks = structured.and_then(|kept| skim::get(kept, "structuredPatch"));
        let mut lines = hunks.map_or(0, |hunks| diff::patch(hunks, out));
        if lines > 0 {
            return lines;
        }
        let pair =
            |of: &Fields<'_>, out: &mut Vec<u8>| match (of.get("old_string"), of.get("new_string"))
            {
                (Some(old), Some(new)) => diff::replaced(old, new, out),
                _ => 0,
            };
        lines += pair(&self.input, out);
        for edit in skim::list(self.input.get("edits").unwrap_or_default()) {
            lines += pair(&Fields::of(edit), out);
        }
        let written = self
            .input
            .inner("content")
            .or_else(|| self.input.inner("new_source"));
        if let Some(written) = written {
            lines += clipped(written, "code new", out);
        }
        lines
    }

    /// How many lines came and went, for the head of a change.
    pub(super) fn size_of_change(&self, answer: Option<&Answer<'_>>, out: &mut Vec<u8>) {
        let kept = answer.filter(|answer| !answer.is_error && self.changes_files());
        let Some(structured) = kept.and_then(|answer| answer.structured) else {
            return;
        };
        let hunks = skim::get(structured, "structuredPatch").unwrap_or_default();
        let (mut come, mut gone) = diff::size(hunks);
        if come + gone == 0 {
            // A new file has no hunks.
            let content = self
                .input
                .inner("content")
                .filter(|_| &*self.name == "Write");
            come = content.map_or(0, escape::count_lines);
            gone = 0;
        }
        if come + gone > 0 {
            let text = format!("<em><b class=\"i\">+{come}</b> <b class=\"d\">−{gone}</b></em>");
            out.extend_from_slice(text.as_bytes());
        }
    }

    /// All arguments but these, as a list.
    fn others(&self, shown: &[&str], out: &mut Vec<u8>) {
        let mut rest = self
            .input
            .iter()
            .filter(|(name, _)| !shown.contains(name))
            .peekable();
        if rest.peek().is_none() {
            return;
        }
        out.extend_from_slice(b"<dl>");
        for (name, value) in rest {
            out.extend_from_slice(b"<dt>");
            escape::json_attribute(name, out);
            out.extend_from_slice(b"</dt><dd>");
            match quoted(value) {
                Some(raw) if raw.len() < 200 && !raw.contains("\\n") => {
                    escape::json_attribute(raw, out);
                }
                Some(raw) => {
                    clipped(raw, "out", out);
                }
                None => json(value, out),
            }
            out.extend_from_slice(b"</dd>");
        }
        out.extend_from_slice(b"</dl>");
    }

    /// Writes what came back. Says how many pictures are in it.
    pub(super) fn answer(&self, answer: &Answer<'_>, out: &mut Vec<u8>) -> u64 {
        // The CLI only says that it did what is drawn above.
        let said = self.changes_files() || &*self.name == "TodoWrite";
        if said && !answer.is_error {
            return 0;
        }
        result(answer, out)
    }
}

/// What a tool returned.
pub(super) fn result(answer: &Answer<'_>, out: &mut Vec<u8>) -> u64 {
    let class = if answer.is_error { "out err" } else { "out" };
    let content = answer.content.unwrap_or("\"\"");
    if let Some(raw) = quoted(content) {
        if raw.trim().is_empty() {
            out.extend_from_slice(b"<p class=\"dim\">No output</p>");
        } else {
            clipped(raw, class, out);
        }
        return 0;
    }
    if !content.starts_with('[') {
        json(content, out);
        return 0;
    }
    let mut images = 0;
    for block in skim::list(content) {
        // The text of a block is copied from its JSON, so it is not read as a part.
        let text = Some(Fields::of(block)).filter(|block| block.get("type") == Some("\"text\""));
        if let Some(raw) = text.and_then(|block| block.inner("text")) {
            clipped(raw, class, out);
            continue;
        }
        images += u64::from(other(&Part::of_block(block), block, out));
    }
    images
}

/// A block that is no text. Says whether it is a picture that is shown.
pub(super) fn other(part: &Part<'_>, block: &str, out: &mut Vec<u8>) -> bool {
    match part {
        Part::Image { media_type, data } => return image(media_type.as_deref(), *data, out),
        Part::Other { kind, .. } if kind == "tool_reference" => {
            let name = Fields::of(block);
            out.extend_from_slice(b"<code>");
            escape::json_attribute(name.inner("tool_name").unwrap_or_default(), out);
            out.extend_from_slice(b"</code> ");
        }
        Part::Other { kind, .. } if kind == "document" => {
            let block = Fields::of(block);
            let source = Fields::of(block.get("source").unwrap_or_default());
            out.extend_from_slice("<p class=\"chip\">📄 ".as_bytes());
            escape::json_attribute(source.inner("media_type").unwrap_or("document"), out);
            let length = source.get("data").map_or(0, str::len) as u64;
            out.extend_from_slice(format!(" · {}</p>", number::bytes(length / 4 * 3)).as_bytes());
        }
        _ => json(block, out),
    }
    false
}

/// A picture, when it is of a kind that can only be looked at.
pub(super) fn image(media_type: Option<&str>, data: Option<&str>, out: &mut Vec<u8>) -> bool {
    match (media_type, data) {
        (Some(kind), Some(data)) if is_picture(media_type, Some(data)) => {
            out.extend_from_slice(b"<img alt=\"A picture\" loading=\"lazy\" src=\"data:");
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(b";base64,");
            out.extend_from_slice(data.as_bytes());
            out.extend_from_slice(b"\">");
            true
        }
        _ => {
            out.extend_from_slice(b"<p class=\"chip\">A picture that cannot be shown: ");
            escape::text(media_type.unwrap_or("of no known type"), out);
            out.extend_from_slice(b"</p>");
            false
        }
    }
}

/// Whether data is Base64 of a kind of picture that can only be looked at.
pub(in crate::export) fn is_picture(media_type: Option<&str>, data: Option<&str>) -> bool {
    let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    media_type.is_some_and(|kind| known.contains(&kind))
        && data.is_some_and(|data| data.bytes().all(base64))
}

/// A JSON string, folded when it is long. Says how many lines it has.
pub(super) fn clipped(raw: &str, class: &str, out: &mut Vec<u8>) -> usize {
    let long = raw.len() > BYTES || escape::has_more_lines(raw, LINES);
    if long {
        out.extend_from_slice(b"<div class=\"clip\">");
    }
    out.extend_from_slice(b"<pre class=\"");
    out.extend_from_slice(class.as_bytes());
    // A line end right behind the tag is not shown, so one is given away.
    out.extend_from_slice(b"\">\n");
    let lines = escape::json_string(raw, out);
    out.extend_from_slice(b"</pre>");
    if long {
        fold(lines, raw.len(), out);
    }
    lines
}

/// What stands under something long.
pub(super) fn fold(lines: usize, bytes: usize, out: &mut Vec<u8>) {
    let what = if lines > LINES {
        format!("{} lines", number::grouped(lines as u64))
    } else {
        number::bytes(bytes as u64)
    };
    out.extend_from_slice(
        format!(
            "<details class=\"more\"><summary>Show all <i>· {what}</i></summary></details></div>"
        )
        .as_bytes(),
    );
}

/// JSON that is no string, laid out to be read.
pub(super) fn json(json: &str, out: &mut Vec<u8>) {
    let simple = !json.starts_with(['{', '[']);
    if simple {
        out.extend_from_slice(b"<code>");
        escape::text(json, out);
        out.extend_from_slice(b"</code>");
        return;
    }
    let long = json.len() > BYTES;
    if long {
        out.extend_from_slice(b"<div class=\"clip\">");
    }
    out.extend_from_slice(b"<pre class=\"out\">");
    escape::text(&laid_out(json), out);
    out.extend_from_slice(b"</pre>");
    if long {
        fold(0, json.len(), out);
    }
}

/// JSON with line ends and indents, or as it is when it is long.
fn laid_out(json: &str) -> Cow<'_, str> {
    if json.len() > 64 * 1024 {
        return Cow::Borrowed(json);
    }
    let compact = members::compact(json);
    let (mut in_string, mut escaped, mut depth) = (false, false, 0usize);
    let mut out = String::with_capacity(compact.len() * 2);
    let mut signs = compact.chars().peekable();
    while let Some(c) = signs.next() {
        if in_string {
            out.push(c);
            in_string = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        let closes = |next: Option<&char>| matches!(next, Some(']' | '}'));
        match c {
            '{' | '[' if !closes(signs.peek()) => {
                depth += 1;
                out.push(c);
                new_line(&mut out, depth);
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                escaped = false;
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    // Indents of deep JSON would be longer than the JSON.
    out.extend(std::iter::repeat_n("  ", depth.min(20)));
}

/// The questions that a person was asked.
fn questions(questions: &str, out: &mut Vec<u8>) {
    for question in skim::list(questions) {
        let question = Fields::of(question);
        out.extend_from_slice(b"<p><strong>");
        escape::json_attribute(question.inner("question").unwrap_or_default(), out);
        out.extend_from_slice(b"</strong></p><ul>");
        for option in skim::list(question.get("options").unwrap_or_default()) {
            let option = Fields::of(option);
            out.extend_from_slice(b"<li>");
            escape::json_attribute(option.inner("label").unwrap_or_default(), out);
            if let Some(what) = option.inner("description") {
                out.extend_from_slice(b" <span class=\"dim\">");
                escape::json_attribute(what, out);
                out.extend_from_slice(b"</span>");
            }
            out.extend_from_slice(b"</li>");
        }
        out.extend_from_slice(b"</ul>");
    }
}

/// The start of a JSON string on one line.
pub(super) fn one_line(raw: &str, limit: usize) -> String {
    let mut end = raw.len().min(limit * 6);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let mut cut = &raw[..end];
    if end < raw.len() {
        // Not in the middle of an escape, nor of a pair of them.
        if let Some(at) = cut.rfind('\\').filter(|at| cut.len() - at < 12) {
            cut = cut[..at].trim_end_matches('\\');
        }
    }
    let quoted = format!("\"{cut}\"");
    preview(&members::string(&quoted).unwrap_or_default(), limit)
}
