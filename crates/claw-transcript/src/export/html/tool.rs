//! Calls of tools and what they returned.

mod laid_out;
mod result;

use std::borrow::Cow;

use super::{diff, escape, markdown};
use crate::entry::TELLING;
use crate::export::skim::{self, Fields, quoted};

pub(super) use laid_out::{clipped, fold, json, one_line};
pub(in crate::export) use result::is_picture;
pub(super) use result::{image, other, result};

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
