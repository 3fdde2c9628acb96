//! Where policies decide, which may hang.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::notices::Notices;
use crate::grants::PolicyDecision;

/// How many decisions may hang at once for one tenant, and for all. Each of them has a thread, and
/// a program has not so many of these; a tenant whose disk is gone must not stop the others.
pub(super) const MOST_HANGING: usize = 16;
pub(super) const MOST_HANGING_IN_ALL: usize = 256;

/// The decisions of a controller that have not come in time, for each tenant that has any.
#[derive(Debug, Default)]
pub(super) struct Deciding {
    hanging: Mutex<HashMap<String, usize>>,
    notices: Notices,
}

impl Deciding {
    pub(super) fn new(notices: Notices) -> Self {
        Self {
            notices,
            ..Self::default()
        }
    }

    /// Decides on a thread where it may look at files. One that panics denies, and so does one that
    /// takes too long.
    ///
    /// Dropping the future does not stop it; nobody hears what it decides.
    pub(super) async fn decide(
        self: &Arc<Self>,
        tenant: &str,
        limit: Duration,
        decide: impl FnOnce() -> PolicyDecision + Send + 'static,
    ) -> PolicyDecision {
        if self.hangs(tenant) {
            return deny("The policy of this program does not answer, so this was not done");
        }
        let mut deciding = tokio::task::spawn_blocking(decide);
        match tokio::time::timeout(limit, &mut deciding).await {
            Ok(Ok(decision)) => decision,
            Ok(Err(_)) => deny("The policy of this program failed, so this was not done"),
            Err(_) => {
                // One that has not begun never needs to.
                deciding.abort();
                let this = Arc::clone(self);
                let tenant = tenant.to_owned();
                this.went_missing(&tenant);
                tokio::spawn(async move {
                    let _ = deciding.await;
                    this.came_back(&tenant);
                });
                let reason = format!(
                    "The policy of this program did not decide within {limit:?}, so this was not done"
                );
                PolicyDecision::Deny { reason }
            }
        }
    }
}

impl Deciding {
    fn hangs(&self, tenant: &str) -> bool {
        let hanging = self.hanging();
        let of_tenant = hanging
            .get(tenant)
            .is_some_and(|count| *count >= MOST_HANGING);
        of_tenant || hanging.values().sum::<usize>() >= MOST_HANGING_IN_ALL
    }

    fn went_missing(&self, tenant: &str) {
        let mut hanging = self.hanging();
        let count = hanging.entry(tenant.to_owned()).or_default();
        *count += 1;
        if *count == MOST_HANGING {
            self.notices.error(format!(
                "{MOST_HANGING} decisions of the policy of tenant {tenant:?} hang: its requests \
                 are denied until one of them ends"
            ));
        }
        if hanging.values().sum::<usize>() == MOST_HANGING_IN_ALL {
            self.notices.error(format!(
                "{MOST_HANGING_IN_ALL} policy decisions hang: all requests are denied until one of \
                 them ends"
            ));
        }
    }

    fn came_back(&self, tenant: &str) {
        let mut hanging = self.hanging();
        if hanging.values().sum::<usize>() == MOST_HANGING_IN_ALL {
            let again = "a hung policy decision has ended: requests are decided again";
            self.notices.system(again.to_owned());
        }
        if let Some(count) = hanging.get_mut(tenant) {
            if *count == MOST_HANGING {
                self.notices.system(format!(
                    "a hung policy decision of tenant {tenant:?} has ended: its requests are \
                     decided again"
                ));
            }
            *count -= 1;
            if *count == 0 {
                hanging.remove(tenant);
            }
        }
    }

    fn hanging(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        // Nothing in here panics half way.
        self.hanging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn deny(reason: &str) -> PolicyDecision {
    let reason = reason.to_owned();
    PolicyDecision::Deny { reason }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::ui_message::UiMessage;

    #[tokio::test]
    async fn many_decisions_that_hang_are_a_no_for_every_tenant() {
        let notices = Notices::default();
        let mut told = notices.subscribe();
        let deciding = Arc::new(Deciding::new(notices));
        let decide = || {
            let limit = Duration::from_secs(20);
            deciding.decide("another", limit, || PolicyDecision::Allow)
        };
        for tenant in 1..MOST_HANGING_IN_ALL {
            deciding.went_missing(&tenant.to_string());
        }
        assert_eq!(decide().await, PolicyDecision::Allow);
        deciding.went_missing("last");
        assert!(matches!(decide().await, PolicyDecision::Deny { .. }));
        let error = told.try_recv().unwrap();
        assert!(
            matches!(&error, UiMessage::Error { message, session_id: None }
                if message.contains("all requests are denied")),
            "{error:?}"
        );
        deciding.came_back("last");
        assert_eq!(decide().await, PolicyDecision::Allow);
        assert!(matches!(told.try_recv(), Ok(UiMessage::System { .. })));
    }

    #[tokio::test]
    async fn decisions_that_hang_are_a_no_and_not_begun_for_ever() {
        let notices = Notices::default();
        let mut told = notices.subscribe();
        let deciding = Arc::new(Deciding::new(notices));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let limit = Duration::from_millis(20);
        let hang = || {
            let released = Arc::clone(&released);
            move || {
                let _ = released.lock().unwrap().recv();
                PolicyDecision::Allow
            }
        };
        let hanging = (0..MOST_HANGING).map(|_| deciding.decide("ada", limit, hang()));
        for decision in futures_util::future::join_all(hanging).await {
            let PolicyDecision::Deny { reason } = decision else {
                panic!("{decision:?}")
            };
            assert!(reason.contains("did not decide within 20ms"), "{reason}");
        }
        let error = told.try_recv().unwrap();
        assert!(
            matches!(&error, UiMessage::Error { message, session_id: None }
                if message.contains("16 decisions of the policy of tenant \"ada\" hang")),
            "{error:?}"
        );
        let begun = Arc::new(AtomicUsize::new(0));
        let one = || {
            let begun = Arc::clone(&begun);
            move || {
                begun.fetch_add(1, Ordering::SeqCst);
                PolicyDecision::Allow
            }
        };
        let decision = deciding.decide("ada", limit, one()).await;
        assert!(matches!(decision, PolicyDecision::Deny { .. }));
        assert_eq!(begun.load(Ordering::SeqCst), 0);
        // What hangs for one tenant is nothing to another.
        let long = Duration::from_secs(20);
        let decision = deciding.decide("bob", long, one()).await;
        assert_eq!(decision, PolicyDecision::Allow);
        // The disk is back.
        drop(release);
        let back = async {
            while !deciding.hanging().is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), back)
            .await
            .unwrap();
        let again = told.try_recv().unwrap();
        assert!(
            matches!(
                again,
                UiMessage::System {
                    session_id: None,
                    ..
                }
            ),
            "{again:?}"
        );
        assert!(told.try_recv().is_err(), "once");
        let decision = deciding.decide("ada", long, one()).await;
        assert_eq!(decision, PolicyDecision::Allow);
        let failed = deciding
            .decide("ada", long, || panic!("a policy that breaks"))
            .await;
        assert!(
            matches!(&failed, PolicyDecision::Deny { reason } if reason.contains("failed")),
            "{failed:?}"
        );
    }
}
