//! Runs policy decisions, which may hang.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::notices::Notices;
use crate::grants::PolicyDecision;

/// The most decisions in progress at once for one tenant, and in all; others wait.
///
/// Each decision occupies a thread of the blocking pool, which the SDK also writes files on. A
/// tenant whose disk hangs must not stop the others.
pub(super) const MOST_DECIDING: usize = 16;
pub(super) const MOST_DECIDING_IN_ALL: usize = 256;

#[derive(Debug)]
pub(super) struct PolicyRunner {
    /// The permits of tenants with decisions in progress.
    places: Mutex<HashMap<String, Arc<Semaphore>>>,
    in_all: Arc<Semaphore>,
    /// The tenants whose permits are all held by decisions that do not end.
    stuck: Mutex<HashSet<String>>,
    notices: Notices,
}

impl PolicyRunner {
    pub(super) fn new(notices: Notices) -> Self {
        Self {
            places: Mutex::default(),
            in_all: Arc::new(Semaphore::new(MOST_DECIDING_IN_ALL)),
            stuck: Mutex::default(),
            notices,
        }
    }

    /// Decides on a thread that may read files, once a permit is free. A decision that panics,
    /// takes too long or gets no permit denies.
    ///
    /// Dropping the future does not stop the decision; its result is dropped.
    pub(super) async fn decide<D: From<PolicyDecision> + Send + 'static>(
        self: &Arc<Self>,
        tenant: &str,
        limit: Duration,
        decide: impl FnOnce() -> D + Send + 'static,
    ) -> D {
        let places = self.places_of(tenant);
        let decided = async {
            let place = Arc::clone(&places).acquire_owned().await;
            let in_all = Arc::clone(&self.in_all).acquire_owned().await;
            rusty_claw::runtime::spawn_blocking(move || {
                let _until_it_ends = (place, in_all);
                decide()
            })
            .await
        };
        match tokio::time::timeout(limit, decided).await {
            Ok(Ok(decision)) => decision,
            Ok(Err(_)) => D::from(PolicyDecision::Deny {
                reason: "The policy of this program failed, so this was not done".to_owned(),
            }),
            Err(_) => {
                self.report_if_stuck(&places, format!("the policy of tenant {tenant:?}"));
                self.report_if_stuck(&self.in_all, "all policies".to_owned());
                let reason = format!(
                    "The policy of this program did not decide within {limit:?}, so this was not done"
                );
                D::from(PolicyDecision::Deny { reason })
            }
        }
    }

    fn places_of(&self, tenant: &str) -> Arc<Semaphore> {
        let mut places = locked(&self.places);
        if !places.contains_key(tenant) {
            // A decision in progress holds a reference to its semaphore.
            places.retain(|_, places| Arc::strong_count(places) > 1);
        }
        let new = || Arc::new(Semaphore::new(MOST_DECIDING));
        Arc::clone(places.entry(tenant.to_owned()).or_insert_with(new))
    }

    /// Reports that all permits are held, and again when one is free.
    fn report_if_stuck(self: &Arc<Self>, places: &Arc<Semaphore>, whose: String) {
        if places.available_permits() > 0 || !locked(&self.stuck).insert(whose.clone()) {
            return;
        }
        self.notices.error(format!(
            "decisions of {whose} hang: requests wait for one of them to end, and are denied at \
             their time limit"
        ));
        let (this, places) = (Arc::clone(self), Arc::clone(places));
        tokio::spawn(async move {
            let _ = places.acquire().await;
            locked(&this.stuck).remove(&whose);
            let again = format!("a decision of {whose} has ended: requests are decided again");
            this.notices.system(again);
        });
    }
}

impl Default for PolicyRunner {
    fn default() -> Self {
        Self::new(Notices::default())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::ui_message::UiMessage;

    #[tokio::test]
    async fn hung_decisions_of_all_tenants_deny_for_every_tenant() {
        let notices = Notices::default();
        let mut told = notices.subscribe();
        let policy_runner = Arc::new(PolicyRunner::new(notices));
        let decide = |limit| policy_runner.decide("another", limit, || PolicyDecision::Allow);
        let all = u32::try_from(MOST_DECIDING_IN_ALL).unwrap();
        let hanging = Arc::clone(&policy_runner.in_all)
            .acquire_many_owned(all)
            .await;
        let decision = decide(Duration::from_millis(20)).await;
        assert!(matches!(decision, PolicyDecision::Deny { .. }));
        let error = told.try_recv().unwrap();
        assert!(
            matches!(&error, UiMessage::Error { message, session_id: None }
                if message.contains("all policies")),
            "{error:?}"
        );
        drop(hanging);
        let decision = decide(Duration::from_secs(20)).await;
        assert_eq!(decision, PolicyDecision::Allow);
        let again = tokio::time::timeout(Duration::from_secs(20), told.recv()).await;
        assert!(matches!(again, Ok(Ok(UiMessage::System { .. }))));
    }

    #[tokio::test]
    async fn decisions_that_hang_are_a_no_and_not_begun_for_ever() {
        let notices = Notices::default();
        let mut told = notices.subscribe();
        let policy_runner = Arc::new(PolicyRunner::new(notices));
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
        let hanging = (0..MOST_DECIDING).map(|_| policy_runner.decide("ada", limit, hang()));
        for decision in futures_util::future::join_all(hanging).await {
            let PolicyDecision::Deny { reason } = decision else {
                panic!("{decision:?}")
            };
            assert!(reason.contains("did not decide within 20ms"), "{reason}");
        }
        let error = told.try_recv().unwrap();
        assert!(
            matches!(&error, UiMessage::Error { message, session_id: None }
                if message.contains("decisions of the policy of tenant \"ada\" hang")),
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
        let decision = policy_runner.decide("ada", limit, one()).await;
        assert!(matches!(decision, PolicyDecision::Deny { .. }));
        assert_eq!(begun.load(Ordering::SeqCst), 0);
        // The decisions of another tenant are not affected.
        let long = Duration::from_secs(20);
        let decision = policy_runner.decide("bob", long, one()).await;
        assert_eq!(decision, PolicyDecision::Allow);
        // The hung decisions end.
        drop(release);
        let again = tokio::time::timeout(long, told.recv()).await;
        let again = again.unwrap().unwrap();
        assert_eq!((again.name(), again.session_id()), ("System", None));
        assert!(told.try_recv().is_err(), "once");
        let decision = policy_runner.decide("ada", long, one()).await;
        assert_eq!(decision, PolicyDecision::Allow);
        let failed = policy_runner.decide("ada", long, || panic!("a policy that breaks"));
        let PolicyDecision::Deny { reason } = failed.await else {
            panic!("a policy that panics denies")
        };
        assert!(reason.contains("failed"), "{reason}");
    }

    #[tokio::test]
    async fn decisions_beyond_the_limit_wait_for_others_to_end() {
        let policy_runner = Arc::new(PolicyRunner::default());
        let (begun, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(Mutex::new(released));
        let all = (0..=MOST_DECIDING).map(|_| {
            let (begun, most) = (Arc::clone(&begun), Arc::clone(&most));
            let released = Arc::clone(&released);
            policy_runner.decide("ada", Duration::from_secs(60), move || {
                most.fetch_max(begun.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                let _ = released.lock().unwrap().recv();
                begun.fetch_sub(1, Ordering::SeqCst);
                PolicyDecision::Allow
            })
        });
        let release = async {
            while begun.load(Ordering::SeqCst) < MOST_DECIDING {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            // Leave time for a decision that does not wait.
            tokio::time::sleep(Duration::from_millis(50)).await;
            drop(release);
        };
        let (decisions, ()) = tokio::join!(futures_util::future::join_all(all), release);
        let is_allowed = |decision: &PolicyDecision| *decision == PolicyDecision::Allow;
        assert!(decisions.iter().all(is_allowed));
        assert_eq!(most.load(Ordering::SeqCst), MOST_DECIDING);
    }
}
