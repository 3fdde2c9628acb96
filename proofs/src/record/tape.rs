//! Both pipes of a running CLI, kept line by line, with the host's answers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Notify;

use super::api::Api;
use super::frame;
use super::scenario::{Answer, Place, Scenario};
use crate::lab;

/// Everything that was sent over the pipes, and the requests without an answer.
pub(super) struct Tape {
    state: Mutex<State>,
    stdin: tokio::sync::Mutex<Option<ChildStdin>>,
    changed: Notify,
}

/// What is known so far.
#[derive(Default)]
pub(super) struct State {
    pub(super) stdin: Vec<u8>,
    pub(super) stdout: Vec<String>,
    pub(super) exchange: Vec<(&'static str, usize)>,
    answers: BTreeMap<String, VecDeque<Answer>>,
    pub(super) held: Vec<String>,
    root: String,
    pub(super) doing: String,
    pub(super) ended: bool,
}

impl State {
    fn note(&mut self, direction: &'static str) {
        match self.exchange.last_mut() {
            Some((last, count)) if *last == direction => *count += 1,
            _ => self.exchange.push((direction, 1)),
        }
    }
}

impl Tape {
    pub(super) fn new(stdin: Option<ChildStdin>, scenario: &Scenario, root: &str) -> Self {
        Self {
            state: Mutex::new(State {
                answers: scenario.answers.clone(),
                root: root.to_owned(),
                ..State::default()
            }),
            stdin: tokio::sync::Mutex::new(stdin),
            changed: Notify::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn write_line(&self, line: &str) {
        self.write(format!("{line}\n").as_bytes()).await;
    }

    /// A broken pipe is not an error here: waiting for a frame reports that the CLI has ended.
    pub(super) async fn write(&self, bytes: &[u8]) {
        let mut stdin = self.stdin.lock().await;
        {
            let mut state = self.lock();
            state.stdin.extend_from_slice(bytes);
            state.note("in");
        }
        if let Some(pipe) = stdin.as_mut() {
            let _gone = pipe.write_all(bytes).await.is_err() || pipe.flush().await.is_err();
        }
    }

    pub(super) async fn close(&self) {
        if self.stdin.lock().await.take().is_some() {
            self.lock().note("eof");
        }
    }

    /// The index of the first line from `start` on that `wanted` accepts.
    pub(super) async fn until(&self, start: usize, wanted: impl Fn(&str) -> bool) -> Result<usize> {
        let mut next = start;
        loop {
            let changed = self.changed.notified();
            {
                let state = self.lock();
                while next < state.stdout.len() {
                    if wanted(&state.stdout[next]) {
                        return Ok(next);
                    }
                    next += 1;
                }
                ensure!(!state.ended, "the CLI ended before the awaited frame");
            }
            changed.await;
        }
    }

    /// What a person needs to see when a scenario did not reach its end.
    pub(super) fn report(&self, api: &Api, stderr: &[u8]) -> String {
        let state = self.lock();
        let kinds: Vec<String> = state.stdout.iter().map(|line| frame::kind(line)).collect();
        let last = state.stdout.last().map_or("", String::as_str);
        let last: String = last.chars().take(600).collect();
        let stderr = String::from_utf8_lossy(stderr);
        let skipped = stderr.chars().count().saturating_sub(800);
        let stderr: String = stderr.chars().skip(skipped).collect();
        format!(
            "  at: {}\n  frames: {}\n  last: {last}\n  api: {}\n  stderr: {stderr}",
            state.doing,
            kinds.join(", "),
            api.report()
        )
    }
}

/// Reads stdout to its end and answers requests.
pub(super) async fn read_stdout(stdout: ChildStdout, tape: Arc<Tape>) -> Result<()> {
    let outcome = read_lines(stdout, &tape).await;
    tape.lock().ended = true;
    tape.changed.notify_waiters();
    outcome
}

async fn read_lines(stdout: ChildStdout, tape: &Tape) -> Result<()> {
    let mut lines = BufReader::new(stdout).split(b'\n');
    while let Some(line) = lines.next_segment().await? {
        let line = String::from_utf8(line).context("stdout held a line that is not UTF-8")?;
        let reply = {
            let mut state = tape.lock();
            state.note("out");
            let reply = answer(&mut state, &line);
            state.stdout.push(line);
            reply
        };
        tape.changed.notify_waiters();
        if let Some(reply) = reply {
            tape.write_line(&reply).await;
        }
    }
    Ok(())
}

/// The host's answer to a request of the CLI, if it answers now.
fn answer(state: &mut State, line: &str) -> Option<String> {
    if !line.contains("\"control_request\"") {
        return None;
    }
    let frame: Value = serde_json::from_str(line).ok()?;
    if frame["type"] != "control_request" {
        return None;
    }
    let (id, request) = (frame["request_id"].as_str()?, &frame["request"]);
    let subtype = request["subtype"].as_str()?;
    let kind = match request["callback_id"].as_str() {
        Some(callback) if subtype == "hook_callback" => format!("hook:{callback}"),
        _ => subtype.to_owned(),
    };
    let scripted = state.answers.get_mut(&kind).and_then(VecDeque::pop_front);
    let Some(answer) = scripted else {
        return reply_frame(id, &default_answer(subtype, request)).map(|reply| reply.to_string());
    };
    if matches!(answer, Answer::Hold) {
        state.held.push(id.to_owned());
    }
    let place = Place {
        root: &state.root,
        vars: &BTreeMap::new(),
    };
    reply_frame(id, &answer).map(|reply| place.text(&reply.to_string()))
}

fn default_answer(subtype: &str, request: &Value) -> Answer {
    Answer::Reply(match subtype {
        "can_use_tool" => json!({"behavior": "allow"}),
        "hook_callback" => json!({}),
        "mcp_message" => json!({"mcp_response": lab::calc(&request["message"])}),
        "elicitation" => json!({"action": "decline"}),
        "request_user_dialog" => json!({"behavior": "cancelled"}),
        _ => return Answer::Fail("unknown request".to_owned()),
    })
}

/// The frame of an answer, if it is one.
pub(super) fn reply_frame(id: &str, answer: &Answer) -> Option<Value> {
    let response = match answer {
        Answer::Reply(payload) => {
            json!({"subtype": "success", "request_id": id, "response": payload})
        }
        Answer::Fail(error) => json!({"subtype": "error", "request_id": id, "error": error}),
        Answer::Hold => return None,
    };
    Some(json!({"type": "control_response", "response": response}))
}
