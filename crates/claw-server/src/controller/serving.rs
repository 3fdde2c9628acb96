//! Reads input from a source, for many sessions at once.

use std::collections::{HashMap, VecDeque};

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rusty_claw::BoxFuture;

use super::{Controller, ControllerError, Input};
use crate::input::ControllerInputPayload;
use crate::sink::InputSource;

/// How many inputs of one session may wait to be stored. More are rejected: a session whose log
/// hangs must not block the others.
pub(super) const WAITING: usize = 32;

impl Controller {
    /// Reads input from a source of one tenant until it ends, in order and independently for each
    /// session. Calls `refused` with the number of the session and the error of each rejected
    /// input.
    ///
    /// A payload has only the number of its session, which is looked up among the open sessions of
    /// the tenant. To address a session by its id, use [`Input::payload`].
    ///
    /// If the future is dropped, unread input stays in the source, and input that was read may or
    /// may not be stored.
    pub async fn serve(
        &self,
        tenant: &str,
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
                    let number = payload.session_id;
                    match waiting.get_mut(&number) {
                        None => {
                            waiting.insert(number, VecDeque::new());
                            storing.push(self.store(tenant, payload));
                        }
                        Some(behind) if behind.len() < WAITING => behind.push_back(payload),
                        Some(_) => refused(number, ControllerError::QueueFull { limit: WAITING }),
                    }
                }
                Some((number, result)) = storing.next() => {
                    if let Err(error) = result {
                        refused(number, error);
                    }
                    match waiting.get_mut(&number).and_then(VecDeque::pop_front) {
                        Some(payload) => storing.push(self.store(tenant, payload)),
                        None => {
                            waiting.remove(&number);
                        }
                    }
                }
            }
        }
    }

    fn store<'a>(
        &'a self,
        tenant: &'a str,
        payload: ControllerInputPayload,
    ) -> BoxFuture<'a, (i64, Result<(), ControllerError>)> {
        let number = payload.session_id;
        Box::pin(async move {
            let stored = match self.shared.numbered(tenant, number) {
                Some(session_id) => self.input(Input::payload(session_id, payload)).await,
                None => Err(ControllerError::UnknownNumber { number }),
            };
            (number, stored.map(|_| ()))
        })
    }
}
