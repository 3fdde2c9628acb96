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
        let is_settled = self.inbox.is_some()
            && self.updates.is_some()
            && self.is_stored()
            && self.open.is_empty()
            && self.commands.seen() >= self.claimed.submitted();
        let activity = self.activity.as_ref().map(|activity| *activity.borrow());
        let since = match activity {
            Some(Activity::Idle { since }) if is_settled => Some(since),
            _ => None,
        };
        if self.recorded_idle != since {
            self.recorded_idle = since;
            self.place.set_idle(since);
        }
        since
    }

    /// Puts the session to sleep if it has been idle for this long.
    pub(super) async fn sleep_if_idle(&mut self, idle_for: Duration) {
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
