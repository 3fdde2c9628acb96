//! Routes each line.

use bytes::Bytes;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::{Message, SessionState, SystemMessage};
use rusty_claw_protocol::{Line, Peek, Str};

use super::Pump;
use super::close::{END_SESSION, STOP};
use super::unread::SESSION;

impl Pump {
    /// Handles a line of the CLI.
    ///
    /// Most lines are parsed only as far as is needed to route them; their reader decodes them. The
    /// few that drive the session are decoded here.
    pub(super) fn on_line(&mut self, raw: Bytes) {
        let Some(peek) = Peek::new(&raw) else {
            return self.queue(raw);
        };
        self.note_session(peek.session_id.as_deref());
        match peek.kind() {
            "control_request" | "control_response" | "control_cancel_request" => {
                self.on_control(raw);
            }
            "keep_alive" => {}
            "transcript_mirror" if self.mirror.is_some() => {
                if let Some(mirror) = &self.mirror {
                    mirror.push(raw);
                }
            }
            "result" | "command_lifecycle" => self.on_receipt(raw),
            "system" => match peek.subtype.as_deref() {
                Some(
                    "session_state_changed" | "background_tasks_changed" | "session_writes_lost",
                ) => self.on_receipt(raw),
                Some("init") => self.on_work(raw),
                _ => self.queue(raw),
            },
            "assistant" | "user" => {
                if self.limits.idle.is_some() {
                    self.tools.note(&raw);
                }
                self.on_work(raw);
            }
            "stream_event" => self.on_work(raw),
            _ => self.queue(raw),
        }
    }

    /// Handles a line that the CLI prints only while it works on a prompt.
    pub(super) fn on_work(&mut self, raw: Bytes) {
        self.timing.works();
        self.queue(raw);
    }

    fn note_session(&mut self, session_id: Option<&str>) {
        let Some(session_id) = session_id.filter(|id| !id.is_empty()) else {
            return;
        };
        let known = match &self.next_status.session_id {
            Some(next) => *next == *session_id,
            None => self.status.borrow().session_id.as_deref() == Some(session_id),
        };
        if !known {
            self.next_status.session_id = Some(Str::from(session_id));
        }
    }

    /// Handles a line about the state of prompts. The reader gets it too, before the outcome is
    /// sent.
    fn on_receipt(&mut self, raw: Bytes) {
        let line = Line::decode(raw.clone());
        let Line::Message(received) = line else {
            return self.queue(raw);
        };
        if let Message::CommandLifecycle(said) = &received.message {
            let resolved = self.ledger.lifecycle(&said.command_uuid, &said.state);
            self.resolved.extend(resolved);
            // The stream of a turn does not contain receipts of other prompts.
            return match self.ledger.running() {
                Some(id) if *id == said.command_uuid => self.queue(raw),
                _ => self.queue_for(SESSION, raw),
            };
        }
        self.queue(raw);
        match received.message {
            Message::Result(result) => {
                self.timing.stopped();
                self.tools.clear();
                if let Some(mirror) = &self.mirror {
                    mirror.flush();
                }
                let resolved = self.ledger.result(result);
                self.resolved.extend(resolved);
                if self.ledger.may_be_done() {
                    self.timing.may_rest();
                }
            }
            Message::System(SystemMessage::SessionStateChanged(said)) => {
                let idle = said.state == SessionState::Idle;
                self.next_status.idle = Some(idle);
                if idle {
                    let resolved = self.ledger.idle();
                    self.resolved.extend(resolved);
                } else {
                    self.timing.works();
                }
            }
            Message::System(SystemMessage::SessionWritesLost(said)) => {
                self.writes_lost = Some(said);
            }
            Message::System(SystemMessage::BackgroundTasksChanged(said)) => {
                let count = said.tasks.len();
                self.ledger
                    .background(said.tasks.into_iter().map(|task| task.task_id));
                self.next_status.background_tasks = Some(count);
            }
            _ => {}
        }
    }

    fn on_control(&mut self, raw: Bytes) {
        let Line::Message(received) = Line::decode(raw.clone()) else {
            // It looked like a control frame and is not a message: let the reader see it.
            return self.queue(raw);
        };
        match received.message {
            Message::ControlRequest {
                request_id,
                request,
                ..
            } => self.on_question(request_id, request),
            Message::ControlResponse {
                request_id,
                response,
                ..
            } => self.on_answer(&request_id, response),
            Message::ControlCancelRequest(cancel) => {
                if let Some(replayed) = &mut self.replayed {
                    replayed.retain(|(id, _)| *id != cancel.request_id);
                }
                self.calls.cancel(&cancel.request_id);
            }
            _ => self.queue(raw),
        }
    }

    fn on_question(&mut self, request_id: Str, request: ControlRequest) {
        match &mut self.replayed {
            // Read again from an earlier offset: it may have been answered long ago.
            Some(replayed) => replayed.push((request_id, request)),
            None => self
                .calls
                .begin(&self.host, &self.writer, request_id, request),
        }
    }

    fn on_answer(&mut self, request_id: &str, response: ControlResponse) {
        if request_id == END_SESSION {
            if matches!(response, ControlResponse::Error { .. }) {
                self.end_session_refused();
            }
            return;
        }
        if request_id.starts_with(STOP) {
            // The CLI responds, so the session is not closed as unresponsive.
            self.timing.stopped();
            return;
        }
        if let Some(reply) = self.pending.remove(request_id) {
            self.rearm(request_id, &response);
            // The caller may have stopped waiting.
            let _ = reply.send(Ok(response));
        }
    }

    /// Handles requests that still wait for a response.
    ///
    /// The reply to `initialize` lists the open interactions. Those that were read again from an
    /// earlier offset are handled only if they are listed. Hooks and MCP messages are not listed:
    /// those that were not cancelled are served, perhaps for the second time.
    fn rearm(&mut self, request_id: &str, response: &ControlResponse) {
        // The output that is read again may contain replies to an earlier host, and other requests
        // of ours may be answered first.
        let replayed = if self.initialize_id == *request_id {
            self.replayed.take().unwrap_or_default()
        } else {
            Vec::new()
        };
        let lists = response.pending().map(|pending| {
            [
                &pending.permissions,
                &pending.dialogs,
                &pending.elicitations,
            ]
        });
        let open = lists.into_iter().flatten().flatten().flatten().cloned();
        for message in open {
            if let Message::ControlRequest {
                request_id,
                request,
                ..
            } = message
            {
                self.on_question(request_id, request);
            }
        }
        for (request_id, request) in replayed {
            let served_again = matches!(
                request,
                ControlRequest::HookCallback(_) | ControlRequest::McpMessage(_)
            );
            if served_again {
                self.on_question(request_id, request);
            }
        }
    }
}
