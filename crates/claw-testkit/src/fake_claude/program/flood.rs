//! Many messages: made up, or from a recording.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

use serde_json::json;

use super::frames;
use super::ids;
use super::output::Pipe;
use super::state::Flow;
use super::turn::{Ended, Turn};
use crate::fake_claude::step::{DELTA_WRITTEN, Flood, FloodKind, Replay};

/// A piece of a long text: letters that need no escape.
const FILLER: &str = "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghijk \
                      abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz abcdefghi ";

/// A delta up to its text.
const DELTA_HEAD: &str = r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""#;
/// How many deltas a streamed message has.
const DELTAS: u64 = 4;

/// Limits the number of messages in a second.
struct Pace {
    started: Instant,
    passed: u64,
    per_second: u64,
}

impl Pace {
    fn new(per_second: u64) -> Self {
        Self {
            started: Instant::now(),
            passed: 0,
            per_second,
        }
    }

    /// Waits until the next message is due. Returns `false` after an interrupt.
    fn wait(&mut self, turn: &Turn<'_>) -> bool {
        if self.per_second > 0 {
            let due =
                self.started + Duration::from_secs_f64(self.passed as f64 / self.per_second as f64);
            self.passed += 1;
            let left = due.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return turn.host.pause(Some(left)) != Flow::Interrupted;
            }
        }
        !turn.host.interrupted()
    }
}

impl Turn<'_> {
    pub(super) fn flood(&mut self, spec: &Flood) -> Ended {
        if spec.kind == FloodKind::Streamed {
            return self.streamed(spec);
        }
        let session = self.host.session_id();
        let model = self.host.state().model.clone();
        let mut pace = Pace::new(spec.per_second);
        let delta_message = (spec.kind == FloodKind::Delta).then(|| self.next_message().0);
        if let Some(message) = &delta_message {
            delta_start(self, &session, message, &model);
        }
        let mut ended = Ended::Done;
        for number in 1..=spec.count {
            if !pace.wait(self) {
                ended = Ended::Interrupted { in_tool: false };
                break;
            }
            let intro = format!("message {number} of {} ", spec.count);
            let uuid = self.host.ids.uuid();
            let (head, tail) = match spec.kind {
                FloodKind::Text => {
                    let (message, request) = self.next_message();
                    let head = frames::assistant_head(&message, &model);
                    let tail = frames::assistant_tail(&session, &uuid, &request);
                    let prompts = self.prompt_members();
                    (
                        format!(r#"{head}{{"type":"text","text":""#),
                        format!(r#""}}{tail}{prompts}}}"#),
                    )
                }
                FloodKind::Delta => (
                    DELTA_HEAD.to_owned(),
                    delta_tail(
                        &session,
                        &uuid,
                        delta_message.as_deref().unwrap_or_default(),
                    ),
                ),
                FloodKind::Streamed | FloodKind::ToolResult => (
                    format!(
                        r#"{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_fake_{number}","type":"tool_result","content":""#
                    ),
                    format!(
                        r#"","is_error":false}}]}},"parent_tool_use_id":null,"session_id":"{session}","uuid":"{uuid}","timestamp":"{}"}}"#,
                        ids::timestamp()
                    ),
                ),
            };
            if self.host.prints_frames() {
                self.host.out.write(|pipe| {
                    pipe.text(&head);
                    pipe.text(&intro);
                    fill(pipe, spec.bytes.saturating_sub(intro.len() as u64));
                    pipe.text(&tail);
                    pipe.text("\n");
                });
            }
        }
        if let Some(message) = &delta_message {
            for event in [
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": null},
                "usage": {"output_tokens": 20}}),
                json!({"type": "message_stop"}),
            ] {
                self.host
                    .emit(&stream_event(self, &session, message, &event));
            }
        }
        self.host.out.flush();
        ended
    }

    /// Messages with deltas, in the order in which the CLI prints them.
    fn streamed(&mut self, spec: &Flood) -> Ended {
        let session = self.host.session_id();
        let model = self.host.state().model.clone();
        let mut pace = Pace::new(spec.per_second);
        let mut written = 0;
        while written < spec.count {
            let (message, request) = self.next_message();
            let mut text = String::new();
            for number in 0..DELTAS {
                if !pace.wait(self) {
                    return Ended::Interrupted { in_tool: false };
                }
                if number == 0 {
                    delta_start(self, &session, &message, &model);
                }
                let mut delta = format!("{DELTA_WRITTEN}{} ", monotonic_ns());
                let filler = FILLER.chars().cycle();
                let missing = usize::try_from(spec.bytes).unwrap_or(0);
                delta.extend(filler.take(missing.saturating_sub(delta.len())));
                let tail = delta_tail(&session, &self.host.ids.uuid(), &message);
                self.host.emit(&format!("{DELTA_HEAD}{delta}{tail}"));
                text.push_str(&delta);
            }
            if !pace.wait(self) {
                return Ended::Interrupted { in_tool: false };
            }
            let head = frames::assistant_head(&message, &model);
            let tail = frames::assistant_tail(&session, &self.host.ids.uuid(), &request);
            let prompts = self.prompt_members();
            let now = monotonic_ns();
            self.host.emit(&format!(
                r#"{head}{{"type":"text","text":"{text}"}}{tail}{prompts},"{}":{now}}}"#,
                Flood::WRITTEN
            ));
            for event in [
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_stop"}),
            ] {
                self.host
                    .emit(&stream_event(self, &session, &message, &event));
            }
            written += DELTAS + 1;
        }
        self.host.out.flush();
        Ended::Done
    }

    pub(super) fn replay(&mut self, spec: &Replay) -> Ended {
        let path = self.host.resolve(&spec.file);
        let mut line = Vec::new();
        for _ in 0..spec.times.max(1) {
            let mut reader = match File::open(&path) {
                Ok(file) => BufReader::new(file),
                Err(error) => {
                    eprintln!("fake-claude: cannot replay {}: {error}", path.display());
                    self.host.leave(1);
                }
            };
            while reader
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                if self.host.interrupted() {
                    return Ended::Interrupted { in_tool: false };
                }
                // The CLI writes `type` first in control frames.
                if !line.starts_with(br#"{"type":"control_"#) {
                    self.host.out.write(|pipe| pipe.bytes(&line));
                }
                line.clear();
            }
        }
        self.host.out.flush();
        Ended::Done
    }
}

/// A delta after its text.
fn delta_tail(session: &str, uuid: &str, message: &str) -> String {
    format!(
        r#""}}}},"session_id":"{session}","parent_tool_use_id":null,"uuid":"{uuid}","api_message_id":"{message}"}}"#
    )
}

/// The time of a clock that all processes of this machine share.
fn monotonic_ns() -> u128 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    Duration::try_from(now).unwrap_or_default().as_nanos()
}

fn delta_start(turn: &Turn<'_>, session: &str, message: &str, model: &str) {
    for event in [
        json!({"type": "message_start", "message": {"id": message, "type": "message",
            "role": "assistant", "model": model, "content": [], "stop_reason": null,
            "stop_sequence": null, "usage": {"input_tokens": 100, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
    ] {
        turn.host
            .emit(&stream_event(turn, session, message, &event));
    }
}

fn stream_event(
    turn: &Turn<'_>,
    session: &str,
    message: &str,
    event: &serde_json::Value,
) -> String {
    let uuid = turn.host.ids.uuid();
    format!(
        r#"{{"type":"stream_event","event":{event},"session_id":"{session}","parent_tool_use_id":null,"uuid":"{uuid}","api_message_id":"{message}"}}"#
    )
}

fn fill(pipe: &mut Pipe, bytes: u64) {
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX);
    while left > 0 {
        let length = left.min(FILLER.len());
        pipe.text(&FILLER[..length]);
        left -= length;
    }
}
