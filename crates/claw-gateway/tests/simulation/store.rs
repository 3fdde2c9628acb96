//! The store, with faults at every call.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_server::SessionId;
use claw_store::{Appended, BoxStream, Claim, NewSession, Owner, Result, SessionKey, StoreError};
use futures_util::{StreamExt as _, stream};
use tokio::time::sleep;

use crate::dice::Dice;
use crate::hooked::{Call, Hooks};
use crate::plan::Faults;
use crate::power::Power;
use crate::record::Recorder;

/// More calls than this in a run are a loop without a delay.
const MOST_CALLS: u64 = 400_000;
/// Longer than the lease of a node.
const STALL: Duration = Duration::from_secs(40);

/// What one gateway experiences with the store.
#[derive(Clone)]
pub(crate) struct StoreFaults {
    pub(crate) power: Arc<Power>,
    pub(crate) faults: Faults,
    /// Whether faults are over.
    pub(crate) is_calm: Arc<AtomicBool>,
    pub(crate) dice: Arc<Mutex<Dice>>,
    pub(crate) recorder: Recorder,
    pub(crate) calls: Arc<AtomicU64>,
}

/// What happens to a call after it took effect.
pub(crate) enum Then {
    Return,
    LoseAck,
    Crash,
    Delay(Duration),
}

impl Hooks for StoreFaults {
    type Then = Then;

    /// Draws the faults of a call. Returns what happens after it.
    async fn before(&self, call: &'static str) -> Result<Then> {
        self.power.check().await;
        if self.calls.fetch_add(1, Ordering::Relaxed) == MOST_CALLS {
            self.recorder
                .wrong(format!("{MOST_CALLS} calls of the store, now {call}"));
        }
        if self.calls.load(Ordering::Relaxed) >= MOST_CALLS {
            return std::future::pending().await;
        }
        if self.is_calm.load(Ordering::Relaxed) {
            return Ok(Then::Return);
        }
        let faults = &self.faults;
        let is_write = !matches!(
            call,
            "get"
                | "list"
                | "read"
                | "follow"
                | "checkpoint"
                | "find_command"
                | "inbox"
                | "interaction"
                | "interactions"
                | "nodes"
                | "sessions_of"
                | "get_blob"
                | "mirrored"
                | "mirrored_files"
        );
        let mut delay = None;
        let drawn = {
            let mut dice = self.dice.lock().unwrap();
            if dice.per_mille(faults.stall) {
                delay = Some(STALL + dice.pause(STALL));
            } else if dice.per_mille(faults.late) {
                delay = Some(dice.pause(Duration::from_secs(8)));
            }
            dice.below(1000)
        };
        if let Some(delay) = delay {
            self.recorder.fault("late call");
            sleep(delay).await;
            self.power.check().await;
        }
        let mut left = drawn;
        let mut is = |rate: u64| {
            let is_it = left < rate;
            left = left.wrapping_sub(rate);
            is_it
        };
        if is(faults.unavailable) {
            self.recorder.fault("unavailable");
            let reason = "simulated".to_owned();
            return Err(StoreError::Unavailable { reason });
        }
        if is(faults.crash / 2) {
            self.recorder.fault("crash before a call");
            self.recorder.note(format!("  {call}"));
            self.power.cut();
            return std::future::pending().await;
        }
        if is(faults.crash / 2) && is_write {
            return Ok(Then::Crash);
        }
        if is(faults.lost_ack) && is_write {
            return Ok(Then::LoseAck);
        }
        if is(faults.full) && is_write && call != "put_node" {
            self.recorder.fault("full");
            let (what, advice) = ("the store".to_owned(), "wait".to_owned());
            return Err(StoreError::Full { what, advice });
        }
        if is(faults.late) {
            let delay = self.dice.lock().unwrap().pause(Duration::from_secs(2));
            return Ok(Then::Delay(delay));
        }
        Ok(Then::Return)
    }

    async fn after(&self, call: &'static str, then: Then, is_ok: bool) -> Result<()> {
        match then {
            Then::LoseAck if is_ok => {
                self.recorder.fault("lost acknowledgement");
                self.recorder.note(format!("  {call}"));
                let reason = "simulated, after it took effect".to_owned();
                return Err(StoreError::Unavailable { reason });
            }
            Then::Return | Then::LoseAck => {}
            Then::Crash => {
                self.recorder.fault("crash after a call");
                self.recorder.note(format!("  {call}"));
                self.power.cut();
            }
            Then::Delay(delay) => sleep(delay).await,
        }
        self.power.check().await;
        Ok(())
    }

    fn observe(&self, call: &Call<'_>, value: &mut dyn Any) {
        if let Some(claim) = value.downcast_ref() {
            self.claimed(claim);
        }
        if let Some(sessions) = value.downcast_mut::<Vec<(SessionKey, Owner)>>() {
            // The store has them in no order.
            sessions.sort_by(|one, other| one.0.session.as_str().cmp(other.0.session.as_str()));
        }
        match (call.name, call.claim) {
            ("append" | "open_interaction" | "close_interaction" | "mirror", Some(claim)) => {
                let last = value
                    .downcast_ref()
                    .map(|appended: &Appended| appended.last);
                self.written(claim, call.name, last);
            }
            ("release", Some(claim)) => {
                let epoch = claim.epoch();
                self.recorder.note(format!("epoch {epoch} is released"));
            }
            _ => {}
        }
    }

    fn change_session(&self, new: &mut NewSession) {
        // The ids are the same in every run of a seed.
        let number = new.key.as_str().bytes().last().unwrap_or_default();
        let session = format!("{number:032x}");
        new.session = Some(claw_store::SessionId::new(&session).unwrap());
    }

    /// Ends a stream now and then.
    fn change_stream<T: Send + 'static>(
        &self,
        inner: BoxStream<'static, Result<T>>,
    ) -> BoxStream<'static, Result<T>> {
        let store = self.clone();
        let faulty = stream::unfold(Some((inner, store)), |state| async {
            let (mut inner, store) = state?;
            let next = inner.next().await;
            store.power.check().await;
            let is_cut = !store.is_calm.load(Ordering::Relaxed)
                && store.dice.lock().unwrap().per_mille(store.faults.stream);
            if is_cut {
                store.recorder.fault("stream cut");
                let reason = "simulated".to_owned();
                return Some((Err(StoreError::Unavailable { reason }), None));
            }
            Some((next?, Some((inner, store))))
        });
        faulty.boxed()
    }

    fn is_publishing(&self) -> bool {
        self.power.is_on()
    }
}

impl StoreFaults {
    fn claimed(&self, claim: &Claim) {
        let (session, epoch, node) = (id(claim.key()), claim.epoch(), &claim.owner().node);
        self.recorder
            .of(session, |seen| seen.epoch = seen.epoch.max(epoch));
        let (node, incarnation) = (&node.node, node.incarnation);
        self.recorder.note(format!(
            "{session}: epoch {epoch} is claimed by {node}.{incarnation}"
        ));
    }

    fn written(&self, claim: &Claim, call: &str, last: Option<u64>) {
        let session = id(claim.key());
        let highest = self.recorder.of(session, |seen| {
            seen.last = seen.last.max(last.unwrap_or(0));
            seen.epoch
        });
        if claim.epoch() < highest {
            let epoch = claim.epoch();
            self.recorder.wrong(format!(
                "{call} of epoch {epoch} took effect after epoch {highest} was claimed"
            ));
        }
    }
}

fn id(key: &SessionKey) -> SessionId {
    key.session.as_str().parse().unwrap()
}
