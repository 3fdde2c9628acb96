//! Turns of the CLI.

use serde_json::{Value, json};

use super::{Script, Stop};
use crate::file::conversation;
use crate::record::Run;

const TOOL: &str = "Bash";

impl Script {
    /// Asks again for the call that the session file parks, and completes its turn.
    pub(super) async fn resume(&mut self) -> Result<(), Stop> {
        let Some((call, input)) = self.file.parked_call() else {
            return Ok(());
        };
        self.recorder
            .note(format!("CLI {} resumes {call}", self.life));
        let done = self.call(&call, &input, true).await;
        self.finish(None, done).await
    }

    /// Plays the turn of a prompt.
    pub(super) async fn turn(&mut self, prompt: &Value) -> Result<(), Stop> {
        let id = prompt["uuid"].as_str().unwrap_or_default().to_owned();
        for (call, _) in self.file.open_calls() {
            self.result(&call, "interrupted", true).await?;
        }
        self.recorder.note(format!("CLI {} begins {id}", self.life));
        self.recorder
            .of(self.session, |seen| seen.agent.prompts.push(id.clone()));
        let entry = self.file.append("user", &id, &prompt["message"]);
        self.mirror(entry).await?;
        self.lifecycle(&id, "started").await?;
        let line = json!({"type": "system", "subtype": "init",
            "session_id": conversation(self.session), "tools": [], "mcp_servers": [],
            "user_message_uuids": [id]});
        self.print(&line).await?;
        let done = self.steps().await;
        self.finish(Some(&id), done).await
    }

    async fn steps(&mut self) -> Result<(), Stop> {
        for _ in 0..self.dice.below(4) {
            self.work(1500).await?;
            match self.dice.below(3) {
                0 => self.say().await?,
                1 => self.reply(1).await?,
                _ => {
                    let calls = 1 + self.dice.below(2);
                    self.reply(calls).await?;
                }
            }
        }
        self.say().await
    }

    async fn finish(&mut self, prompt: Option<&str>, done: Result<(), Stop>) -> Result<(), Stop> {
        let is_interrupted = match done {
            Ok(()) => false,
            Err(Stop::Interrupted) => true,
            Err(Stop::Ended) => return Err(Stop::Ended),
        };
        for id in std::mem::take(&mut self.open).into_keys() {
            self.print(&json!({"type": "control_cancel_request", "request_id": id}))
                .await?;
        }
        self.answers.clear();
        self.is_interrupted = false;
        let (subtype, reason, state) = match is_interrupted {
            true => ("error_during_execution", "aborted_tools", "cancelled"),
            false => ("success", "completed", "completed"),
        };
        let mut line = json!({"type": "result", "subtype": subtype, "is_error": is_interrupted,
            "result": "", "session_id": conversation(self.session), "total_cost_usd": 0.5,
            "terminal_reason": reason});
        if let Some(prompt) = prompt {
            line["user_message_uuid"] = json!(prompt);
            line["user_message_uuids"] = json!([prompt]);
        }
        self.print(&line).await?;
        match prompt {
            Some(prompt) => self.lifecycle(prompt, state).await,
            None => Ok(()),
        }
    }

    fn uuid(&mut self) -> String {
        self.messages += 1;
        let (life, message) = (self.life, self.messages);
        format!("aaaaaaaa-0000-4000-8000-{life:04x}{message:08x}")
    }

    async fn mirror(&mut self, entry: Value) -> Result<(), Stop> {
        if !self.mirrors {
            return Ok(());
        }
        let path = self.file.path.to_string_lossy().into_owned();
        self.print(&json!({"type": "transcript_mirror", "filePath": path, "entries": [entry]}))
            .await
    }

    /// Writes a message to the session file, and prints it.
    async fn message(&mut self, kind: &str, message: &Value) -> Result<(), Stop> {
        let uuid = self.uuid();
        let entry = self.file.append(kind, &uuid, message);
        self.work(20).await.or_else(unless_ended)?;
        self.mirror(entry).await?;
        let line = json!({"type": kind, "uuid": uuid, "message": message,
            "session_id": conversation(self.session)});
        self.print(&line).await?;
        self.recorder
            .life(self.session, |life| life.printed.push(uuid));
        Ok(())
    }

    async fn say(&mut self) -> Result<(), Stop> {
        let text = format!("text {}", self.dice.below(1000));
        if self.dice.per_mille(300) {
            self.stream(&text).await?;
        }
        let id = format!("msg_{}_{}", self.life, self.messages);
        let block = json!({"type": "text", "text": text});
        let message = json!({"id": id, "role": "assistant", "content": [block]});
        self.message("assistant", &message).await
    }

    /// Streams a text before its message.
    async fn stream(&mut self, text: &str) -> Result<(), Stop> {
        let id = format!("msg_{}_{}", self.life, self.messages);
        let message = json!({"id": id, "role": "assistant", "content": []});
        let block = json!({"type": "text", "text": ""});
        let delta = json!({"type": "text_delta", "text": text});
        for event in [
            json!({"type": "message_start", "message": message}),
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        ] {
            let line = json!({"type": "stream_event", "api_message_id": id, "event": event});
            self.print(&line).await?;
        }
        Ok(())
    }

    /// Makes a reply with tool calls, and runs them in order.
    async fn reply(&mut self, count: u64) -> Result<(), Stop> {
        let message_id = format!("msg_{}_{}", self.life, self.messages);
        let mut calls = Vec::new();
        for _ in 0..count {
            let number = self.recorder.of(self.session, |seen| {
                seen.agent.calls += 1;
                seen.agent.calls
            });
            let (id, input) = (
                format!("toolu_{number}"),
                json!({"command": format!("make {number}")}),
            );
            let block = json!({"type": "tool_use", "id": id, "name": TOOL, "input": input});
            let message = json!({"id": message_id, "role": "assistant", "content": [block]});
            self.message("assistant", &message).await?;
            calls.push((id, input));
        }
        for (id, input) in calls {
            let is_asked = self.dice.per_mille(800);
            self.call(&id, &input, is_asked).await?;
        }
        Ok(())
    }

    /// Asks for a call, runs it, and prints its result.
    async fn call(&mut self, call: &str, input: &Value, is_asked: bool) -> Result<(), Stop> {
        if let Some(hook) = self.hook.clone() {
            let event = json!({"hook_event_name": "PreToolUse", "tool_name": TOOL,
                "session_id": conversation(self.session), "transcript_path": "/t", "cwd": "/p",
                "tool_use_id": call, "tool_input": input});
            let id = self
                .request(&json!({"subtype": "hook_callback", "callback_id": hook,
                    "input": event, "tool_use_id": call}))
                .await?;
            let answer = self.answer(&id).await?;
            if answer.to_string().contains("deny") {
                return self.result(call, "denied by a hook", true).await;
            }
        }
        let mut input = input.clone();
        if is_asked {
            let id = self
                .request(
                    &json!({"subtype": "can_use_tool", "tool_name": TOOL, "input": input,
                    "tool_use_id": call}),
                )
                .await?;
            let answer = self.answer(&id).await?;
            if answer["behavior"] != "allow" {
                return self.result(call, "denied", true).await;
            }
            if answer["updatedInput"].is_object() {
                input = answer["updatedInput"].clone();
            }
        }
        self.work(50).await?;
        self.recorder
            .note(format!("CLI {} runs {call}: {input}", self.life));
        self.recorder.of(self.session, |seen| {
            let run = Run {
                call: call.to_owned(),
                input,
                was_asked: is_asked,
                after: seen.last,
            };
            seen.agent.runs.push(run);
        });
        self.work(4000).await?;
        self.result(call, "done", false).await
    }

    async fn result(&mut self, call: &str, text: &str, is_error: bool) -> Result<(), Stop> {
        let result = json!({"type": "tool_result", "tool_use_id": call, "content": text,
            "is_error": is_error});
        let message = json!({"role": "user", "content": [result]});
        self.recorder.of(self.session, |seen| {
            seen.agent.results.insert(call.to_owned())
        });
        self.message("user", &message).await
    }
}

/// Continues after an interrupt, which takes effect at the next step.
fn unless_ended(stop: Stop) -> Result<(), Stop> {
    match stop {
        Stop::Interrupted => Ok(()),
        Stop::Ended => Err(Stop::Ended),
    }
}
