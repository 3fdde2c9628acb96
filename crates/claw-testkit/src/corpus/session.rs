//! A session that is being made, line by line.

use std::fmt::Write as _;

use super::line::Line;
use super::price::{MODELS, Tokens};
use super::shapes::{Attachment, Shapes, VERSION};
use super::text::{json, prose};
use crate::calendar::{self, DAY_MS};
use crate::dice::{Dice, uuid_text};

mod answer;
mod fork;
mod tools;
mod turn;

pub(super) use fork::{ForkKind, Source};

/// Options of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// The shape of version 2.1.325, else that of 1.x and 2.0.
    pub(super) modern: bool,
    /// All tool calls have results.
    pub(super) clean: bool,
    /// A few lines only.
    pub(super) small: bool,
}

/// A session and its lines so far.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) id: String,
    pub(super) project: String,
    pub(super) lines: Vec<Line>,
    pub(super) subagents: Vec<Subagent<'a>>,
    pub(super) style: Style,
    /// The time of the last line.
    pub(super) now_ms: i64,
    /// The parent of the next line.
    pub(super) leaf: Option<u128>,
    /// Tokens in the context of the model.
    pub(super) context: u64,
    /// The price of requests that leave no line.
    pub(super) hidden_price: u64,
    /// How many answers the user stopped.
    pub(super) interrupted: u64,
    dice: Dice,
    shapes: &'a Shapes,
    version: &'static str,
    agent: Option<String>,
    model: usize,
    turn: usize,
    prompt_id: String,
    /// Whether the shape of requests was written.
    shaped: bool,
    last_request: Option<String>,
    request_messages: usize,
    /// The spend that `cost-state` reports, by model.
    spent: [Tokens; MODELS.len()],
    /// The price of what it carried over from the session it was forked from.
    carried_price: u64,
}

/// A subagent's file.
#[derive(Debug)]
pub(super) struct Subagent<'a> {
    pub(super) id: String,
    /// The tool call that started it.
    pub(super) call: String,
    pub(super) session: Session<'a>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        mut dice: Dice,
        shapes: &'a Shapes,
        project: &str,
        start_ms: i64,
        style: Style,
    ) -> Self {
        let version = if style.modern {
            VERSION
        } else {
            dice.pick(&["1.0.83", "2.0.14", "2.0.55"])
        };
        Self {
            id: uuid_text(dice.uuid()),
            project: project.to_owned(),
            lines: Vec::new(),
            subagents: Vec::new(),
            style,
            now_ms: start_ms,
            leaf: None,
            context: 8000,
            hidden_price: 0,
            interrupted: 0,
            shapes,
            version,
            agent: None,
            model: pick_model(&mut dice),
            turn: 0,
            prompt_id: String::new(),
            shaped: false,
            last_request: None,
            request_messages: 0,
            spent: [Tokens::default(); MODELS.len()],
            carried_price: 0,
            dice,
        }
    }

    /// The bytes of its lines so far, without those of subagents.
    pub(super) fn size(&self) -> u64 {
        self.lines.iter().map(|line| line.text.len() as u64).sum()
    }

    /// Advances the clock as between steps and returns the time.
    fn tick(&mut self) -> String {
        let pause = self.dice.size(1500, 1.2, 3, 600_000);
        self.tick_by(pause)
    }

    fn tick_by(&mut self, ms: usize) -> String {
        self.now_ms += ms as i64;
        calendar::timestamp(self.now_ms)
    }

    /// Advances the clock past midnight if it is near, so that the lines of a message are of one
    /// day.
    fn step_over_midnight(&mut self) {
        let left = DAY_MS - self.now_ms.rem_euclid(DAY_MS);
        if left < 120_000 {
            self.now_ms += left + self.dice.between(1, 60_000) as i64;
        }
    }

    /// A line outside of the chain: members behind the type, without the session.
    fn state(&mut self, kind: &str, members: &str) {
        let session = &self.id;
        let text = format!(r#"{{"type":"{kind}",{members},"sessionId":"{session}"}}"#);
        self.lines.push(Line::state(text, self.now_ms));
    }

    /// A line of the chain, under the last one. The head is the members before the id, with a
    /// comma behind; the tail those behind the time, with a comma before.
    fn chained(&mut self, kind: &str, head: &str, tail: &str) {
        let uuid = self.dice.uuid();
        let pause = self.dice.size(1500, 1.2, 3, 600_000);
        self.chained_as(uuid, pause, kind, head, tail);
    }

    fn chained_as(
        &mut self,
        uuid: u128,
        pause_ms: usize,
        kind: &str,
        head: &str,
        tail: &str,
    ) -> &mut Line {
        let timestamp = self.tick_by(pause_ms);
        let mut text = String::with_capacity(head.len() + tail.len() + 400);
        match self.leaf {
            Some(leaf) => {
                text.push_str(r#"{"parentUuid":""#);
                text.push_str(&uuid_text(leaf));
                text.push('"');
            }
            None => text.push_str(r#"{"parentUuid":null"#),
        }
        let sidechain = self.agent.is_some();
        // Writing to a string cannot fail.
        let _ = write!(text, r#","isSidechain":{sidechain},"#);
        if self.style.modern && kind == "user" {
            let _ = write!(text, r#""promptId":"{}","#, self.prompt_id);
        }
        if let Some(agent) = &self.agent {
            let _ = write!(text, r#""agentId":"{agent}","#);
        }
        text.push_str(head);
        let _ = write!(
            text,
            r#""uuid":"{}","timestamp":"{timestamp}""#,
            uuid_text(uuid)
        );
        text.push_str(tail);
        text.push_str(r#","userType":"external""#);
        if self.style.modern {
            text.push_str(r#","entrypoint":"cli""#);
        }
        let _ = write!(
            text,
            r#","cwd":"/home/u/src/{}","sessionId":"{}","version":"{}","gitBranch":"main"}}"#,
            self.project, self.id, self.version
        );
        self.leaf = Some(uuid);
        self.lines.push(Line {
            uuid,
            ..Line::state(text, self.now_ms)
        });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn attach(&mut self, attachment: &Attachment) {
        self.chained("attachment", &attachment.head, &attachment.tail);
    }

    /// A line of a request's record, which names the session first.
    fn record(&mut self, kind: &str, members: &str) {
        let session = &self.id;
        let text = format!(r#"{{"type":"{kind}","sessionId":"{session}",{members}}}"#);
        self.lines.push(Line::state(text, self.now_ms));
    }

    /// The line by which old versions named a session, which came first in the file.
    pub(super) fn add_summary(&mut self) {
        let Some(leaf) = self.leaf else { return };
        let summary = prose(&mut self.dice, 40);
        let text = format!(
            r#"{{"type":"summary","summary":{},"leafUuid":"{}"}}"#,
            json(&summary),
            uuid_text(leaf)
        );
        self.lines.insert(0, Line::state(text, self.now_ms));
    }

    /// The line by which new versions name a session.
    pub(super) fn add_title(&mut self) {
        let title = prose(&mut self.dice, 40);
        self.state("ai-title", &format!(r#""aiTitle":{}"#, json(&title)));
    }

    /// Adds a compaction. The next line has no parent.
    pub(super) fn compact(&mut self) {
        let Some(before) = self.leaf.take() else {
            return;
        };
        let tokens = self.context;
        self.chained(
            "system",
            &format!(
                r#""logicalParentUuid":"{}","type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{{"trigger":"auto","preTokens":{tokens}}},"#,
                uuid_text(before)
            ),
            "",
        );
        let summary = format!("What was said before: {}", prose(&mut self.dice, 4000));
        self.chained(
            "user",
            &format!(
                r#""type":"user","message":{{"role":"user","content":{}}},"isVisibleInTranscriptOnly":true,"isCompactSummary":true,"#,
                json(&summary)
            ),
            "",
        );
        // The request for the summary is in no line. Old versions kept no total either.
        if self.style.modern {
            let spent = Tokens {
                input: 5,
                output: 1000,
                cache_read: tokens,
                ..Tokens::default()
            };
            self.hidden_price += spent.price(self.model);
        }
        self.context = 12_000;
    }
}

fn pick_model(dice: &mut Dice) -> usize {
    match dice.between(0, 100) {
        0..35 => 0,
        35..70 => 1,
        70..82 => 2,
        _ => 3,
    }
}
