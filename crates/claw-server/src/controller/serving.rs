//! Input from a source, for many sessions at once.

use std::collections::{HashMap, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rusty_claw::BoxFuture;

use super::{Controller, ControllerError};
use crate::input::ControllerInputPayload;
use crate::sink::InputSource;

/// How many inputs of one session may wait here to be stored. More are refused: a session whose
/// log stands still must not hold up the others.
pub(super) const WAITING: usize = 32;

impl Controller {
    /// Takes input from a source until it has no more: in order for each session, and no session
    /// waits for another. What is refused is told to `refused`, with the session it was for.
    ///
    /// Dropping the future leaves the rest with the source, and leaves open whether what was taken
    /// last was stored.
    pub async fn serve(
        &self,
        mut source: impl InputSource,
        mut refused: impl FnMut(i64, ControllerError),
    ) {
        let mut storing = FuturesUnordered::new();
        // The sessions that an input is being stored for, and what waits behind it.
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
