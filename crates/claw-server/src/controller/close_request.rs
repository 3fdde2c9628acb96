//! How a session is asked to close, whatever it waits for at that moment.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::ending::FLUSH;

/// What stands for ever: a year.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Asks a session to close. It goes past the session's commands, which stand still while its log
/// does.
#[derive(Debug, Clone)]
pub(super) struct CloseRequest(watch::Sender<Option<Instant>>);

/// The session's end of it.
#[derive(Debug, Clone)]
pub(super) struct CloseAsked(watch::Receiver<Option<Instant>>);

pub(super) fn close_request() -> (CloseRequest, CloseAsked) {
    let (request, asked) = watch::channel(None);
    (CloseRequest(request), CloseAsked(asked))
}

impl CloseRequest {
    /// What runs may end first, for so long. The shortest of all that was said counts.
    pub(super) fn within(&self, grace: Duration) {
        let now = Instant::now();
        let until = now.checked_add(grace).unwrap_or(now + FOR_EVER);
        self.0.send_modify(|by| {
            *by = Some(by.map_or(until, |earlier| earlier.min(until)));
        });
    }

    /// Asks for it when this is dropped, unless it is kept first.
    pub(super) fn when_dropped(&self) -> CloseWhenDropped {
        CloseWhenDropped(Some(self.clone()))
    }
}

/// Closes a session that nobody would know of.
pub(super) struct CloseWhenDropped(Option<CloseRequest>);

impl CloseWhenDropped {
    /// Somebody knows of the session.
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
    /// Until when what runs may go on, when somebody asked.
    pub(super) fn by(&self) -> Option<Instant> {
        *self.0.borrow()
    }

    /// Waits until somebody asks, or asks for less time. Waits for ever when nobody can any more.
    pub(super) async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until somebody asked and the time that was given is over.
    pub(super) async fn is_due(&self) {
        self.is_past(Duration::ZERO).await;
    }

    /// Waits until whatever is being stored has had its time: as long as nobody wants the session
    /// to end, all of it; then what was given to the session, and [`FLUSH`].
    pub(super) async fn is_overdue(&self) {
        let least = Instant::now() + FLUSH;
        self.is_past(FLUSH).await;
        tokio::time::sleep_until(least).await;
    }

    async fn is_past(&self, more: Duration) {
        let mut asked = self.0.clone();
        loop {
            let by = *asked.borrow_and_update();
            let Some(by) = by else {
                if asked.changed().await.is_err() {
                    // The controller is gone, and with it whoever could ask.
                    return tokio::time::sleep(more).await;
                }
                continue;
            };
            // A timer takes a moment to know that its time has come.
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
        let (request, asked) = close_request();
        let start = Instant::now();
        let due = tokio::spawn({
            let asked = asked.clone();
            async move {
                asked.is_due().await;
                let due = start.elapsed();
                asked.is_overdue().await;
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
        // Begun at its end, a write has the little more all the same.
        assert_eq!(rounded(overdue), 116);
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_who_could_ask_is_as_good_as_being_asked() {
        let (request, asked) = close_request();
        let kept = request.when_dropped();
        drop(request);
        kept.keep();
        asked.is_overdue().await;
        let (request, asked) = close_request();
        drop(request.when_dropped());
        asked.is_due().await;
        assert!(asked.by().is_some());
    }
}
