//! Where policies decide, which may hang.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::grants::PolicyDecision;

/// How many decisions may hang at once. Each of them has a thread, and a program has not so many
/// of these.
const MOST_HANGING: usize = 64;

/// The decisions of a controller that have not come in time.
#[derive(Debug, Default)]
pub(super) struct Deciding {
    hanging: AtomicUsize,
}

impl Deciding {
    /// Decides on a thread where it may look at files. One that panics denies, and so does one that
    /// takes too long.
    ///
    /// Dropping the future does not stop it; nobody hears what it decides.
    pub(super) async fn decide(
        self: &Arc<Self>,
        limit: Duration,
        decide: impl FnOnce() -> PolicyDecision + Send + 'static,
    ) -> PolicyDecision {
        if self.hanging.load(Ordering::Acquire) >= MOST_HANGING {
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
                this.hanging.fetch_add(1, Ordering::AcqRel);
                tokio::spawn(async move {
                    let _ = deciding.await;
                    this.hanging.fetch_sub(1, Ordering::AcqRel);
                });
                let reason = format!(
                    "The policy of this program did not decide within {limit:?}, so this was not done"
                );
                PolicyDecision::Deny { reason }
            }
        }
    }
}

fn deny(reason: &str) -> PolicyDecision {
    let reason = reason.to_owned();
    PolicyDecision::Deny { reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn decisions_that_hang_are_a_no_and_not_begun_for_ever() {
        let deciding = Arc::new(Deciding::default());
        let (release, released) = std::sync::mpsc::channel::<()>();
        let released = Arc::new(std::sync::Mutex::new(released));
        let limit = Duration::from_millis(20);
        let hang = || {
            let released = Arc::clone(&released);
            move || {
                let _ = released.lock().unwrap().recv();
                PolicyDecision::Allow
            }
        };
        let hanging = (0..MOST_HANGING).map(|_| deciding.decide(limit, hang()));
        for decision in futures_util::future::join_all(hanging).await {
            let PolicyDecision::Deny { reason } = decision else {
                panic!("{decision:?}")
            };
            assert!(reason.contains("did not decide within 20ms"), "{reason}");
        }
        let begun = Arc::new(AtomicUsize::new(0));
        let one = || {
            let begun = Arc::clone(&begun);
            move || {
                begun.fetch_add(1, Ordering::SeqCst);
                PolicyDecision::Allow
            }
        };
        let decision = deciding.decide(limit, one()).await;
        assert!(matches!(decision, PolicyDecision::Deny { .. }));
        assert_eq!(begun.load(Ordering::SeqCst), 0);
        // The disk is back.
        drop(release);
        let back = async {
            while deciding.hanging.load(Ordering::SeqCst) > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), back)
            .await
            .unwrap();
        let decision = deciding.decide(Duration::from_secs(20), one()).await;
        assert_eq!(decision, PolicyDecision::Allow);
        let failed = deciding
            .decide(limit, || panic!("a policy that breaks"))
            .await;
        assert!(matches!(failed, PolicyDecision::Deny { .. }));
    }
}
