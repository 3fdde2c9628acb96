//! Handles commands of handles.

use rusty_claw_protocol::messages::{ControlCancelRequest, Message};

use super::command::Command;
use super::unread::SESSION;
use super::{OpenTurn, Pump};
use crate::outgoing::line_of;
use crate::session::end::EndCause;
use crate::session::outcome::{TurnOutcome, TurnReport};

impl Pump {
    pub(super) fn on_command(&mut self, command: Command) {
        match command {
            Command::Request { id, request, reply } => {
                let line = line_of(&Message::control_request(id.clone(), *request));
                self.pending.insert(id, reply);
                drop(self.writer.request(line));
            }
            Command::Notify { message } => {
                self.ask_unheard(*message);
            }
            Command::Forget { id } => {
                if self.pending.remove(&id).is_some() {
                    let cancel = ControlCancelRequest::new(id);
                    drop(
                        self.writer
                            .request(line_of(&Message::ControlCancelRequest(cancel))),
                    );
                }
            }
            Command::Prompt {
                id,
                number,
                message,
                outcome,
                written,
            } => {
                if self.ledger.is_open(&id) {
                    // Two prompts with one id could not be distinguished.
                    let report = TurnReport::without_result("a prompt with this id is open");
                    self.queues.end_turn(number);
                    let _ = outcome.send(TurnOutcome::Failed(report));
                    let _ = written.send(());
                    return;
                }
                let line = line_of(&Message::User(message));
                // The CLI will work, even if it last reported that it is idle.
                self.status.send_if_modified(|status| {
                    let rests = status.idle == Some(true);
                    if rests {
                        status.idle = Some(false);
                    }
                    rests
                });
                self.ledger.sent(id.clone());
                self.turns
                    .push_back(OpenTurn::new(id.clone(), number, outcome));
                self.timing.turn_began(id);
                let sent = self.writer.request(line);
                // Wait outside the loop.
                tokio::spawn(async move {
                    if sent.await.is_ok() {
                        let _ = written.send(());
                    }
                });
            }
            Command::Ready => self.attaching = false,
            Command::StderrTail { reply } => {
                let _ = reply.send(self.custody.stderr_tail());
            }
            Command::Inject { raw } => self.queue_for(SESSION, raw),
            Command::Close { report } => self.begin_closing(EndCause::Closed, Some(report)),
            Command::Kill { report } => self.kill(report),
            Command::Detach { .. } => {}
        }
    }
}
