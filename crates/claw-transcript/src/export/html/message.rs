//! One message on the page.

mod head;
mod notice;
mod reply;
mod user;

use super::{Page, Speaker, escape, markdown, tool};
use crate::entry::{Entry, Kind, Part};
use crate::export::said::{self, Said, preview};
use crate::export::skim;
use crate::tree::{NodeId, NodeKind};

/// What a message is about, on one line.
pub(super) fn preview_of(entry: &Entry<'_>, limit: usize) -> String {
    let parts = skim::parts(entry);
    let text = parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(match said::read(text) {
            Said::Words(words) => preview(words, limit),
            Said::Command(name, arguments) => preview(&format!("{name} {arguments}"), limit),
            Said::Shell(command) => preview(&format!("! {command}"), limit),
            Said::Notification(what, _) => preview(&what, limit),
            Said::Output(text) | Said::Interrupt(text) | Said::Hidden(text) => preview(text, limit),
        }),
        Part::Call { name, .. } => name.as_deref().map(str::to_owned),
        _ => None,
    });
    text.unwrap_or_default()
}

impl Page<'_, '_> {
    /// All messages that are no replies.
    pub(super) fn other(&mut self, id: NodeId, kind: NodeKind, entries: &[Entry<'_>]) {
        let entry = &entries[0];
        match kind {
            NodeKind::Compaction => self.compaction(entry, id),
            NodeKind::Notice => {
                // What a command printed is a notice of its own, or stands in a user's place.
                let command = entry.subtype().as_deref() == Some("local_command")
                    || entry.kind() == Kind::User;
                if self.job.export.system || entry.flags().error || command {
                    self.notice(entry, id);
                }
            }
            NodeKind::Summary => {
                self.open(entry, id, Speaker::Cli, "s", false);
                self.put("<details class=\"think\"><summary>The summary that the model goes on with</summary><div class=\"md\">");
                for part in skim::parts(entry) {
                    if let Part::Text(text) = part {
                        markdown::write(&text, &mut self.job.out.buffer);
                    }
                }
                self.put("</div></details></article>\n");
            }
            _ => self.user(id, kind, entries),
        }
    }

    /// A part that looks the same wherever it stands.
    fn part(&mut self, part: &Part<'_>, by_model: bool) {
        let out = &mut self.job.out.buffer;
        match part {
            Part::Text(text) if by_model => {
                out.extend_from_slice(b"<div class=\"md\">");
                markdown::write(text, out);
                out.extend_from_slice(b"</div>");
            }
            Part::Thinking { text, redacted } => {
                if !self.job.export.thinking {
                    return;
                }
                if text.trim().is_empty() {
                    let why = if *redacted { "encrypted" } else { "not kept" };
                    out.extend_from_slice(
                        format!("<p class=\"dim think\">Thinking, {why}</p>").as_bytes(),
                    );
                    return;
                }
                out.extend_from_slice(
                    b"<details class=\"think\"><summary>Thinking <span class=\"s\">",
                );
                escape::text(&preview(text, 100), out);
                out.extend_from_slice(b"</span></summary><div class=\"md\">");
                markdown::write(text, out);
                out.extend_from_slice(b"</div></details>\n");
            }
            Part::Image { media_type, data } => {
                let shown = tool::image(media_type.as_deref(), *data, out);
                self.job.report.images += u64::from(shown);
            }
            Part::Other { json, .. } => {
                tool::other(part, json, out);
            }
            _ => {}
        }
    }
}
