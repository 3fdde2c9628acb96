//! Puts idle sessions to sleep, and ends CLIs that use too much memory.

use std::time::Duration;

use claw_server::Activity;
use rusty_claw::transport::custody;
use tokio::sync::watch;
use tokio::time::Instant;

use super::Owner;

/// The interval at which the memory of a CLI is read.
pub(super) const MEMORY_LOOK: Duration = Duration::from_secs(5);

impl Owner<'_> {
    /// Returns since when the session has had nothing to do, and records it for the limit of awake
    /// sessions.
    pub(super) fn idle_since(&mut self) -> Option<Instant> {
        let has_streams = self.inbox.is_some() && self.updates.is_some();
        let has_seen_all = self.commands.seen() >= self.claimed.submitted();
        let is_settled = has_streams && has_seen_all && self.is_stored();
        let activity = self.activity.as_ref().map(|activity| *activity.borrow());
        if activity != Some(Activity::Waiting) {
            self.waits_since = None;
        }
        let since = match activity {
            Some(Activity::Idle { since }) if is_settled && self.open.is_empty() => Some(since),
            // Inputs wait until the call is answered.
            Some(Activity::Waiting) if has_streams && has_seen_all => {
                Some(*self.waits_since.get_or_insert_with(Instant::now))
            }
            _ => None,
        };
        if self.recorded_idle != since {
            self.recorded_idle = since;
            self.place.set_idle(since);
        }
        since
    }

    /// Puts the session to sleep if it has been idle for this long, or parks it if it only waits for
    /// an answer.
    pub(super) async fn rest(&mut self, idle_for: Duration) {
        let Some(since) = self.waits_since else {
            return self.sleep_if_idle(idle_for).await;
        };
        if since.elapsed() < idle_for {
            return;
        }
        // If it cannot be parked, because something else runs, it is tried again later.
        self.waits_since = Some(Instant::now());
        self.place.set_idle(None);
        self.recorded_idle = None;
        let (controller, session_id) = (self.tenant.controller.clone(), self.claimed.session_id);
        // The owner must not wait for the CLI.
        tokio::spawn(async move {
            if let Ok(true) = controller.park(session_id).await {
                tracing::debug!(%session_id, "a session waits for an answer without a process");
            }
        });
    }

    /// Puts the session to sleep if it has been idle for this long.
    async fn sleep_if_idle(&mut self, idle_for: Duration) {
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        match controller.sleep_if_idle(session_id, idle_for).await {
            Ok(true) => tracing::debug!(%session_id, "an idle session goes to sleep"),
            // It has become busy, and can be asked again later.
            Ok(false) | Err(_) => {
                self.recorded_idle = None;
                self.place.set_idle(None);
            }
        }
    }

    /// Ends the CLI if it uses more memory than the settings permit.
    pub(super) async fn check_memory(&mut self) {
        let (controller, session_id) = (&self.tenant.controller, self.claimed.session_id);
        let Some(limit) = self.tenant.settings.memory_limit else {
            return;
        };
        let Ok(Some(pid)) = controller.pid(session_id).await else {
            return;
        };
        let used = tokio::task::spawn_blocking(move || custody::resident_memory(pid)).await;
        let Some(used) = used.ok().flatten().filter(|used| *used > limit) else {
            return;
        };
        let mib = |bytes: u64| bytes / (1024 * 1024);
        let reason = format!(
            "the CLI and its commands used {} MiB of memory; the limit is {} MiB",
            mib(used),
            mib(limit)
        );
        tracing::warn!(%session_id, used, limit, "a CLI is ended: it uses too much memory");
        let ended = controller.clone();
        self.too_large = Some(reason.clone());
        // The owner must not wait for the CLI.
        tokio::spawn(async move { ended.sleep_because(session_id, &reason).await });
    }
}

/// Waits until the activity changes. Never completes once the session has ended.
pub(super) async fn changed(activity: &mut Option<watch::Receiver<Activity>>) {
    if let Some(activity) = activity
        && activity.changed().await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}
