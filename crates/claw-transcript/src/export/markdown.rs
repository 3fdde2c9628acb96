//! A session as Markdown.
//!
//! Markdown of the model is [sanitized](sanitize), prompts are [escaped](escape). Tools and
//! thinking are in `details` elements.

mod escape;
mod sanitize;

use self::escape::{code, escaped, fenced, one_line, quote};
use self::sanitize::{Place, sanitize};
use super::html::block::picture_type;
use super::html::page::date_and_time;
use super::html::tool::Call;
use super::job::Job;
use super::metadata::short_model;
use super::outline::Step;
use super::user_text::{UserText, parts};
use crate::entry::Part;
use crate::error::TranscriptError;
use crate::facts::Member;
use crate::members;
use crate::tree::{NodeId, NodeKind};

/// Subagents that are nested deeper are left out.
const DEEPEST: usize = 12;

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let title = job.title(steps)?;
    let metadata = job.metadata;
    let mut pages = Pages {
        job,
        speaker: None,
        depth: 0,
        branches: 0,
    };
    pages.job.put(&format!("# {}\n\n", one_line(&title)));
    for (name, value) in [
        ("Folder", &metadata.cwd),
        ("Git branch", &metadata.git_branch),
        ("Session", &metadata.session),
    ] {
        if let Some(value) = value {
            pages.job.put(&format!("- {name}: {}\n", code(value)));
        }
    }
    pages.steps(steps)?;
    for agent in pages.job.outline.strays() {
        pages.agent(agent)?;
    }
    job.report.title = title;
    Ok(())
}

struct Pages<'j, 'a> {
    job: &'j mut Job<'a>,
    speaker: Option<&'static str>,
    /// The number of open subagents.
    depth: usize,
    /// The number of open abandoned branches.
    branches: usize,
}

impl Pages<'_, '_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), TranscriptError> {
        for step in steps {
            match step {
                Step::Open(at) => {
                    let branch = self.job.outline.branches[*at];
                    let (cause, own) = (branch.cause.as_str(), branch.own);
                    self.job.report.branches += 1;
                    self.branches += 1;
                    self.speaker = None;
                    self.job.put(&format!(
                        "\n<details><summary>A branch that was left ({cause}, {own} messages)</summary>\n"
                    ));
                }
                Step::Close => {
                    self.branches -= 1;
                    self.speaker = None;
                    self.job.put("\n</details>\n");
                }
                Step::Agent => {}
                Step::Node(id) => {
                    self.node(*id)?;
                    for agent in self.job.outline.agents_of(*id) {
                        self.agent(*agent)?;
                    }
                }
            }
            self.job.flush()?;
        }
        Ok(())
    }

    fn agent(&mut self, agent: usize) -> Result<(), TranscriptError> {
        if self.depth >= DEEPEST {
            return Ok(());
        }
        self.job.report.subagents += 1;
        let about = self.job.tree.sidechains()[agent].description();
        let about = escaped(about.unwrap_or("subagent"));
        self.job.put(&format!(
            "\n<details><summary>Subagent: {about}</summary>\n"
        ));
        let speaker = self.speaker.take();
        self.depth += 1;
        self.steps(&self.job.outline.agent(agent))?;
        self.depth -= 1;
        self.speaker = speaker;
        self.job.put("\n</details>\n");
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Result<(), TranscriptError> {
        let texts = self.job.texts(id)?;
        let lines = self.job.shown(&texts);
        let Some(first) = lines.first() else {
            self.job.report.deleted += 1;
            return Ok(());
        };
        let node = self.job.tree.node(id);
        let kind = node.kind();
        let is_command = first.string(Member::Subtype).as_deref() == Some("local_command");
        let is_quiet = kind == NodeKind::Notice && !node.is_error() && !is_command;
        if (is_quiet || first.flags().meta) && !self.job.options.system {
            return Ok(());
        }
        self.job.report.messages += 1;
        if kind == NodeKind::Compaction {
            self.job
                .put("\n---\n\n*The conversation was compacted here.*\n");
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
            let model = first.message.as_ref().and_then(|message| message.model);
            let model = model.filter(|_| kind == NodeKind::Reply);
            if let Some(model) = model.and_then(members::string) {
                head.push_str(&format!(" ({})", one_line(short_model(&model))));
            }
            if let Some(ms) = node.time_ms() {
                head.push_str(&format!(" · {}", date_and_time(ms)));
            }
            head.push('\n');
            self.job.put(&head);
            self.speaker = Some(speaker);
        }
        let place = match self.depth + self.branches {
            0 => Place::Open,
            _ => Place::Folded,
        };
        for part in lines.iter().flat_map(parts) {
            self.job
                .put(&part_text(&part, kind, self.job.options.thinking, place));
        }
        Ok(())
    }
}

fn part_text(part: &Part<'_>, kind: NodeKind, thinking: bool, place: Place) -> String {
    match part {
        Part::Text(text) if kind == NodeKind::Reply => format!("\n{}\n", sanitize(text, place)),
        Part::Text(text) if kind == NodeKind::Summary => {
            let text = sanitize(text, Place::Folded);
            folded("The summary that the model continues with", &text)
        }
        Part::Text(text) => match UserText::read(text) {
            UserText::Prompt(text) => format!("\n{}\n", quote(text)),
            UserText::Command(name, arguments) => {
                format!("\n> {} {}\n", code(name), one_line(arguments))
            }
            UserText::Shell(command) => format!("\n{}\n", fenced(command, "sh")),
            UserText::Output(output) if output.trim().is_empty() => String::new(),
            UserText::Output(output) => format!("\n{}\n", fenced(output, "")),
            UserText::Notification(summary, result) => {
                format!("\n*{}*\n\n{}\n", one_line(summary), sanitize(result, place))
            }
            UserText::Interrupt(note) => format!("\n*{}*\n", one_line(note)),
            UserText::Hidden(_) => String::new(),
        },
        Part::Thinking { text, .. } if thinking && !text.trim().is_empty() => {
            folded("Thinking", &sanitize(text, Place::Folded))
        }
        Part::Call { name, input, .. } => {
            let call = Call::new(name.clone(), *input);
            let (_, about) = call.about();
            let head = format!("{} {}", escaped(&call.name), escaped(&about));
            let body = match call.input.string("command") {
                Some(command) if &*call.name == "Bash" => fenced(&command, "sh"),
                _ => fenced(input.unwrap_or("null"), "json"),
            };
            folded(&head, &body)
        }
        Part::Answer {
            content, is_error, ..
        } => {
            let note = if *is_error { ": failed" } else { "" };
            let parts = Part::of_content(content.unwrap_or("\"\"")).into_iter();
            let texts = parts.map(|part| match part {
                Part::Text(text) => text,
                Part::Image { .. } => "[picture]".into(),
                Part::Other { json, .. } => json.into(),
                _ => "".into(),
            });
            folded(
                &format!("Result{note}"),
                &fenced(&texts.collect::<String>(), ""),
            )
        }
        Part::Image { media_type, data } => {
            match (picture_type(media_type.as_deref(), *data), data) {
                (Some(kind), Some(data)) => format!("\n![A picture](data:{kind};base64,{data})\n"),
                _ => "\n*[A picture]*\n".to_owned(),
            }
        }
        Part::Other { kind, .. } => format!("\n*[{}]*\n", one_line(kind)),
        Part::Thinking { .. } => String::new(),
    }
}

fn folded(head: &str, body: &str) -> String {
    format!(
        "\n<details><summary>{head}</summary>\n\n{}\n\n</details>\n",
        body.trim_end()
    )
}
