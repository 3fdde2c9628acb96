//! What the model said, with what its calls returned.

use crate::entry::{Entry, Part};
use crate::error::TranscriptError;
use crate::export::html::tool::{self, Answer, Call};
use crate::export::html::{Page, Speaker, escape};
use crate::export::said::{self, Said};
use crate::export::skim;
use crate::members;
use crate::tree::NodeId;

/// An answer that waits for its call to be drawn.
struct Waiting<'e> {
    call: Option<String>,
    answer: Answer<'e>,
    taken: bool,
}

impl Page<'_, '_> {
    /// What the model said and called.
    pub(in crate::export::html) fn reply(
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
}
