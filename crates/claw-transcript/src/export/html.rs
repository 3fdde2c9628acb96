//! A session as one page of HTML.
//!
//! The markup is in `html/templates`. Askama compiles it and passes every value through
//! [`text::PageText`], so that nothing on the page is markup by accident. The page is written
//! message by message, and everything folds with `details`, without a script.

pub(super) mod block;
mod diff;
pub(super) mod index;
mod markdown;
mod numbers;
pub(super) mod page;
pub(super) mod text;
pub(super) mod tool;

use askama::Template;

use self::block::Block;
use self::page::{Article, Cut, End, Group, PromptLink, Start, anchor};
use self::tool::{Answer, Call, Tool};
use super::job::Job;
use super::metadata::short_model;
use super::outline::Step;
use super::user_text::{error_text, is_instruction, parts, preview, preview_of};
use crate::entry::{Kind, Part};
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::lines::readable;
use crate::time::{from_ms, to_iso};
use crate::tree::{Node, NodeId, NodeKind};

/// Subagents that are nested deeper are left out.
const DEEPEST: usize = 12;

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let title = job.title(steps)?;
    let start = Start::new(job, &title)?;
    let mut page = Page {
        job,
        speaker: None,
        prompts: Vec::new(),
        depth: 0,
        branches: 0,
        day: i64::MIN,
    };
    page.put(&start);
    page.steps(steps)?;
    let strays = page.job.outline.strays();
    if !strays.is_empty() {
        page.job
            .put("<h2>Subagents whose call is not in the file</h2>\n");
    }
    for agent in strays {
        page.agent(agent)?;
    }
    let prompts = std::mem::take(&mut page.prompts);
    page.put(&End { prompts });
    job.report.title = title;
    Ok(())
}

/// A page that is being written.
struct Page<'j, 'a> {
    job: &'j mut Job<'a>,
    /// The class of the last speaker; `None` if the next message shows its speaker in any case.
    speaker: Option<&'static str>,
    prompts: Vec<PromptLink>,
    /// The number of open subagents.
    depth: usize,
    /// The number of open abandoned branches.
    branches: usize,
    /// The day of the last message, since 1970.
    day: i64,
}

impl Page<'_, '_> {
    fn steps(&mut self, steps: &[Step]) -> Result<(), TranscriptError> {
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            match step {
                Step::Open(branch) => self.open_branch(*branch)?,
                Step::Close => {
                    self.branches -= 1;
                    self.speaker = None;
                    self.job.put("</div></details>\n");
                }
                Step::Agent => {}
                Step::Node(id) => {
                    let results = self.results_of(*id, &steps[at + 1..]);
                    at += results.len();
                    self.node(*id, &results)?;
                }
            }
            self.job.flush()?;
            at += 1;
        }
        Ok(())
    }

    /// The results that follow the calls of a reply. They are shown with the calls.
    fn results_of(&self, id: NodeId, rest: &[Step]) -> Vec<NodeId> {
        let tree = self.job.tree;
        if tree.node(id).kind() != NodeKind::Reply || tree.node(id).calls() == 0 {
            return Vec::new();
        }
        let results = rest.iter().map_while(Step::node);
        results
            .take_while(|id| tree.node(*id).kind() == NodeKind::Results)
            .collect()
    }

    /// A message and the results of its calls.
    fn node(&mut self, id: NodeId, results: &[NodeId]) -> Result<(), TranscriptError> {
        let texts = self.job.texts(id)?;
        let lines = self.job.shown(&texts);
        let Some(first) = lines.first() else {
            self.job.report.deleted += 1;
            return Ok(());
        };
        self.job.report.messages += 1 + results.len() as u64;
        let node = self.job.tree.node(id);
        match node.kind() {
            NodeKind::Reply => {
                let mut texts = Vec::new();
                for result in results {
                    texts.extend(self.job.texts(*result)?);
                }
                let results = self.job.shown(&texts);
                self.reply(id, &lines, &results)?;
            }
            NodeKind::Compaction => {
                self.put(&compaction(first, node));
                self.speaker = None;
            }
            NodeKind::Notice | NodeKind::Summary => self.notice(first, node),
            _ => self.user(&lines, node),
        }
        if self.job.options.system {
            self.folded_lines(id)?;
        }
        Ok(())
    }

    /// A reply with the results of its calls.
    fn reply(
        &mut self,
        id: NodeId,
        lines: &[Facts<'_>],
        results: &[Facts<'_>],
    ) -> Result<(), TranscriptError> {
        let node = self.job.tree.node(id);
        let parts: Vec<Part<'_>> = lines.iter().flat_map(Facts::parts).collect();
        let returned: Vec<Part<'_>> = results.iter().flat_map(Facts::parts).collect();
        let answers = parts.iter().chain(&returned);
        let mut answers: Vec<_> = answers.filter_map(Answer::of).collect();
        let mut agents = self.job.outline.agents_of(id).to_vec();
        let cwd = self.job.metadata.cwd.as_deref().unwrap_or_default();
        self.open_message(&lines[0], node);
        for part in &parts {
            let Part::Call {
                id, name, input, ..
            } = part
            else {
                self.put_part(part);
                continue;
            };
            let found = answers.iter().position(|(call, _)| *call == id.as_deref());
            let answer = found.map(|at| answers.remove(at).1);
            let call = Call::new(name.clone(), *input);
            self.put(&Tool::of_call(&call, answer, cwd));
            let agent_id = answer.filter(|_| !agents.is_empty());
            if let Some(agent_id) = agent_id.and_then(|answer| answer.agent_id()) {
                let chains = self.job.tree.sidechains();
                let is_named = |agent: &usize| chains[*agent].agent_id() == Some(&*agent_id);
                if let Some(at) = agents.iter().position(is_named) {
                    self.agent(agents.remove(at))?;
                }
            }
            self.job.put("</div></details>\n");
        }
        if node.is_interrupted() {
            self.put(&Block::line("dim", "Cut off here"));
        }
        for (_, answer) in &answers {
            self.put_result(answer, "of a call that is not here");
        }
        for part in &returned {
            match part {
                part if is_instruction(part) => {}
                Part::Text(text) => self.put_user_text(text, false),
                part => self.put_part(part),
            }
        }
        for agent in agents {
            self.agent(agent)?;
        }
        self.job.put("</article>\n");
        Ok(())
    }

    /// A prompt, or another line of the user.
    fn user(&mut self, lines: &[Facts<'_>], node: &Node) {
        let kind = node.kind();
        let all: Vec<Vec<Part<'_>>> = lines.iter().map(parts).collect();
        let is_hidden = |(line, parts): (&Facts<'_>, &Vec<Part<'_>>)| {
            let is_meta = line.flags().meta && kind != NodeKind::Notification;
            is_meta || parts.iter().all(is_instruction)
        };
        if lines.iter().zip(&all).all(is_hidden) && !self.job.options.system {
            return;
        }
        let is_prompt = matches!(
            kind,
            NodeKind::Prompt | NodeKind::Queued | NodeKind::Command
        );
        self.open_message(&lines[0], node);
        if kind == NodeKind::Queued {
            self.put(&Block::line("dim", "Sent while the model was at work"));
        }
        if is_prompt && self.depth == 0 {
            self.prompts.push(PromptLink {
                anchor: anchor(&lines[0]),
                about: preview_of(&all[0], 80),
                is_abandoned: self.branches > 0,
            });
        }
        for part in all.iter().flatten() {
            match (part, Answer::of(part)) {
                (Part::Text(text), _) => self.put_user_text(text, is_prompt),
                (_, Some((_, answer))) => self.put_result(&answer, ""),
                (part, None) => self.put_part(part),
            }
        }
        self.job.put("</article>\n");
    }

    /// A notice of the CLI, what a command printed, or the summary of a compaction.
    fn notice(&mut self, line: &Facts<'_>, node: &Node) {
        let subtype = line.id(Member::Subtype).unwrap_or_default();
        let is_user = line.kind == Kind::User;
        let system = self.job.options.system;
        if !system && !line.flags().error && subtype != "local_command" && !is_user {
            return;
        }
        let parts = line.parts();
        let texts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(&**text),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        let blocks = texts.iter().flat_map(|text| match node.kind() {
            NodeKind::Summary => vec![Block::summary(text)],
            _ => Block::of_user_text(text, false, system),
        });
        let mut blocks: Vec<Block<'_>> = blocks.collect();
        // Most commands print nothing.
        if is_user && blocks.is_empty() {
            return;
        }
        if texts.is_empty() {
            let mut text = subtype.replace('_', " ");
            if let Some(error) = error_text(line) {
                text.push_str(&format!(": {}", preview(&error, 400)));
            }
            blocks.push(Block::line("note", text));
        }
        self.open_message(line, node);
        blocks.iter().for_each(|block| self.put(block));
        self.job.put("</article>\n");
    }

    /// The lines between messages.
    fn folded_lines(&mut self, id: NodeId) -> Result<(), TranscriptError> {
        for folded in self.job.tree.folded(id) {
            let is_shown = matches!(folded.kind, Kind::Attachment | Kind::User);
            if folded.replaced || !is_shown {
                continue;
            }
            let text = readable(&self.job.reader.folded(folded)?).into_owned();
            for line in self.job.shown(&[text]) {
                let attachment = line.object(Member::Attachment).unwrap_or_default();
                let kind = attachment.string("type").or(line.string(Member::Type));
                let content = line.get(Member::Attachment).or(line.get(Member::Message));
                let blocks = vec![Block::json(content.unwrap_or("null"))];
                let name = kind.unwrap_or_default().replace('_', " ");
                self.put(&Tool::plain("tool sys", name, "for the model", blocks));
                self.job.put("</div></details>\n");
            }
        }
        Ok(())
    }

    fn open_branch(&mut self, at: usize) -> Result<(), TranscriptError> {
        let branch = self.job.outline.branches[at];
        let about = self.job.preview(branch.first, 90)?;
        self.job.report.branches += 1;
        self.branches += 1;
        self.speaker = None;
        let size = numbers::count(branch.own as u64, "message", "messages");
        self.put(&Group {
            class: "branch",
            name: match branch.cause.as_str() {
                "edited" => "Another prompt",
                "original" => "The earlier branch",
                "regenerated" => "Another reply",
                "orphaned" => "A branch without its start",
                _ => "Another branch",
            },
            kind: None,
            about: &about,
            size: format!("{size}, abandoned"),
        });
        Ok(())
    }

    /// The conversation of a subagent, folded.
    fn agent(&mut self, agent: usize) -> Result<(), TranscriptError> {
        if self.depth >= DEEPEST {
            return Ok(());
        }
        let chain = &self.job.tree.sidechains()[agent];
        let steps = self.job.outline.agent(agent);
        self.job.report.subagents += 1;
        self.put(&Group {
            class: "agent",
            name: "Subagent",
            kind: chain.agent_type(),
            about: chain.description().unwrap_or_default(),
            size: numbers::count(steps.len() as u64, "message", "messages"),
        });
        let speaker = self.speaker.take();
        self.depth += 1;
        self.steps(&steps)?;
        self.depth -= 1;
        self.speaker = speaker;
        self.job.put("</div></details>\n");
        Ok(())
    }

    fn open_message(&mut self, line: &Facts<'_>, node: &Node) {
        let time = node.time_ms().map(|ms| (ms, to_iso(from_ms(ms))));
        let mut date = None;
        if let Some((ms, iso)) = &time {
            let day = ms.div_euclid(86_400_000);
            // The date is only shown when it advances, and not in folds.
            if self.depth == 0 && day > self.day {
                let is_first = std::mem::replace(&mut self.day, day) == i64::MIN;
                date = iso.get(..10).filter(|_| !is_first).map(str::to_owned);
            }
        }
        let is_agent = self.depth > 0;
        let (class, name) = match node.kind() {
            NodeKind::Reply if is_agent => ("a", "Subagent"),
            NodeKind::Reply => ("a", "Claude"),
            NodeKind::Notice | NodeKind::Summary => ("s", "Claude Code"),
            _ if is_agent => ("u", "Claude"),
            _ => ("u", "You"),
        };
        let is_user = class == "u";
        let is_new = self.speaker.replace(class) != Some(class) || is_user;
        let model = page::model(line).filter(|_| class == "a");
        let time = time.as_ref().and_then(|(_, iso)| iso.get(11..16));
        self.put(&Article {
            day: date,
            class,
            is_error: node.is_error() && !is_user,
            anchor: anchor(line),
            speaker: is_new.then_some(name),
            model: model.map(|model| short_model(&model).to_owned()),
            time: time.unwrap_or("#").to_owned(),
        });
    }

    fn put_user_text(&mut self, text: &str, is_prompt: bool) {
        let blocks = Block::of_user_text(text, is_prompt, self.job.options.system);
        blocks.iter().for_each(|block| self.put(block));
    }

    fn put_part(&mut self, part: &Part<'_>) {
        let is_shown = self.job.options.thinking || !matches!(part, Part::Thinking { .. });
        if let Some(block) = Block::of_part(part).filter(|_| is_shown) {
            self.put(&block);
        }
    }

    /// A result without its call.
    fn put_result(&mut self, answer: &Answer<'_>, about: &str) {
        self.put(&Tool::plain("tool", "Result", about, answer.blocks()));
        self.job.put("</div></details>");
    }

    fn put(&mut self, template: &impl Template) {
        // Writing into memory cannot fail.
        let _ = Template::write_into(template, &mut self.job.buffer);
    }
}

fn compaction(line: &Facts<'_>, node: &Node) -> Cut {
    let data = line.object(Member::CompactMetadata);
    let data = data.or(line.object(Member::Metadata)).unwrap_or_default();
    let number = |name| data.get(name).and_then(|n: &str| n.parse::<u64>().ok());
    let mut text = String::from(match line.string(Member::Message).as_deref() {
        Some("conversation_compacting") => "Compaction begins",
        Some("conversation_restoring") => "Restoration begins",
        Some("conversation_restored") => "The conversation was restored",
        _ if !node.is_cut() => "Went back behind a compaction",
        _ => "The conversation was compacted",
    });
    if let (Some(before), Some(after)) = (number("preTokens"), number("postTokens")) {
        let (before, after) = (numbers::grouped(before), numbers::grouped(after));
        text.push_str(&format!(" · {before} → {after} tokens"));
    }
    match data.string("trigger").as_deref() {
        Some("auto") => text.push_str(" · by itself"),
        Some(_) => text.push_str(" · by command"),
        None => {}
    }
    Cut {
        anchor: anchor(line),
        text,
    }
}
