//! Appends events, with retries.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::event::{Fact, Omitted, SessionEvent};
use crate::log::{EventLog, Fence, LogError, weight};
use crate::session_id::SessionId;

/// Delays between two attempts.
const FIRST_DELAY: Duration = Duration::from_millis(20);
const LAST_DELAY: Duration = Duration::from_secs(1);
/// How long the log may fail before clients get its error. A leader election takes 5 to 7 seconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// The current failure of a log, shared by the loop and the pending append.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble(Arc<Mutex<Option<(Instant, LogError)>>>);

impl Trouble {
    pub(super) fn since(&self) -> Option<Instant> {
        self.get().as_ref().map(|(since, _)| *since)
    }

    /// Returns the error, if the log has failed for some time.
    pub(super) fn lasting(&self) -> Option<LogError> {
        let lasting = |(since, error): &(Instant, LogError)| {
            // A full log stays full until a person acts.
            let is_lasting = since.elapsed() >= PATIENCE || matches!(error, LogError::Full { .. });
            is_lasting.then(|| error.clone())
        };
        self.get().as_ref().and_then(lasting)
    }

    fn set(&self, error: LogError) {
        let mut trouble = self.get();
        let since = trouble
            .as_ref()
            .map_or_else(Instant::now, |(since, _)| *since);
        *trouble = Some((since, error));
    }

    fn get(&self) -> MutexGuard<'_, Option<(Instant, LogError)>> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends events, and repeats the append until the log accepts it. Returns the events as they are
/// stored, if some were replaced.
///
/// # Errors
/// The session has another owner or was deleted, or no event is left to omit.
pub(super) async fn append(
    log: Arc<dyn EventLog>,
    session_id: SessionId,
    fence: Fence,
    mut events: Vec<Arc<SessionEvent>>,
    trouble: Trouble,
) -> Result<Option<Vec<Arc<SessionEvent>>>, LogError> {
    let mut is_changed = false;
    let mut delay = FIRST_DELAY;
    loop {
        match log.append(session_id, fence, &events).await {
            Ok(()) => {
                *trouble.get() = None;
                return Ok(is_changed.then_some(events));
            }
            Err(LogError::TooLarge { size, limit }) => {
                if !omit_largest(&mut events, limit) {
                    return Err(LogError::TooLarge { size, limit });
                }
                is_changed = true;
            }
            Err(error @ (LogError::Fenced | LogError::Deleted)) => return Err(error),
            Err(error) => {
                tracing::warn!(%error, "the log failed, and the append is repeated");
                trouble.set(error);
                tokio::time::sleep(delay).await;
                delay = (2 * delay).min(LAST_DELAY);
            }
        }
    }
}

/// Replaces the largest event that is not replaced yet. Returns whether there was one.
fn omit_largest(events: &mut [Arc<SessionEvent>], limit: u64) -> bool {
    let whole = |event: &&mut Arc<SessionEvent>| !matches!(event.fact, Fact::Omitted(_));
    let largest = events
        .iter_mut()
        .filter(whole)
        .max_by_key(|event| weight(event));
    let Some(event) = largest else {
        return false;
    };
    let (kind, size) = (event.fact.kind().to_owned(), weight(event) as u64);
    let mut replaced = SessionEvent::clone(event);
    replaced.fact = Fact::Omitted(Omitted { kind, size, limit });
    *event = Arc::new(replaced);
    true
}
