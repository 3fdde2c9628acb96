//! A session as one page of HTML.
//!
//! The page is written as it is read: no tree of elements, no templates. Everything folds with
//! `details`, so that it works without a script; the one script only makes it handier.

mod diff;
mod escape;
mod index;
mod markdown;
mod message;
mod number;
mod shell;
mod tool;

use super::{Job, Step, skim};
use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::tree::{NodeId, NodeKind};

pub(super) use escape::turns;
pub(super) use index::{Listed, write_index};
pub(super) use markdown::harmless;
pub(super) use shell::title;
pub(super) use tool::{Call, is_picture};

/// How deep subagents are written inside of each other. Real ones start few; a file may say
/// anything.
const DEEPEST: usize = 12;

pub(super) fn write(job: &mut Job<'_>, steps: &[Step]) -> Result<(), TranscriptError> {
    let title = title(job, steps)?;
    shell::head(job, &title)?;
    job.report.title = title;
    let mut page = Page {
        job,
        speaker: Speaker::Nobody,
        prompts: Vec::new(),
        pool: Vec::new(),
        depth: 0,
        branch: 0,
        day: i64::MIN,
    };
    page.steps(steps)?;
    page.strays()?;
    let prompts = std::mem::take(&mut page.prompts);
    shell::foot(job, &prompts);
    Ok(())
}

/// Whom the reader last saw speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Nobody,
    Person,
    Model,
    Cli,
}

/// A page under way.
struct Page<'j, 'a> {
    job: &'j mut Job<'a>,
    speaker: Speaker,
    /// The list of prompts for the side of the page.
    prompts: Vec<u8>,
    /// Buffers of lines that are not in use.
    pool: Vec<Vec<u8>>,
    depth: usize,
    /// In how many abandoned branches we are.
    branch: usize,
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
                    self.branch = self.branch.saturating_sub(1);
                    self.put("</div></details>\n");
                    self.speaker = Speaker::Nobody;
                }
                Step::Node(id) => {
                    // What tools returned is shown with the calls.
                    let results = self.results_of(*id, &steps[at + 1..]);
                    at += results.len();
                    self.node(*id, &results)?;
                }
            }
            self.job.out.flush()?;
            at += 1;
        }
        Ok(())
    }

    fn results_of(&self, id: NodeId, rest: &[Step]) -> Vec<NodeId> {
        let tree = self.job.tree;
        if tree.node(id).kind() != NodeKind::Reply || tree.node(id).calls() == 0 {
            return Vec::new();
        }
        let results = rest.iter().map_while(|step| match step {
            Step::Node(id) if tree.node(*id).kind() == NodeKind::Results => Some(*id),
            _ => None,
        });
        results.collect()
    }

    /// A message, and what its calls returned.
    fn node(&mut self, id: NodeId, results: &[NodeId]) -> Result<(), TranscriptError> {
        let mut lines = self.read(id)?;
        let own = lines.len();
        for result in results {
            let more = self.read(*result)?;
            lines.extend(more);
        }
        let kind = self.job.tree.node(id).kind();
        let shown;
        {
            let mut entries: Vec<Entry<'_>> = Vec::with_capacity(own);
            for line in &lines[..own] {
                entries.extend(skim::entry(line).filter(|entry| !self.job.is_deleted(entry)));
            }
            let behind: Vec<Entry<'_>> = lines[own..]
                .iter()
                .filter_map(|line| skim::entry(line))
                .filter(|entry| !self.job.is_deleted(entry))
                .collect();
            // What the CLI gave the model with a deleted message belongs to it.
            shown = !entries.is_empty();
            if !shown {
                self.job.report.deleted += 1;
            } else if kind == NodeKind::Reply {
                self.job.report.messages += 1 + results.len() as u64;
                self.reply(id, &entries, &behind)?;
            } else {
                self.job.report.messages += 1;
                self.other(id, kind, &entries);
            }
        }
        self.pool.append(&mut lines);
        if shown && self.job.export.system {
            self.folded(id)?;
        }
        Ok(())
    }

    /// The lines of a message, in buffers of the pool.
    fn read(&mut self, id: NodeId) -> Result<Vec<Vec<u8>>, TranscriptError> {
        let count = self.job.tree.spans(id).len();
        let keep = self.pool.len().saturating_sub(count);
        let mut lines = self.pool.split_off(keep);
        lines.truncate(count);
        self.job.source.lines(self.job.tree, id, &mut lines)?;
        Ok(lines)
    }

    fn open_branch(&mut self, at: usize) -> Result<(), TranscriptError> {
        let branch = self.job.outline.branches[at];
        let lines = self.read(branch.first)?;
        let about = lines.first().and_then(|line| skim::entry(line));
        let about = about.filter(|entry| !self.job.is_deleted(entry));
        let about = about.map_or_else(String::new, |entry| message::preview_of(&entry, 90));
        self.job.report.branches += 1;
        self.branch += 1;
        let out = &mut self.job.out.buffer;
        out.extend_from_slice(b"<details class=\"branch\"><summary><b>");
        out.extend_from_slice(match branch.cause.as_str() {
            "edited" => "Another prompt".as_bytes(),
            "original" => "The earlier branch".as_bytes(),
            "regenerated" => "Another reply".as_bytes(),
            "orphaned" => "A branch without its start".as_bytes(),
            _ => "Another branch".as_bytes(),
        });
        out.extend_from_slice(b"</b> <span class=\"s\">");
        escape::text(&about, out);
        out.extend_from_slice(b"</span><span class=\"dim\">");
        let messages = number::count(branch.own as u64, "message", "messages");
        out.extend_from_slice(format!("{messages}, abandoned</span></summary><div>\n").as_bytes());
        self.speaker = Speaker::Nobody;
        Ok(())
    }

    /// What a subagent did, folded.
    fn agent(&mut self, agent: usize) -> Result<(), TranscriptError> {
        if self.depth >= DEEPEST {
            return Ok(());
        }
        let steps = self.job.outline.agent(agent);
        let Some(chain) = self.job.tree.sidechains().get(agent) else {
            return Ok(());
        };
        self.job.report.subagents += 1;
        let out = &mut self.job.out.buffer;
        out.extend_from_slice(b"<details class=\"agent\"><summary><b>Subagent</b> ");
        if let Some(kind) = chain.agent_type() {
            out.extend_from_slice(b"<code>");
            escape::text(kind, out);
            out.extend_from_slice(b"</code> ");
        }
        out.extend_from_slice(b"<span class=\"s\">");
        escape::text(chain.description().unwrap_or_default(), out);
        let messages = number::count(steps.len() as u64, "message", "messages");
        out.extend_from_slice(
            format!("</span><span class=\"dim\">{messages}</span></summary><div>\n").as_bytes(),
        );
        let speaker = std::mem::replace(&mut self.speaker, Speaker::Nobody);
        self.depth += 1;
        self.steps(&steps)?;
        self.depth -= 1;
        self.speaker = speaker;
        self.put("</div></details>\n");
        Ok(())
    }

    /// Subagents whose call is not known.
    fn strays(&mut self) -> Result<(), TranscriptError> {
        let strays = self.job.outline.strays();
        if strays.is_empty() {
            return Ok(());
        }
        self.put("<h2>Subagents whose call is not in the file</h2>\n");
        for agent in strays {
            self.agent(agent)?;
        }
        Ok(())
    }

    fn put(&mut self, html: &str) {
        self.job.out.buffer.extend_from_slice(html.as_bytes());
    }
}

/// A number, without the machinery of formatting.
fn decimal(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
