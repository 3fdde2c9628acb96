//! How a message begins: who speaks, when, and where it is linked from.

use super::preview_of;
use crate::entry::{Entry, Kind};
use crate::export::facts::short_model;
use crate::export::html::{Page, Speaker, escape, tool};
use crate::export::skim::{self, Fields};
use crate::members;
use crate::tree::NodeId;

impl Page<'_, '_> {
    /// Begins a message.
    pub(super) fn open(
        &mut self,
        entry: &Entry<'_>,
        id: NodeId,
        speaker: Speaker,
        class: &str,
        error: bool,
    ) {
        let node = self.job.tree.node(id);
        let time = node.time_ms();
        self.day_mark(time);
        let out = &mut self.job.out.buffer;
        out.extend_from_slice(b"<article class=\"m ");
        out.extend_from_slice(class.as_bytes());
        if error {
            out.extend_from_slice(b" err");
        }
        out.push(b'"');
        self.id(entry);
        self.put(">");
        let uuid = entry.uuid().unwrap_or_default();
        let new = self.speaker != speaker || speaker == Speaker::Person;
        self.speaker = speaker;
        self.put(if new {
            "<header><b>"
        } else {
            "<header class=\"h\">"
        });
        if new {
            let who = match speaker {
                Speaker::Model if self.depth > 0 => "Subagent",
                Speaker::Model => "Claude",
                Speaker::Cli => "Claude Code",
                _ if self.depth > 0 => "Claude",
                _ => "You",
            };
            self.put(who);
            self.put("</b>");
            let message = entry.get("message").filter(|_| speaker == Speaker::Model);
            let model = message.and_then(|message| members::string(skim::get(message, "model")?));
            let out = &mut self.job.out.buffer;
            if let Some(model) = model.filter(|model| model != "<synthetic>") {
                out.extend_from_slice(b"<span>");
                escape::text(short_model(&model), out);
                out.extend_from_slice(b"</span>");
            }
        }
        let out = &mut self.job.out.buffer;
        out.extend_from_slice(b"<a href=\"#m-");
        safe_id(&uuid, out);
        out.extend_from_slice(b"\">");
        match time {
            Some(ms) => {
                let seconds = ms.div_euclid(1000).rem_euclid(86_400);
                let two = |n: i64| [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
                out.extend_from_slice(&two(seconds / 3600));
                out.push(b':');
                out.extend_from_slice(&two(seconds / 60 % 60));
            }
            None => out.push(b'#'),
        }
        out.extend_from_slice(b"</a></header>");
    }

    /// A line where another day begins.
    fn day_mark(&mut self, time: Option<i64>) {
        let Some(ms) = time else {
            return;
        };
        let day = ms.div_euclid(86_400_000);
        // Only onwards, and not inside of what is folded.
        if self.depth == 0 && day > self.day {
            if self.day != i64::MIN {
                let date = crate::time::to_iso(crate::time::from_ms(ms));
                let date = date.get(..10).unwrap_or_default();
                self.put(&format!("<div class=\"day\"><span>{date}</span></div>\n"));
            }
            self.day = day;
        }
    }

    pub(super) fn id(&mut self, entry: &Entry<'_>) {
        if let Some(uuid) = entry.uuid() {
            let out = &mut self.job.out.buffer;
            out.extend_from_slice(b" id=\"m-");
            safe_id(&uuid, out);
            out.push(b'"');
        }
    }

    pub(super) fn list_prompt(&mut self, entry: &Entry<'_>) {
        let about = if entry.kind() == Kind::Attachment {
            let attachment = Fields::of(entry.get("attachment").unwrap_or_default());
            let prompt = attachment.inner("prompt").unwrap_or_default();
            tool::one_line(prompt, 80)
        } else {
            preview_of(entry, 80)
        };
        let out = &mut self.prompts;
        // Those of abandoned branches stand apart.
        out.extend_from_slice(if self.branch > 0 {
            &b"<li class=\"b\"><a href=\"#m-"[..]
        } else {
            &b"<li><a href=\"#m-"[..]
        });
        safe_id(&entry.uuid().unwrap_or_default(), out);
        out.extend_from_slice(b"\">");
        escape::text(if about.is_empty() { "…" } else { &about }, out);
        out.extend_from_slice(b"</a></li>\n");
    }
}

/// An id that can stand in an address.
fn safe_id(id: &str, out: &mut Vec<u8>) {
    for byte in id.bytes().take(80) {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        out.push(if plain { byte } else { b'_' });
    }
}
