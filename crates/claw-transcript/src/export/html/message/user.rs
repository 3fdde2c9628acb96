//! What stands in a user's place.

use crate::entry::{Entry, Kind, Part};
use crate::export::html::tool::{self, Answer};
use crate::export::html::{Page, Speaker, escape, markdown};
use crate::export::said::{self, Said};
use crate::export::skim;
use crate::tree::{NodeId, NodeKind};

impl Page<'_, '_> {
    pub(super) fn user(&mut self, id: NodeId, kind: NodeKind, entries: &[Entry<'_>]) {
        let hidden = |entry: &Entry<'_>| {
            let parts = skim::parts(entry);
            let texts = |part: &Part<'_>| match part {
                Part::Text(text) => matches!(said::read(text), Said::Hidden(_)),
                _ => false,
            };
            (entry.flags().meta && kind != NodeKind::Notification) || parts.iter().all(texts)
        };
        if entries.iter().all(hidden) && !self.job.export.system {
            return;
        }
        let prompts = matches!(
            kind,
            NodeKind::Prompt | NodeKind::Queued | NodeKind::Command
        );
        self.open(&entries[0], id, Speaker::Person, "u", false);
        if kind == NodeKind::Queued {
            self.put("<p class=\"dim\">Sent while the model was at work</p>");
        }
        if prompts && self.depth == 0 {
            self.list_prompt(&entries[0]);
        }
        for entry in entries {
            if entry.kind() == Kind::Attachment {
                self.queued(entry);
                continue;
            }
            for part in skim::parts(entry) {
                match part {
                    Part::Text(text) => self.user_text(&text, prompts),
                    Part::Answer {
                        content,
                        is_error,
                        structured,
                        ..
                    } => {
                        let answer = Answer {
                            content,
                            is_error,
                            structured,
                        };
                        let out = &mut self.job.out.buffer;
                        out.extend_from_slice(b"<details class=\"tool\"><summary><span class=\"n\">Result</span></summary><div>");
                        self.job.report.images += tool::result(&answer, out);
                        out.extend_from_slice(b"</div></details>");
                    }
                    part => self.part(&part, false),
                }
            }
        }
        self.put("</article>\n");
    }

    /// A prompt that waited, which is kept as an attachment.
    fn queued(&mut self, entry: &Entry<'_>) {
        let attachment = entry.object("attachment").unwrap_or_default();
        let prompt = attachment.get("prompt").unwrap_or_default();
        for part in Part::of_content(prompt) {
            match part {
                Part::Text(text) => self.user_text(&text, true),
                part => self.part(&part, false),
            }
        }
    }

    /// What stands in a user's place.
    pub(super) fn user_text(&mut self, text: &str, prompt: bool) {
        let out = &mut self.job.out.buffer;
        let block = |class: &str, text: &str, out: &mut Vec<u8>| {
            out.extend_from_slice(format!("<pre class=\"{class}\">\n").as_bytes());
            escape::text(text, out);
            out.extend_from_slice(b"</pre>");
        };
        match said::read(text) {
            Said::Words(words) => {
                let words = words.trim();
                let lines = memchr::memchr_iter(b'\n', words.as_bytes()).count() + 1;
                let long = words.len() > 4000 || lines > 40;
                if long {
                    out.extend_from_slice(b"<div class=\"clip\">");
                }
                out.extend_from_slice(if prompt {
                    &b"<div class=\"pre\">"[..]
                } else {
                    &b"<div class=\"pre dim\">"[..]
                });
                escape::text(words, out);
                out.extend_from_slice(b"</div>");
                if long {
                    tool::fold(lines, words.len(), out);
                }
            }
            Said::Command(name, arguments) => {
                out.extend_from_slice(b"<p><code class=\"slash\">");
                escape::text(name, out);
                out.extend_from_slice(b"</code> ");
                escape::text(arguments, out);
                out.extend_from_slice(b"</p>");
            }
            Said::Shell(command) => block("cmd", command, out),
            Said::Output(output) if output.trim().is_empty() => {}
            Said::Output(output) => {
                // Written anew as JSON, so that colours are read in one place.
                let json = serde_json::Value::from(output).to_string();
                let raw = json.get(1..json.len() - 1).unwrap_or_default();
                tool::clipped(raw, "out", out);
            }
            Said::Notification(what, result) => {
                out.extend_from_slice(b"<p class=\"note\">");
                escape::text(&what, out);
                out.extend_from_slice(b"</p>");
                if !result.is_empty() {
                    out.extend_from_slice(b"<div class=\"md\">");
                    markdown::write(result, out);
                    out.extend_from_slice(b"</div>");
                }
            }
            Said::Interrupt(note) => {
                out.extend_from_slice(b"<p class=\"note\">");
                escape::text(note, out);
                out.extend_from_slice(b"</p>");
            }
            Said::Hidden(text) if self.job.export.system => block("out", text, out),
            Said::Hidden(_) => {}
        }
    }
}
