//! Reads input from a source, for many sessions at once.

use std::collections::{HashMap, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rusty_claw::BoxFuture;

use super::{Controller, ControllerError};
use crate::input::ControllerInputPayload;
use crate::sink::InputSource;

/// How many inputs of one session may wait to be stored. More are rejected: a session whose log
/// hangs must not block the others.
pub(super) const WAITING: usize = 32;

impl Controller {
    /// Reads input from a source until it ends, in order and independently for each session. Calls
    /// `refused` with the session and the error of each rejected input.
    ///
    /// If the future is dropped, unread input stays in the source, and input that was read may or
    /// may not be stored.
    pub async fn serve(
        &self,
        mut source: impl InputSource,
        mut refused: impl FnMut(i64, ControllerError),
    ) {
        let mut storing = FuturesUnordered::new();
        // The sessions for which an input is being stored, and the inputs that wait behind it.
        let mut waiting: HashMap<i64, VecDeque<ControllerInputPayload>> = HashMap::new();
        let mut has_more = true;
        while has_more || !storing.is_empty() {
            tokio::select! {
                payload = source.recv(), if has_more => {
                    let Some(payload) = payload else {
                        has_more = false;
                        continue;
                    };
                    let session_id = payload.session_id;
                    match waiting.get_mut(&session_id) {
                        None => {
                            waiting.insert(session_id, VecDeque::new());
                            storing.push(self.store(payload));
                        }
                        Some(behind) if behind.len() < WAITING => behind.push_back(payload),
                        Some(_) => refused(session_id, ControllerError::QueueFull { limit: WAITING }),
                    }
                }
                Some((session_id, result)) = storing.next() => {
                    if let Err(error) = result {
                        refused(session_id, error);
                    }
                    match waiting.get_mut(&session_id).and_then(VecDeque::pop_front) {
                        Some(payload) => storing.push(self.store(payload)),
                        None => {
                            waiting.remove(&session_id);
                        }
                    }
                }
            }
        }
    }

    fn store(
        &self,
        payload: ControllerInputPayload,
    ) -> BoxFuture<'_, (i64, Result<(), ControllerError>)> {
        let session_id = payload.session_id;
        Box::pin(async move { (session_id, self.input(payload).await.map(|_| ())) })
    }
}
