//! What the CLI says, and what it gives the model beside the messages.

use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::export::html::{Page, Speaker, escape, number, tool};
use crate::export::said::{self, Said, preview};
use crate::export::skim;
use crate::tree::NodeId;

impl Page<'_, '_> {
    pub(super) fn compaction(&mut self, entry: &Entry<'_>, id: NodeId) {
        self.job.out.buffer.extend_from_slice(b"<div class=\"cut\"");
        self.id(entry);
        let data = entry
            .object("compactMetadata")
            .or_else(|| entry.object("metadata"))
            .unwrap_or_default();
        let number = |name| data.get(name).and_then(|n: &str| n.parse::<u64>().ok());
        let cut = self.job.tree.node(id).is_cut();
        let mut text = String::from(match entry.string("message").as_deref() {
            Some("conversation_compacting") => "Compaction begins",
            Some("conversation_restoring") => "Restoration begins",
            Some("conversation_restored") => "The conversation was restored",
            _ if !cut => "Went back behind a compaction",
            _ => "The conversation was compacted",
        });
        if let (Some(before), Some(after)) = (number("preTokens"), number("postTokens")) {
            let (before, after) = (number::grouped(before), number::grouped(after));
            text.push_str(&format!(" · {before} → {after} tokens"));
        }
        if let Some(why) = data.string("trigger") {
            text.push_str(if why == "auto" {
                " · by itself"
            } else {
                " · by command"
            });
        }
        self.put("><span>");
        escape::text(&text, &mut self.job.out.buffer);
        self.put("</span></div>\n");
        self.speaker = Speaker::Nobody;
    }

    pub(super) fn notice(&mut self, entry: &Entry<'_>, id: NodeId) {
        let texts = command_output(entry);
        // Most commands have nothing to say.
        if entry.kind() == Kind::User && texts.iter().all(|text| is_silent(text)) {
            return;
        }
        self.open(entry, id, Speaker::Cli, "s", entry.flags().error);
        for text in &texts {
            self.user_text(text, false);
        }
        if texts.is_empty() {
            let error = entry.object("error");
            let said = error.as_ref().and_then(|error| {
                error
                    .string("formatted")
                    .or_else(|| error.string("message"))
            });
            let subtype = entry.subtype().unwrap_or_default();
            let out = &mut self.job.out.buffer;
            out.extend_from_slice(b"<p class=\"note\">");
            escape::text(&subtype.replace('_', " "), out);
            if let Some(said) = said {
                out.extend_from_slice(b": ");
                escape::text(&preview(&said, 400), out);
            }
            out.extend_from_slice(b"</p>");
        }
        self.put("</article>\n");
    }

    /// The lines between messages, when all is to be seen.
    pub(in crate::export::html) fn folded(&mut self, id: NodeId) -> Result<(), TranscriptError> {
        let tree = self.job.tree;
        let mut line = self.pool.pop().unwrap_or_default();
        for folded in tree.folded(id).iter().filter(|folded| !folded.replaced) {
            if !matches!(folded.kind, Kind::Attachment | Kind::User) {
                continue;
            }
            self.job.source.folded(folded, &mut line)?;
            let entry = Entry::read(&line).filter(|entry| !self.job.is_deleted(entry));
            let Some(entry) = entry else {
                continue;
            };
            let attachment = entry.object("attachment").unwrap_or_default();
            let kind = attachment
                .string("type")
                .unwrap_or_else(|| entry.kind_text());
            let out = &mut self.job.out.buffer;
            out.extend_from_slice(b"<details class=\"tool sys\"><summary><span class=\"n\">");
            escape::text(&kind.replace('_', " "), out);
            out.extend_from_slice(b"</span><span class=\"s\">for the model</span></summary><div>");
            tool::json(
                entry
                    .get("attachment")
                    .or(entry.get("message"))
                    .unwrap_or("null"),
                out,
            );
            out.extend_from_slice(b"</div></details>\n");
        }
        self.pool.push(line);
        Ok(())
    }
}

/// What a command printed, as the CLI keeps it in a notice of its own or in a user's line.
fn command_output(entry: &Entry<'_>) -> Vec<String> {
    if entry.kind() == Kind::User {
        let parts = skim::parts(entry).into_iter();
        let texts = parts.filter_map(|part| match part {
            Part::Text(text) => Some(text.into_owned()),
            _ => None,
        });
        return texts.collect();
    }
    let text = entry.string("content").or_else(|| entry.string("message"));
    text.map(|text| text.into_owned()).into_iter().collect()
}

fn is_silent(text: &str) -> bool {
    matches!(said::read(text), Said::Output(output) if output.trim().is_empty())
}
