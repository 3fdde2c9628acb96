//! Open requests of the CLI, each handled by its own task.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw_protocol::Str;
use rusty_claw_protocol::control::{ControlRequest, ControlResponse};
use rusty_claw_protocol::messages::Message;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::writer::Writer;
use crate::duration::human;
use crate::host::{Call, Host, refusal};
use crate::outgoing::line_of;

/// Maximum number of requests of the CLI that are served concurrently. Further requests are refused
/// at once (a permission is denied, an elicitation declined), so that the pump never waits.
const MOST_OPEN: usize = 1024;

/// Requests without a response.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: HashMap<Str, OpenCall>,
    tasks: JoinSet<Str>,
    /// Number of requests so far.
    begun: u64,
}

#[derive(Debug)]
struct OpenCall {
    cancelled: CancellationToken,
    /// Kept for a host that takes over: the CLI does not list hooks and MCP messages.
    request: ControlRequest,
}

impl Calls {
    /// Whether the CLI waits for a response.
    pub(super) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Starts to handle a request, unless it is already being handled: the CLI repeats open
    /// requests when it is initialized again.
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
            let refusal = refusal(&request, &why);
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
                // The CLI cancelled the request and expects no response.
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

    /// Cancels a request that the CLI withdrew.
    pub(super) fn cancel(&mut self, request_id: &str) {
        if let Some(call) = self.open.get(request_id) {
            call.cancelled.cancel();
        }
    }

    /// Waits until a request is answered or cancelled; never completes if there is none.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub(super) async fn ended(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(request_id)) => {
                self.open.remove(&request_id);
            }
            // Panics are caught inside, and tasks are only aborted all at once.
            Some(Err(_)) => {}
            None => std::future::pending().await,
        }
    }

    /// Drops all open requests without a response, and returns them.
    pub(super) fn abandon(&mut self) -> Vec<(Str, ControlRequest)> {
        self.tasks.abort_all();
        let open = std::mem::take(&mut self.open);
        open.into_iter()
            .map(|(request_id, call)| (request_id, call.request))
            .collect()
    }
}

/// Answers a request in time, even if the callback hangs or panics.
async fn answer(
    host: &Arc<Host>,
    request: ControlRequest,
    call: Call,
    deadline: Option<Duration>,
) -> ControlResponse {
    let kind = request.tag().to_owned();
    // In its own task: a callback that blocks its thread must not stop its own deadline, and a
    // panic must not propagate.
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
    refusal(&request, &why)
}
