//! Wakes sessions whose interactions expire while nothing runs them. The owner of a session that is
//! awake denies what expires.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use claw_server::SessionId;
use claw_store::{Interaction, InteractionFilter};
use tokio::time::Instant;

use crate::clock::now_ms;
use crate::tenant::Tenant;

/// The longest time between two reads of the store: another process may have stored an interaction.
const READ_AGAIN: Duration = Duration::from_secs(600);
/// The least time between two reads.
const PAUSE: Duration = Duration::from_secs(2);
/// The delay before a session is woken again, if its interaction stays pending.
const WAKE_AGAIN: Duration = Duration::from_secs(60);

/// Runs until the tenant is dropped or the gateway shuts down.
pub(crate) async fn run(tenant: Weak<Tenant>) {
    // A session that does not start is not woken again at once.
    let mut woken = BTreeMap::new();
    loop {
        let Some(current) = tenant.upgrade() else {
            return;
        };
        let mut leaving = current.leaving.clone();
        let noted = Arc::clone(&current.expiring);
        // What is noted from now on may not be in the answer of the store.
        let noticed = noted.notified();
        let pause = current.wake_expired(&mut woken).await;
        drop(current);
        let read = Instant::now();
        let noticed = async {
            noticed.await;
            tokio::time::sleep_until(read + PAUSE).await;
        };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = noticed => {}
            _ = leaving.wait_for(|is_leaving| *is_leaving) => return,
        }
    }
}

impl Tenant {
    /// Wakes the sessions that have expired interactions and do not run here. Returns when to do
    /// this again.
    async fn wake_expired(self: &Arc<Self>, woken: &mut BTreeMap<SessionId, Instant>) -> Duration {
        let pending = InteractionFilter::pending(self.id.clone());
        let open = match self.store.interactions(&pending).await {
            Ok(open) => open,
            Err(error) => {
                tracing::debug!(%error, "the interactions of a tenant are read later");
                return WAKE_AGAIN;
            }
        };
        let is_here = |session_id| self.log.claimed(session_id).is_some();
        let (expired, pause) = expired(&open, now_ms(), is_here);
        drop(open);
        woken.retain(|_, at| at.elapsed() < WAKE_AGAIN);
        for session_id in expired {
            if woken.contains_key(&session_id) {
                continue;
            }
            woken.insert(session_id, Instant::now());
            if let Err(error) = self.wake_for_interaction(session_id).await {
                tracing::warn!(%session_id, %error, "a session with an expired interaction was not woken");
            }
        }
        pause
    }
}

/// Returns the sessions to wake, and how long to wait for the next one.
fn expired(
    open: &[Interaction],
    now_ms: i64,
    is_here: impl Fn(SessionId) -> bool,
) -> (BTreeSet<SessionId>, Duration) {
    let (mut sessions, mut pause) = (BTreeSet::new(), READ_AGAIN);
    for one in open {
        let (Ok(session_id), Some(expires_at_ms)) =
            (one.session.session.as_str().parse(), one.expires_at_ms)
        else {
            continue;
        };
        if is_here(session_id) {
            continue;
        }
        match u64::try_from(expires_at_ms.saturating_sub(now_ms)) {
            Ok(left @ 1..) => pause = pause.min(Duration::from_millis(left)),
            _ => {
                sessions.insert(session_id);
                pause = pause.min(WAKE_AGAIN);
            }
        }
    }
    (sessions, pause.max(PAUSE))
}
