//! A session that is being made, line by line.

use std::fmt::Write as _;

use super::calendar::{self, DAY_MS};
use super::dice::Dice;
use super::line::{Line, Mark, Spend, api_id, new_uuid, uuid_text};
use super::shapes::{Attachment, Shapes, VERSION};
use super::text::{json, prose};
use super::truth::{MODELS, Tokens, dollars};

mod fork;
mod tools;
mod turn;

pub(super) use fork::{ForkKind, Source};

/// How a session is to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
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
    pub(super) manner: Manner,
    /// The time of the last line.
    pub(super) now_ms: i64,
    /// The id of the line that the next one hangs under.
    pub(super) leaf: Option<u128>,
    /// Tokens in the context of the model.
    pub(super) context: u64,
    /// The price of requests that leave no line.
    pub(super) hidden_price: u64,
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
    /// What the CLI says it spent, by model.
    spent: [Tokens; MODELS.len()],
    /// The price of what it carried over from the session it was forked from.
    carried_price: u64,
    last_prompt: Option<u128>,
    /// The prompt that the next one is written instead of.
    taken_back: Option<u128>,
}

/// A subagent's file.
#[derive(Debug)]
pub(super) struct Subagent<'a> {
    pub(super) id: String,
    /// The tool call that started it.
    pub(super) call: String,
    pub(super) session: Session<'a>,
}

/// A block of an answer.
struct Block {
    json: String,
    call: Option<u128>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        mut dice: Dice,
        shapes: &'a Shapes,
        project: &str,
        start_ms: i64,
        manner: Manner,
    ) -> Self {
        let version = if manner.modern {
            VERSION
        } else {
            dice.pick(&["1.0.83", "2.0.14", "2.0.55"])
        };
        Self {
            id: uuid_text(new_uuid(&mut dice)),
            project: project.to_owned(),
            lines: Vec::new(),
            subagents: Vec::new(),
            manner,
            now_ms: start_ms,
            leaf: None,
            context: 8000,
            hidden_price: 0,
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
            last_prompt: None,
            taken_back: None,
            dice,
        }
    }

    /// The bytes of its lines so far, without those of subagents.
    pub(super) fn size(&self) -> u64 {
        self.lines.iter().map(|line| line.text.len() as u64).sum()
    }

    /// Lets time pass as between steps, and tells it.
    fn tick(&mut self) -> String {
        let pause = self.dice.size(1500, 1.2, 3, 600_000);
        self.tick_by(pause)
    }

    fn tick_by(&mut self, ms: usize) -> String {
        self.now_ms += ms as i64;
        calendar::timestamp(self.now_ms)
    }

    /// Lets midnight pass if it is near: the lines of one message shall be of one day, or it would
    /// be a matter of taste which day it counts for.
    fn step_over_midnight(&mut self) {
        let left = DAY_MS - self.now_ms.rem_euclid(DAY_MS);
        if left < 120_000 {
            self.now_ms += left + self.dice.between(1, 60_000) as i64;
        }
    }

    /// A line outside of the chain: members behind the type, without the session.
    fn state(&mut self, kind: &'static str, members: &str) {
        let session = &self.id;
        let text = format!(r#"{{"type":"{kind}",{members},"sessionId":"{session}"}}"#);
        self.lines.push(Line::state(kind, text, self.now_ms));
    }

    /// A line of the chain, under the last one. The head is the members before the id, with a
    /// comma behind; the tail those behind the time, with a comma before.
    fn chained(&mut self, kind: &'static str, head: &str, tail: &str) -> &mut Line {
        let uuid = new_uuid(&mut self.dice);
        let pause = self.dice.size(1500, 1.2, 3, 600_000);
        self.chained_as(uuid, pause, kind, head, tail)
    }

    fn chained_as(
        &mut self,
        uuid: u128,
        pause_ms: usize,
        kind: &'static str,
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
        if self.manner.modern && kind == "user" {
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
        if self.manner.modern {
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
            origin: uuid,
            ..Line::state(kind, text, self.now_ms)
        });
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn attach(&mut self, attachment: &Attachment) {
        self.chained("attachment", &attachment.head, &attachment.tail);
    }

    /// The record of a request, as newer versions keep it; gives its id.
    fn request(&mut self) -> String {
        let shapes = self.shapes;
        let shape_hash = format!("{:064x}", 0x5ba9_e000 + self.model);
        let timestamp = self.tick_by(1);
        let mut tail = Vec::new();
        if !self.shaped {
            self.shaped = true;
            let shape = &shapes.request_shape;
            self.record(
                "api-request-shape",
                &format!(
                    r#""shapeHash":"{shape_hash}","timestamp":"{timestamp}","version":"{VERSION}","shape":{shape}"#
                ),
            );
            for message in &shapes.blobs {
                let hash = self.hash();
                self.record(
                    "api-request-blob",
                    &format!(r#""hash":"{hash}","message":{message}"#),
                );
                tail.push(hash);
            }
        } else {
            tail = vec![self.hash(), self.hash()];
        }
        let id = uuid_text(new_uuid(&mut self.dice));
        let keep = self.request_messages;
        self.request_messages += tail.len();
        let last = self.request_messages - 1;
        let base = self
            .last_request
            .replace(id.clone())
            .map_or_else(String::new, |base| format!(r#""base":"{base}","#));
        let (before, after) = &shapes.params;
        let model = MODELS[self.model].name;
        let tail = tail.join(r#"",""#);
        let digest = self.hash();
        self.record(
            "api-request",
            &format!(
                r#""id":"{id}","timestamp":"{timestamp}","version":"{VERSION}","querySource":"repl_main_thread","shapeHash":"{shape_hash}","params":{before}{model}{after},{base}"keep":{keep},"tail":["{tail}"],"cacheControl":[{{"path":["system",0],"value":{{"type":"ephemeral"}}}},{{"path":["system",1],"value":{{"type":"ephemeral"}}}},{{"path":["messages",{last},"content",0],"value":{{"type":"ephemeral"}}}}],"requestDigest":"{digest}""#
            ),
        );
        id
    }

    /// A line of a request's record, which names the session first.
    fn record(&mut self, kind: &'static str, members: &str) {
        let session = &self.id;
        let text = format!(r#"{{"type":"{kind}","sessionId":"{session}",{members}}}"#);
        self.lines.push(Line::state(kind, text, self.now_ms));
    }

    fn hash(&mut self) -> String {
        format!("{:032x}{:032x}", self.dice.wide(), self.dice.wide())
    }

    fn next_usage(&mut self, output: u64) -> Tokens {
        let grown = self.dice.size(900, 1.0, 50, 20_000) as u64;
        self.context = (self.context + grown).min(190_000);
        let written = self.dice.size(1200, 1.0, 0, 40_000) as u64;
        let for_an_hour = self.dice.per_mille(300);
        Tokens {
            input: self.dice.between(1, 30) as u64,
            output,
            cache_5m: if for_an_hour { 0 } else { written },
            cache_1h: if for_an_hour { written } else { 0 },
            cache_read: self.context.saturating_sub(written),
        }
    }

    /// An answer of the model: one line for each block. Gives the ids of the lines.
    fn answer(&mut self, blocks: Vec<Block>, stop: &str, interrupted: bool) -> Vec<u128> {
        let modern = self.manner.modern;
        self.tick();
        self.step_over_midnight();
        let message = self.dice.wide();
        let message_id = api_id("msg_01", message);
        let request_id = api_id("req_01", self.dice.wide());
        // Gateways and other clouds leave it out.
        let no_request_id = !modern && self.dice.per_mille(100);
        let size: usize = blocks.iter().map(|block| block.json.len()).sum();
        let usage = self.next_usage(size as u64 / 4 + 5);
        let model = MODELS[self.model].name;
        let reference = if modern {
            self.request()
        } else {
            String::new()
        };
        let count = blocks.len();
        let mut ids = Vec::with_capacity(count);
        let mut told = usage;
        for (index, block) in blocks.into_iter().enumerate() {
            // Old versions wrote each block before they knew what the whole would use.
            let partial = interrupted || (!modern && index + 1 < count);
            told = usage;
            if partial {
                told.output = self.dice.between(1, 9) as u64;
            }
            let stop = if partial { "null" } else { stop };
            let usage_json = usage_json(&told, modern && !interrupted);
            let details = if modern {
                r#","stop_details":null"#
            } else {
                ""
            };
            let mut head = format!(
                r#""message":{{"id":"{message_id}","type":"message","role":"assistant","model":"{model}","content":[{}],"stop_reason":{stop},"stop_sequence":null,"usage":{usage_json}{details}}},"#,
                block.json
            );
            let mut tail = "";
            if modern {
                // Writing to a string cannot fail.
                let _ = write!(head, r#""apiBlockIndex":{index},"#);
            }
            if !no_request_id {
                let _ = write!(head, r#""requestId":"{request_id}","#);
            }
            if modern {
                let _ = write!(
                    head,
                    r#""requestRef":"{reference}","requestedModel":"{model}","promptCacheRequested":"5m","#
                );
                if self.agent.is_some() {
                    head.push_str(r#""attributionAgent":"general-purpose","#);
                }
                tail = r#","effort":"medium","perTurnEffort":"medium","madeBy":"model""#;
            }
            head.push_str(r#""type":"assistant","#);
            let spend = Spend {
                message,
                model: self.model,
                tokens: told,
                call: block.call,
            };
            let uuid = new_uuid(&mut self.dice);
            let pause = self.dice.between(20, 3000);
            self.chained_as(uuid, pause, "assistant", &head, tail).spend = Some(spend);
            ids.push(uuid);
        }
        // The CLI leaves a request that was stopped out of its total.
        if !interrupted {
            self.spent[self.model].add(&told);
        }
        ids
    }

    fn answer_text(&mut self, bytes: usize, stop: &str, interrupted: bool) -> String {
        let text = prose(&mut self.dice, bytes);
        let json = format!(r#"{{"type":"text","text":{}}}"#, json(&text));
        self.answer(vec![Block { json, call: None }], stop, interrupted);
        text
    }

    fn cost_state(&mut self) {
        let mut price = self.carried_price + self.hidden_price;
        let mut by_model = Vec::new();
        for (at, tokens) in self.spent.iter().enumerate() {
            if *tokens == Tokens::default() {
                continue;
            }
            let own = tokens.price(at);
            price += own;
            let Tokens {
                input,
                output,
                cache_5m,
                cache_1h,
                cache_read,
            } = tokens;
            by_model.push(format!(
                r#""{}":{{"inputTokens":{input},"outputTokens":{output},"thinkingTokens":0,"cacheReadInputTokens":{cache_read},"cacheCreationInputTokens":{},"cacheCreationEphemeral5mInputTokens":{cache_5m},"cacheCreationEphemeral1hInputTokens":{cache_1h},"webSearchRequests":0,"costUSD":{}}}"#,
                MODELS[at].name,
                cache_5m + cache_1h,
                dollars(own)
            ));
        }
        let by_model = by_model.join(",");
        self.record(
            "cost-state",
            &format!(
                r#""totalCostUSD":{},"totalAPIDuration":4200,"totalAPIDurationWithoutRetries":4100,"totalToolDuration":900,"totalLinesAdded":0,"totalLinesRemoved":0,"totalDuration":8000,"startTime":{},"modelUsage":{{{by_model}}},"hasUnknownModelCost":false"#,
                dollars(price),
                self.lines.first().map_or(self.now_ms, |line| line.at_ms),
            ),
        );
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
        let line = Line::state("summary", text, self.now_ms);
        self.lines.insert(0, line);
    }

    /// The line by which new versions name a session.
    pub(super) fn add_title(&mut self) {
        let title = prose(&mut self.dice, 40);
        self.state("ai-title", &format!(r#""aiTitle":{}"#, json(&title)));
    }

    /// A compaction: what comes now is no child of what was.
    pub(super) fn compact(&mut self) {
        let Some(before) = self.leaf.take() else {
            return;
        };
        self.taken_back = None;
        let tokens = self.context;
        self.chained(
            "system",
            &format!(
                r#""logicalParentUuid":"{}","type":"system","subtype":"compact_boundary","content":"Conversation compacted","isMeta":false,"level":"info","compactMetadata":{{"trigger":"auto","preTokens":{tokens}}},"#,
                uuid_text(before)
            ),
            "",
        )
        .mark = Mark::Compaction;
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
        if self.manner.modern {
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

fn usage_json(tokens: &Tokens, with_details: bool) -> String {
    let Tokens {
        input,
        output,
        cache_5m,
        cache_1h,
        cache_read,
    } = tokens;
    let written = cache_5m + cache_1h;
    let details = if with_details {
        r#","output_tokens_details":{"thinking_tokens":0},"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"inference_geo":"","iterations":[],"speed":"standard","fallback_credit":null"#
    } else {
        ""
    };
    format!(
        r#"{{"input_tokens":{input},"cache_creation_input_tokens":{written},"cache_read_input_tokens":{cache_read},"output_tokens":{output},"service_tier":"standard","cache_creation":{{"ephemeral_1h_input_tokens":{cache_1h},"ephemeral_5m_input_tokens":{cache_5m}}}{details}}}"#
    )
}

fn pick_model(dice: &mut Dice) -> usize {
    match dice.between(0, 100) {
        0..35 => 0,
        35..70 => 1,
        70..82 => 2,
        _ => 3,
    }
}
