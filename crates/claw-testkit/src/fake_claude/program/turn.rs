//! One turn: the frame around the steps, and the steps that need no answer.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::host::Host;
use super::session_file::ParkedCall;
use super::state::{Flow, Prompt};
use super::{frames, opening, system, tasks};
use crate::fake_claude::script::FakeTurn;
use crate::fake_claude::step::{Background, Piece, Step};
use crate::fixture;

/// How a turn's steps came to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Done,
    Interrupted {
        in_tool: bool,
    },
    /// Stdin ended during a step that waits without limit.
    Silent,
}

/// A turn that is being played.
#[derive(Debug)]
pub(super) struct Turn<'a> {
    pub(super) host: &'a Host,
    pub(super) prompts: Vec<String>,
    contents: Vec<Value>,
    pub(super) started: Instant,
    number: u64,
    pub(super) last_text: String,
    messages: u64,
    tools: u64,
    pub(super) denials: Vec<Value>,
}

impl<'a> Turn<'a> {
    pub(super) fn for_prompts(host: &'a Host, prompts: Vec<Prompt>) -> Self {
        let uuids = prompts.iter().filter_map(|prompt| prompt.uuid.clone());
        let mut turn = Self::new(host, uuids.collect());
        turn.contents = prompts.into_iter().map(|prompt| prompt.content).collect();
        turn
    }

    /// The rest of a turn whose process was killed while this call waited.
    pub(super) fn play_parked(host: &'a Host, parked: ParkedCall) {
        let mut turn = Self::new(host, Vec::new());
        turn.number = host.file().turns;
        host.report_state("running");
        host.emit(&opening::init(host, &[]));
        let ParkedCall { id, name, input } = parked;
        let ended = turn.ask_for_call(None, &name, &id, input);
        if ended == Ended::Done {
            turn.print_text("fake-claude, after the parked call");
        }
        turn.finish(ended, None);
    }

    /// A turn of these prompts; one at the end of a task has none.
    pub(super) fn new(host: &'a Host, prompts: Vec<String>) -> Self {
        Self {
            host,
            prompts,
            contents: Vec::new(),
            started: Instant::now(),
            number: 0,
            last_text: String::new(),
            messages: 0,
            tools: 0,
            denials: Vec::new(),
        }
    }

    /// Plays the script's turn of this number.
    pub(super) fn play(mut self, index: usize) {
        let script = &self.host.script;
        let reply = FakeTurn::new().step(Step::text("fake-claude, turn $turn: $prompt"));
        let turn = match script.turns.get(index) {
            Some(turn) => turn,
            None if script.repeat_last => script.turns.last().unwrap_or(&reply),
            None => &reply,
        };
        self.keep_prompts();
        self.host.report_state("running");
        for prompt in &self.prompts {
            self.host.emit(&self.host.lifecycle(prompt, "started"));
        }
        self.repeat_prompts();
        self.host.emit(&opening::init(self.host, &self.prompts));
        let mut ended = Ended::Done;
        for step in &turn.steps {
            ended = self.step(step);
            if ended != Ended::Done {
                break;
            }
        }
        self.finish(ended, turn.structured_output.as_ref());
    }

    fn keep_prompts(&mut self) {
        let mut entries = Vec::new();
        {
            let mut file = self.host.file();
            for (at, content) in self.contents.iter().enumerate() {
                let uuid = self.uuid_of_prompt(at);
                let message = json!({"role": "user", "content": content});
                entries.push(file.chain_entry("user", &uuid, message));
                file.turns += 1;
            }
            self.number = file.turns;
        }
        self.host.persist(entries);
    }

    fn uuid_of_prompt(&self, at: usize) -> String {
        let own = self.prompts.get(at).cloned();
        own.unwrap_or_else(|| self.host.ids.uuid())
    }

    /// Prints the prompts again, with `--replay-user-messages`.
    fn repeat_prompts(&self) {
        if !self.host.flags.has("--replay-user-messages") {
            return;
        }
        for (at, content) in self.contents.iter().enumerate() {
            let uuid = self.uuid_of_prompt(at);
            let more = json!({"isReplay": true});
            self.host
                .emit(&opening::user(self.host, content, &uuid, more));
        }
    }

    /// The prompt's text, all of it.
    pub(super) fn prompt_text(&self) -> String {
        let text = |content: &Value| match content.as_array() {
            None => content.as_str().unwrap_or_default().to_owned(),
            Some(blocks) => blocks
                .iter()
                .filter_map(|block| block["text"].as_str())
                .collect::<Vec<_>>()
                .join("\n"),
        };
        self.contents
            .iter()
            .map(text)
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Replaces `$session_id` and the like.
    pub(super) fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if !text.contains('$') {
            return text;
        }
        while text.contains("$uuid") {
            text = text.replacen("$uuid", &self.host.ids.uuid(), 1);
        }
        text.replace("$session_id", &self.host.session_id())
            .replace("$pid", &std::process::id().to_string())
            .replace("$turn", &self.number.to_string())
            .replace("$prompt", &self.prompt_text())
    }

    fn fill_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.fill(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill_value(item)),
            Value::Object(members) => members.values_mut().for_each(|item| self.fill_value(item)),
            _ => {}
        }
    }

    fn step(&mut self, step: &Step) -> Ended {
        let host = self.host;
        match step {
            Step::Text(text) => {
                let text = self.fill(text);
                self.print_text(&text);
            }
            Step::Line(Value::String(text)) => host.out.line(&self.fill(text)),
            Step::Line(value) => {
                let mut value = value.clone();
                self.fill_value(&mut value);
                host.out.line(&value.to_string());
            }
            Step::Raw(pieces) => self.raw(pieces),
            Step::Flood(spec) => return self.flood(spec),
            Step::Replay(spec) => return self.replay(spec),
            Step::SleepMs(ms) => {
                return self.paused(host.pause(Some(Duration::from_millis(*ms))));
            }
            Step::Stderr(text) => eprint!("{}", self.fill(text)),
            Step::StderrBytes(bytes) => {
                host.out.flush();
                fill_stderr(*bytes);
            }
            Step::Permission(spec) => return self.ask_permission(spec),
            Step::Hook(spec) => return self.call_hooks(spec),
            Step::Mcp(spec) => return self.call_tool(spec),
            Step::Elicitation(spec) => return self.elicit(spec),
            Step::Exit(code) => host.leave(*code),
            Step::Kill(signal) => {
                host.out.flush();
                system::die_by(*signal);
            }
            Step::Hang => return self.paused(host.pause(None)),
            Step::Background(spec) => self.start_task(spec),
        }
        host.out.flush();
        Ended::Done
    }

    fn paused(&self, flow: Flow) -> Ended {
        match flow {
            Flow::Next => Ended::Done,
            Flow::Interrupted => Ended::Interrupted { in_tool: false },
            Flow::InputEnded => Ended::Silent,
        }
    }

    fn raw(&self, pieces: &[Piece]) {
        let host = self.host;
        host.out.write(|pipe| {
            for piece in pieces {
                match piece {
                    Piece::Text(text) => pipe.text(&self.fill(text)),
                    Piece::Hex(digits) => pipe.bytes(&fixture::from_hex(digits)),
                }
            }
        });
        host.out.flush();
    }

    /// Prints an `assistant` line with one text block and keeps it.
    pub(super) fn print_text(&mut self, text: &str) {
        self.last_text = text.to_owned();
        self.assistant(&json!({"type": "text", "text": text}), "");
    }

    /// Prints an `assistant` line with one tool call and returns the call's id.
    pub(super) fn use_tool(&mut self, name: &str, input: &Value) -> String {
        self.tools += 1;
        let id = format!("toolu_fake_{:04}_{:03}", self.number, self.tools);
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": input});
        self.assistant(&block, "");
        id
    }

    pub(super) fn assistant(&mut self, block: &Value, more: &str) {
        let (message_id, request_id) = self.next_message();
        let model = self.host.state().model.clone();
        let uuid = self.host.ids.uuid();
        let head = frames::assistant_head(&message_id, &model);
        let tail = frames::assistant_tail(&self.host.session_id(), &uuid, &request_id);
        let prompts = self.prompt_members();
        self.host
            .emit(&format!("{head}{block}{tail}{more}{prompts}}}"));
        let message = json!({
            "id": message_id, "type": "message", "role": "assistant", "model": model,
            "content": [block], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        });
        let entry = self.host.file().chain_entry("assistant", &uuid, message);
        self.host.persist(vec![entry]);
    }

    /// Ids for the next message and the request that it answers.
    pub(super) fn next_message(&mut self) -> (String, String) {
        self.messages += 1;
        let number = self.number * 1_000_000 + self.messages;
        (
            format!("msg_fake_{number:09}"),
            format!("req_fake_{number:09}"),
        )
    }

    /// The first line of a turn names its prompts.
    pub(super) fn prompt_members(&self) -> String {
        if self.messages == 1 {
            frames::prompt_members(&self.prompts)
        } else {
            String::new()
        }
    }

    /// Prints a tool's result and keeps it.
    pub(super) fn tool_result(&mut self, id: &str, content: Value, is_error: bool, more: Value) {
        let uuid = self.host.ids.uuid();
        let content = json!([{
            "tool_use_id": id, "type": "tool_result", "content": content, "is_error": is_error,
        }]);
        self.host
            .emit(&opening::user(self.host, &content, &uuid, more));
        let message = json!({"role": "user", "content": content});
        let entry = self.host.file().chain_entry("user", &uuid, message);
        self.host.persist(vec![entry]);
        self.host.out.flush();
    }

    fn start_task(&mut self, spec: &Background) {
        let input = json!({"command": "work", "description": spec.description,
            "run_in_background": true});
        let call = self.use_tool("Bash", &input);
        let id = tasks::start(self.host, spec, &call);
        let text = format!("Running in the background with ID: {id}.");
        let more = json!({"tool_use_result": {"stdout": "", "stderr": "", "interrupted": false,
            "isImage": false, "backgroundTaskId": id}});
        self.tool_result(&call, json!(text), false, more);
    }
}

fn fill_stderr(mut bytes: u64) {
    let line = [b'e'; 1023];
    let mut stderr = std::io::stderr().lock();
    while bytes > 0 {
        let length = bytes.min(1024);
        let body = usize::try_from(length - 1).unwrap_or(0);
        // If the host closed stderr, the turn continues without it.
        let _ = stderr
            .write_all(&line[..body])
            .and_then(|()| stderr.write_all(b"\n"));
        bytes -= length;
    }
}
