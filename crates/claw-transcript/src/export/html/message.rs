//! One message on the page.

use super::tool::{self, Answer, Call};
use super::{Page, Speaker, escape, markdown, number};
use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::export::facts::short_model;
use crate::export::said::{self, Said, preview};
use crate::export::skim::{self, Fields};
use crate::members;
use crate::tree::{NodeId, NodeKind};

/// An answer that waits for its call to be drawn.
struct Waiting<'e> {
    call: Option<String>,
    answer: Answer<'e>,
    taken: bool,
}

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
    /// What the model said and called.
    pub(super) fn reply(
        &mut self,
        id: NodeId,
        entries: &[Entry<'_>],
        results: &[Entry<'_>],
    ) -> Result<(), TranscriptError> {
        let parts: Vec<Vec<Part<'_>>> = entries.iter().map(skim::parts).collect();
        let behind: Vec<Vec<Part<'_>>> = results.iter().map(skim::parts).collect();
        let mut waiting: Vec<Waiting<'_>> = parts
            .iter()
            .chain(&behind)
            .flatten()
            .filter_map(|part| match part {
                Part::Answer {
                    call,
                    content,
                    is_error,
                    structured,
                } => Some(Waiting {
                    call: call.as_deref().map(str::to_owned),
                    answer: Answer {
                        content: *content,
                        is_error: *is_error,
                        structured: *structured,
                    },
                    taken: false,
                }),
                _ => None,
            })
            .collect();
        let mut agents = self.job.outline.agents_of(id).to_vec();
        let node = self.job.tree.node(id);
        let (error, cut_off) = (node.is_error(), node.is_interrupted());
        self.open(&entries[0], id, Speaker::Model, "a", error);
        for part in parts.iter().flatten() {
            match part {
                Part::Call {
                    id, name, input, ..
                } => {
                    let found = waiting
                        .iter_mut()
                        .find(|waiting| !waiting.taken && waiting.call.as_deref() == id.as_deref());
                    let answer = found.map(|waiting| {
                        waiting.taken = true;
                        waiting.answer
                    });
                    let call = Call::new(name.clone(), *input);
                    self.call(&call, answer, &mut agents)?;
                }
                // Shown with its call.
                Part::Answer { .. } => {}
                part => self.part(part, true),
            }
        }
        if cut_off {
            self.put("<p class=\"dim\">Cut off here</p>");
        }
        for left in waiting.iter().filter(|waiting| !waiting.taken) {
            let out = &mut self.job.out.buffer;
            out.extend_from_slice(b"<details class=\"tool\"><summary><span class=\"n\">Result</span><span class=\"s\">of a call that is not here</span></summary><div>");
            self.job.report.images += tool::result(&left.answer, out);
            out.extend_from_slice(b"</div></details>");
        }
        // Whatever else stands with the results.
        for part in behind.iter().flatten() {
            match part {
                Part::Answer { .. } => {}
                Part::Text(text) if !matches!(said::read(text), Said::Hidden(_)) => {
                    self.user_text(text, false);
                }
                Part::Text(_) => {}
                part => self.part(part, true),
            }
        }
        for agent in agents {
            self.agent(agent)?;
        }
        self.put("</article>\n");
        Ok(())
    }

    /// A call with what came back, and the subagent that it started.
    fn call(
        &mut self,
        call: &Call<'_>,
        answer: Option<Answer<'_>>,
        agents: &mut Vec<usize>,
    ) -> Result<(), TranscriptError> {
        let (telling, about) = call.about();
        let about = self.below_cwd(&about);
        let failed = answer.is_some_and(|answer| answer.is_error);
        let out = &mut self.job.out.buffer;
        let start = out.len();
        out.extend_from_slice(b"<details class=\"tool");
        out.extend_from_slice(if failed { b" err\"" } else { b"\"" });
        let open_at = out.len();
        out.extend_from_slice(b"><summary><span class=\"n\">");
        escape::text(&call.name, out);
        out.extend_from_slice(b"</span><span class=\"s\">");
        escape::text(about, out);
        out.extend_from_slice(b"</span>");
        call.size_of_change(answer.as_ref(), out);
        match answer {
            Some(answer) if answer.is_error => out.extend_from_slice(b"<em>failed</em>"),
            None => out.extend_from_slice(b"<em>no result</em>"),
            _ => {}
        }
        out.extend_from_slice(b"</summary><div>");
        let body = out.len();
        let worth = call.arguments(telling, answer.as_ref(), out);
        if let Some(answer) = &answer {
            self.job.report.images += call.answer(answer, out);
        }
        if out.len() == body {
            out.extend_from_slice(b"<p class=\"dim\">Nothing more to see</p>");
        }
        if worth && !failed {
            // Short changes and lists are what a reader looks for.
            out.splice(open_at..open_at, *b" open");
        }
        debug_assert!(start < open_at);
        let structured = answer.and_then(|answer| answer.structured);
        let structured = structured.filter(|_| !agents.is_empty());
        let named = structured.and_then(|kept| skim::get(kept, "agentId"));
        let named = named.and_then(members::string);
        if let Some(named) = named {
            let chains = self.job.tree.sidechains();
            let is = |agent: &usize| chains[*agent].agent_id() == Some(&*named);
            if let Some(at) = agents.iter().position(is) {
                let agent = agents.remove(at);
                self.agent(agent)?;
            }
        }
        self.put("</div></details>\n");
        Ok(())
    }

    /// A path as seen from the folder that the session worked in.
    fn below_cwd<'p>(&self, path: &'p str) -> &'p str {
        let cwd = self.job.facts.cwd.as_deref().unwrap_or_default();
        let below = path
            .strip_prefix(cwd)
            .and_then(|path| path.strip_prefix('/'));
        below.filter(|_| !cwd.is_empty()).unwrap_or(path)
    }

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

    fn user(&mut self, id: NodeId, kind: NodeKind, entries: &[Entry<'_>]) {
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
    fn user_text(&mut self, text: &str, prompt: bool) {
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

    fn compaction(&mut self, entry: &Entry<'_>, id: NodeId) {
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

    fn notice(&mut self, entry: &Entry<'_>, id: NodeId) {
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
    pub(super) fn folded(&mut self, id: NodeId) -> Result<(), TranscriptError> {
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

    /// Begins a message.
    fn open(&mut self, entry: &Entry<'_>, id: NodeId, speaker: Speaker, class: &str, error: bool) {
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

    fn id(&mut self, entry: &Entry<'_>) {
        if let Some(uuid) = entry.uuid() {
            let out = &mut self.job.out.buffer;
            out.extend_from_slice(b" id=\"m-");
            safe_id(&uuid, out);
            out.push(b'"');
        }
    }

    fn list_prompt(&mut self, entry: &Entry<'_>) {
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

/// An id that can stand in an address.
fn safe_id(id: &str, out: &mut Vec<u8>) {
    for byte in id.bytes().take(80) {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        out.push(if plain { byte } else { b'_' });
    }
}
