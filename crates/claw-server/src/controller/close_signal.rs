//! Requests to close a session, which interrupt every wait.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::closing::FLUSH;

/// Effectively unlimited: one year.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Requests that a session closes. It bypasses the command channel, which is blocked while the log
/// is.
#[derive(Debug, Clone)]
pub(super) struct CloseSignal(watch::Sender<Request>);

#[derive(Debug, Clone)]
pub(super) struct CloseAsked(watch::Receiver<Request>);

#[derive(Debug, Clone, Default)]
struct Request {
    by: Option<Instant>,
    /// Whether the session closes for good, and not to sleep.
    is_final: bool,
    /// The reason to record, instead of how the CLI ended.
    reason: Option<Arc<str>>,
}

pub(super) fn close_signal() -> (CloseSignal, CloseAsked) {
    let (request, asked) = watch::channel(Request::default());
    (CloseSignal(request), CloseAsked(asked))
}

impl CloseSignal {
    /// Requests a close. Running work may finish within `grace`; the earliest deadline applies.
    pub(super) fn within(&self, grace: Duration) {
        self.request(grace, true);
    }

    /// Requests that the session goes to sleep, unless a close is requested too.
    pub(super) fn sleep_within(&self, grace: Duration) {
        self.request(grace, false);
    }

    /// Records a reason for the end of the session.
    pub(super) fn because(&self, reason: &str) {
        self.0
            .send_modify(|request| request.reason = Some(reason.into()));
    }

    fn request(&self, grace: Duration, is_final: bool) {
        let now = Instant::now();
        let until = now.checked_add(grace).unwrap_or(now + FOR_EVER);
        self.0.send_modify(|request| {
            request.by = Some(request.by.map_or(until, |earlier| earlier.min(until)));
            request.is_final |= is_final;
        });
    }

    /// Returns a guard that requests a close when it is dropped, unless it is kept.
    pub(super) fn when_dropped(&self) -> CloseWhenDropped {
        CloseWhenDropped(Some(self.clone()))
    }
}

/// Closes a session whose id never reached its caller.
pub(super) struct CloseWhenDropped(Option<CloseSignal>);

impl CloseWhenDropped {
    /// Disarms the guard: the caller has the id.
    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for CloseWhenDropped {
    fn drop(&mut self) {
        if let Some(request) = &self.0 {
            request.within(Duration::ZERO);
        }
    }
}

impl CloseAsked {
    /// Returns until when running work may continue, if a close was requested.
    pub(super) fn by(&self) -> Option<Instant> {
        self.0.borrow().by
    }

    /// Returns whether a sleep was requested, and no close.
    pub(super) fn is_sleep(&self) -> bool {
        let request = self.0.borrow();
        request.by.is_some() && !request.is_final
    }

    /// Returns the reason to record, if a request has one.
    pub(super) fn reason(&self) -> Option<String> {
        self.0.borrow().reason.as_deref().map(str::to_owned)
    }

    /// Waits for a request, or for an earlier deadline. Never returns once no request is possible.
    pub(super) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until the deadline of a close has passed, or no request is possible any more.
    pub(super) async fn is_due(&self) {
        self.is_past(Duration::ZERO).await;
    }

    /// Waits until a write to the log must be abandoned: [`FLUSH`] after the deadline of a close,
    /// and not within [`FLUSH`] after it began. Without a close, the write may take any time.
    pub(super) async fn is_overdue(&self, began: Instant) {
        self.is_past(FLUSH).await;
        tokio::time::sleep_until(began + FLUSH).await;
    }

    async fn is_past(&self, more: Duration) {
        let mut asked = self.0.clone();
        loop {
            let by = asked.borrow_and_update().by;
            let Some(by) = by else {
                if asked.changed().await.is_err() {
                    // The controller is gone, so no request is possible.
                    return tokio::time::sleep(more).await;
                }
                continue;
            };
            // A timer may fire late, so check the time first.
            if Instant::now() >= by + more {
                return;
            }
            tokio::select! {
                () = tokio::time::sleep_until(by + more) => return,
                Ok(()) = asked.changed() => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_shortest_time_counts_and_what_is_stored_has_a_little_more() {
        let (request, asked) = close_signal();
        let start = Instant::now();
        let due = tokio::spawn({
            let asked = asked.clone();
            async move {
                asked.is_due().await;
                let due = start.elapsed();
                asked.is_overdue(Instant::now()).await;
                (due, start.elapsed())
            }
        });
        assert_eq!(asked.by(), None);
        request.within(Duration::MAX);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(!due.is_finished());
        request.within(Duration::from_secs(50));
        tokio::time::sleep(Duration::from_secs(1)).await;
        request.within(Duration::from_secs(10));
        request.within(Duration::from_secs(20));
        let (due, overdue) = due.await.unwrap();
        let rounded = |time: Duration| (time.as_millis() + 500) / 1000;
        assert_eq!(rounded(due), 111);
        // A write that starts at the deadline still has `FLUSH`.
        assert_eq!(rounded(overdue), 116);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_who_could_ask_is_as_good_as_being_asked() {
        let (request, asked) = close_signal();
        let kept = request.when_dropped();
        drop(request);
        kept.keep();
        asked.is_overdue(Instant::now()).await;
        let (request, asked) = close_signal();
        drop(request.when_dropped());
        asked.is_due().await;
        assert!(asked.by().is_some());
    }
}
