//! The CLI's open questions: each is answered by a task of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::Message;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::writer::Writer;
use crate::error::human;
use crate::host::{Call, Host};
use crate::outgoing::line_of;

/// Maximum number of requests of the CLI that are served concurrently. Further requests are refused
/// at once (a permission is denied, an elicitation declined), so that the pump never waits.
const MOST_OPEN: usize = 1024;

/// Questions that wait for their answers.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: HashMap<Str, OpenCall>,
    tasks: JoinSet<Str>,
    /// How many there were.
    begun: u64,
}

#[derive(Debug)]
struct OpenCall {
    cancelled: CancellationToken,
    /// Kept for whoever takes over: hooks and MCP messages are not in the CLI's own list.
    request: ControlRequest,
}

impl Calls {
    /// Whether the CLI waits for somebody here.
    pub(super) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Starts to answer a question. One that is being answered already is left alone: the CLI
    /// repeats open questions when it is initialized again.
    pub(super) fn begin(
        &mut self,
        host: &Arc<Host>,
        writer: &Writer,
        request_id: Str,
        request: ControlRequest,
    ) {
        if self.open.contains_key(&request_id) {
            return;
        }
        if self.open.len() >= MOST_OPEN {
            tracing::warn!(kind = request.tag(), "refused: too many requests are open");
            let why = format!("{MOST_OPEN} requests of this session wait for an answer already");
            let refusal = Host::refusal(&request, &why);
            return writer.answer(line_of(&Message::control_response(request_id, refusal)));
        }
        let cancelled = CancellationToken::new();
        let call = Call {
            request_id: request_id.clone(),
            order: self.begun,
            cancelled: cancelled.clone(),
        };
        self.begun += 1;
        let deadline = host.deadline(&request);
        let host = Arc::clone(host);
        let writer = writer.clone();
        let asked = request.clone();
        let opened = OpenCall {
            cancelled: cancelled.clone(),
            request,
        };
        self.open.insert(request_id.clone(), opened);
        self.tasks.spawn(async move {
            let answer = tokio::select! {
                // Whoever withdrew the question does not want an answer.
                () = cancelled.cancelled() => None,
                answer = answer(&host, asked, call, deadline) => Some(answer),
            };
            if let Some(answer) = answer {
                writer.answer(line_of(&Message::control_response(
                    request_id.clone(),
                    answer,
                )));
            }
            request_id
        });
    }

    /// The CLI withdrew a question.
    pub(super) fn cancel(&mut self, request_id: &str) {
        if let Some(call) = self.open.get(request_id) {
            call.cancelled.cancel();
        }
    }

    /// Waits until a question is answered or withdrawn; for ever when there is none.
    ///
    /// Dropping the future loses nothing.
    pub(super) async fn ended(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(request_id)) => {
                self.open.remove(&request_id);
            }
            // Panics are caught inside, and nobody aborts a task but the drop of all.
            Some(Err(_)) => {}
            None => std::future::pending().await,
        }
    }

    /// Lets go of all open questions, unanswered.
    pub(super) fn abandon(&mut self) -> Vec<(Str, ControlRequest)> {
        self.tasks.abort_all();
        let open = std::mem::take(&mut self.open);
        open.into_iter()
            .map(|(request_id, call)| (request_id, call.request))
            .collect()
    }
}

/// Answers one question: in time, whatever the callback does.
async fn answer(
    host: &Arc<Host>,
    request: ControlRequest,
    call: Call,
    deadline: Option<Duration>,
) -> ControlResponse {
    let kind = request.tag().to_owned();
    // A task of its own: a callback that blocks its thread must not stop its own deadline, and a
    // panic must not pass, wherever in the callback it happens.
    let mut served = JoinSet::new();
    served.spawn({
        let request = request.clone();
        let host = Arc::clone(host);
        async move { host.serve(request, call).await }
    });
    let forever = Duration::MAX;
    let why = match tokio::time::timeout(deadline.unwrap_or(forever), served.join_next()).await {
        Ok(Some(Ok(answer))) => return answer,
        Ok(_) => "the program's callback panicked".to_owned(),
        Err(_) => format!(
            "the program's callback did not answer within {}",
            human(&deadline.unwrap_or(forever))
        ),
    };
    tracing::warn!(kind, why, "answered for a callback");
    Host::refusal(&request, &why)
}
