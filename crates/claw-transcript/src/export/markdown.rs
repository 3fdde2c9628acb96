//! A session as Markdown.
//!
//! What the model wrote stays the Markdown that it is, but for what [acts or reaches out](inert).
//! Prompts are [shown as they were typed](literal). Tools and thinking are folded with `details`,
//! which shows as a fold where HTML is shown.

mod inert;
mod literal;

use super::facts::short_model;
use super::html;
use super::said::{self, Said};
use super::{Job, Step};
use crate::entry::{Entry, Kind, Part};
use crate::error::TranscriptError;
use crate::members;
use crate::time::{from_ms, to_iso};
use crate::tree::{NodeId, NodeKind};
use inert::{Place, inert};
use literal::{code, escaped, fenced, one_line, quote};

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let title = html::title(job, steps)?;
    let mut head = format!("# {}\n\n", one_line(&title));
    let facts = job.facts;
    for (name, value) in [
        ("Folder", facts.cwd.as_deref()),
        ("Git branch", facts.git_branch.as_deref()),
        ("Session", facts.session.as_deref()),
    ] {
        if let Some(value) = value {
            head.push_str(&format!("- {name}: {}\n", code(value)));
        }
    }
    job.report.title = title;
    job.out.buffer.extend_from_slice(head.as_bytes());
    let mut pages = Pages {
        buffers: Vec::new(),
        speaker: None,
        depth: 0,
        branches: 0,
    };
    pages.steps(job, steps)?;
    for agent in job.outline.strays() {
        pages.agent(job, agent)?;
    }
    Ok(())
}

struct Pages {
    buffers: Vec<Vec<u8>>,
    speaker: Option<&'static str>,
    depth: usize,
    branches: usize,
}

impl Pages {
    fn steps(&mut self, job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
        for step in steps {
            match step {
                Step::Open(at) => {
                    let own = job.outline.branches[*at].own;
                    let cause = job.outline.branches[*at].cause.as_str();
                    job.report.branches += 1;
                    let text = format!(
                        "\n<details><summary>A branch that was left ({cause}, {own} messages)</summary>\n"
                    );
                    job.out.buffer.extend_from_slice(text.as_bytes());
                    self.branches += 1;
                    self.speaker = None;
                }
                Step::Close => {
                    self.branches = self.branches.saturating_sub(1);
                    job.out.buffer.extend_from_slice(b"\n</details>\n");
                    self.speaker = None;
                }
                Step::Node(id) => {
                    self.node(job, *id)?;
                    for agent in job.outline.agents_of(*id).to_vec() {
                        self.agent(job, agent)?;
                    }
                }
            }
            job.out.flush()?;
        }
        Ok(())
    }

    fn agent(&mut self, job: &mut Job<'_>, agent: usize) -> Result<(), TranscriptError> {
        if self.depth >= 12 {
            return Ok(());
        }
        job.report.subagents += 1;
        let about = job.tree.sidechains()[agent]
            .description()
            .unwrap_or("subagent");
        let text = format!(
            "\n<details><summary>Subagent: {}</summary>\n",
            escaped(about)
        );
        job.out.buffer.extend_from_slice(text.as_bytes());
        let speaker = self.speaker.take();
        self.depth += 1;
        self.steps(job, &job.outline.agent(agent))?;
        self.depth -= 1;
        self.speaker = speaker;
        job.out.buffer.extend_from_slice(b"\n</details>\n");
        Ok(())
    }

    fn node(&mut self, job: &mut Job<'_>, id: NodeId) -> Result<(), TranscriptError> {
        let lines = job.source.lines(job.tree, id, &mut self.buffers)?;
        let entries: Vec<Entry<'_>> = lines.iter().filter_map(|line| Entry::read(line)).collect();
        let kept: Vec<&Entry<'_>> = entries
            .iter()
            .filter(|entry| !job.is_deleted(entry))
            .collect();
        let Some(first) = kept.first() else {
            job.report.deleted += u64::from(!entries.is_empty());
            return Ok(());
        };
        let node = job.tree.node(id);
        let kind = node.kind();
        let command = first.subtype().as_deref() == Some("local_command");
        let quiet = kind == NodeKind::Notice && !node.is_error() && !command;
        if (quiet || first.flags().meta) && !job.export.system {
            return Ok(());
        }
        job.report.messages += 1;
        let out = &mut job.out.buffer;
        if kind == NodeKind::Compaction {
            out.extend_from_slice(b"\n---\n\n*The conversation was compacted here.*\n");
            return Ok(());
        }
        let speaker = match kind {
            NodeKind::Reply => "Claude",
            NodeKind::Results => self.speaker.unwrap_or("Claude"),
            NodeKind::Notice | NodeKind::Summary => "Claude Code",
            _ => "You",
        };
        if self.speaker != Some(speaker) || kind.starts_turn() {
            let mut head = format!("\n## {speaker}");
            if let (NodeKind::Reply, Some(model)) = (kind, first.model()) {
                head.push_str(&format!(" ({})", one_line(short_model(&model))));
            }
            if let Some(ms) = node.time_ms() {
                let time = to_iso(from_ms(ms)).replace('T', " ");
                head.push_str(&format!(" · {}", time.get(..16).unwrap_or_default()));
            }
            head.push('\n');
            out.extend_from_slice(head.as_bytes());
            self.speaker = Some(speaker);
        }
        let place = match self.depth + self.branches {
            0 => Place::Open,
            _ => Place::Folded,
        };
        for entry in kept {
            let attachment = entry.object("attachment").unwrap_or_default();
            let parts = match (entry.kind(), entry.string("content")) {
                (Kind::Attachment, _) => {
                    Part::of_content(attachment.get("prompt").unwrap_or_default())
                }
                (Kind::System, Some(text)) => vec![Part::Text(text.into_owned().into())],
                _ => entry.parts(),
            };
            for part in parts {
                let text = part_text(&part, kind, job.export.thinking, place);
                job.report.images += u64::from(matches!(part, Part::Image { .. }));
                job.out.buffer.extend_from_slice(text.as_bytes());
            }
        }
        Ok(())
    }
}

fn part_text(part: &Part<'_>, kind: NodeKind, thinking: bool, place: Place) -> String {
    match part {
        Part::Text(text) if kind == NodeKind::Reply => format!("\n{}\n", inert(text, place)),
        Part::Text(text) if kind == NodeKind::Summary => {
            let text = inert(text, Place::Folded);
            folded("The summary that the model goes on with", &text)
        }
        Part::Text(text) => match said::read(text) {
            // A prompt is text: nobody meant its signs as Markdown.
            Said::Words(words) => format!("\n{}\n", quote(words)),
            Said::Command(name, arguments) => {
                format!("\n> {} {}\n", code(name), one_line(arguments))
            }
            Said::Shell(command) => format!("\n{}\n", fenced(command, "sh")),
            Said::Output(output) if output.trim().is_empty() => String::new(),
            Said::Output(output) => format!("\n{}\n", fenced(output, "")),
            Said::Notification(what, result) => {
                format!("\n*{}*\n\n{}\n", one_line(&what), inert(result, place))
            }
            Said::Interrupt(note) => format!("\n*{}*\n", one_line(note)),
            Said::Hidden(_) => String::new(),
        },
        Part::Thinking { text, .. } if thinking && !text.trim().is_empty() => {
            folded("Thinking", &inert(text, Place::Folded))
        }
        Part::Call { name, input, .. } => {
            let call = html::Call::new(name.clone(), *input);
            let (_, about) = call.about();
            let head = format!("{} {}", escaped(&call.name), escaped(&about));
            let (text, language) = match members::string(command(*input).unwrap_or_default()) {
                Some(text) if &*call.name == "Bash" => (text.into_owned(), "sh"),
                _ => (input.unwrap_or("null").to_owned(), "json"),
            };
            folded(&head, &fenced(&text, language))
        }
        Part::Answer {
            content, is_error, ..
        } => {
            let head = if *is_error {
                "Result: failed"
            } else {
                "Result"
            };
            let mut text = String::new();
            for part in Part::of_content(content.unwrap_or("\"\"")) {
                match part {
                    Part::Text(part) => text.push_str(&part),
                    Part::Image { .. } => text.push_str("[picture]"),
                    Part::Other { json, .. } => text.push_str(json),
                    _ => {}
                }
            }
            folded(head, &fenced(&text, ""))
        }
        Part::Image { media_type, data } => {
            let shown = html::is_picture(media_type.as_deref(), *data);
            match (media_type, data) {
                (Some(kind), Some(data)) if shown => {
                    format!("\n![A picture](data:{kind};base64,{data})\n")
                }
                _ => "\n*[A picture]*\n".to_owned(),
            }
        }
        Part::Other { kind, .. } => format!("\n*[{}]*\n", one_line(kind)),
        Part::Thinking { .. } => String::new(),
    }
}

fn command(input: Option<&str>) -> Option<&str> {
    members::Members::read(input?)?.get("command")
}

fn folded(head: &str, body: &str) -> String {
    format!(
        "\n<details><summary>{head}</summary>\n\n{}\n\n</details>\n",
        body.trim_end()
    )
}
