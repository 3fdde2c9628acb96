//! The store, with faults at every call.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use claw_server::SessionId;
use claw_store::{
    Appended, Batch, BlobRef, Blobs, BoxFuture, BoxStream, Checkpoint, Claim, ClaimReason, Closing,
    Command, Created, Directory, Durability, Event, Inbox, Interaction, InteractionAnswer,
    InteractionFilter, InteractionId, Interactions, Live, Log, MemoryStore, Mirror, NewCommand,
    NewInteraction, NewSession, NodeId, NodeRecord, NodeRef, Nodes, Owner, PageToken, ReadLimit,
    Result, Revision, SessionKey, SessionPage, SessionPatch, SessionRow, SessionState, Store,
    StoreError, Submitted, TenantId, Verdict,
};
use futures_util::{StreamExt as _, stream};
use tokio::time::sleep;

use crate::dice::Dice;
use crate::plan::Faults;
use crate::power::Power;
use crate::record::Recorder;

/// More calls than this in a run are a loop without a delay.
const MOST_CALLS: u64 = 400_000;
/// Longer than the lease of a node.
const STALL: Duration = Duration::from_secs(40);

/// The store as one gateway reaches it.
#[derive(Clone)]
pub(crate) struct FaultyStore {
    pub(crate) inner: MemoryStore,
    pub(crate) power: Arc<Power>,
    pub(crate) faults: Faults,
    /// Whether faults are over.
    pub(crate) is_calm: Arc<AtomicBool>,
    pub(crate) dice: Arc<Mutex<Dice>>,
    pub(crate) recorder: Recorder,
    pub(crate) calls: Arc<AtomicU64>,
}

/// What happens to a call after it took effect.
enum Then {
    Return,
    LoseAck,
    Crash,
    Delay(Duration),
}

impl FaultyStore {
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

    async fn after<T>(&self, call: &'static str, then: Then, result: Result<T>) -> Result<T> {
        match then {
            Then::Return => {}
            Then::LoseAck if result.is_ok() => {
                self.recorder.fault("lost acknowledgement");
                self.recorder.note(format!("  {call}"));
                let reason = "simulated, after it took effect".to_owned();
                return Err(StoreError::Unavailable { reason });
            }
            Then::LoseAck => {}
            Then::Crash => {
                self.recorder.fault("crash after a call");
                self.recorder.note(format!("  {call}"));
                self.power.cut();
            }
            Then::Delay(delay) => sleep(delay).await,
        }
        self.power.check().await;
        result
    }

    /// Ends a stream now and then.
    fn stream<T: Send + 'static>(
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

    /// Observes a call that took effect.
    fn claimed(&self, key: &SessionKey, epoch: u64, node: &NodeRef) {
        let session = id(key);
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

/// Defines methods that call the inner store.
macro_rules! delegate {
    ($life:lifetime $($name:ident($($arg:ident: $type:ty),*) -> $result:ty $(, $done:ident => $seen:expr)?;)*) => {$(
        fn $name<$life>(&$life self, $($arg: $type),*) -> BoxFuture<$life, Result<$result>> {
            Box::pin(async move {
                let call = stringify!($name);
                let then = self.before(call).await?;
                let result = self.inner.$name($($arg),*).await;
                $(if let Ok($done) = &result {
                    let observe: &dyn Fn(&Self) = &$seen;
                    observe(self);
                })?
                self.after(call, then, result).await
            })
        }
    )*};
}

impl Store for FaultyStore {
    fn durability(&self) -> BoxFuture<'_, Durability> {
        self.inner.durability()
    }
}

impl Directory for FaultyStore {
    fn create(&self, new: NewSession) -> BoxFuture<'_, Result<Created>> {
        Box::pin(async move {
            let then = self.before("create").await?;
            // The ids are the same in every run of a seed.
            let number = new.key.as_str().bytes().last().unwrap_or_default();
            let session = format!("{number:032x}");
            let session = Some(claw_store::SessionId::new(&session).unwrap());
            let result = self.inner.create(NewSession { session, ..new }).await;
            self.after("create", then, result).await
        })
    }

    delegate! {'a
        get(key: &'a SessionKey) -> SessionRow;
        list(tenant: &'a TenantId, from: Option<PageToken>, limit: usize) -> SessionPage;
        update(key: &'a SessionKey, expected: Revision, patch: SessionPatch) -> Revision;
        erase(key: &'a SessionKey) -> ();
        claim(key: &'a SessionKey, node: &'a NodeRef, reason: ClaimReason) -> Claim,
            claim => |store| store.claimed(key, claim.epoch(), node);
        release(claim: &'a Claim, to: SessionState) -> (),
            _done => |store| store.recorder.note(format!("epoch {} is released: {to:?}", claim.epoch()));
    }
}

impl Log for FaultyStore {
    delegate! {'a
        append(claim: &'a Claim, expected_last: u64, batch: &'a Batch) -> Appended,
            appended => |store| store.written(claim, "append", Some(appended.last));
        read(key: &'a SessionKey, after: u64, limit: ReadLimit) -> Vec<Event>;
        save_checkpoint(claim: &'a Claim, checkpoint: &'a Checkpoint) -> ();
        checkpoint(key: &'a SessionKey) -> Option<Checkpoint>;
    }

    fn follow<'a>(
        &'a self,
        key: &'a SessionKey,
        after: u64,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Live>>>> {
        Box::pin(async move {
            let then = self.before("follow").await?;
            let result = self.inner.follow(key, after).await;
            let stream = self.after("follow", then, result).await?;
            Ok(self.stream(stream))
        })
    }

    fn publish_delta(&self, claim: &Claim, body: Bytes) {
        if self.power.is_on() {
            self.inner.publish_delta(claim, body);
        }
    }
}

impl Inbox for FaultyStore {
    delegate! {'a
        submit(key: &'a SessionKey, command: NewCommand) -> Submitted;
        find_command(key: &'a SessionKey, command: NewCommand) -> Option<Submitted>;
    }

    fn inbox<'a>(
        &'a self,
        claim: &'a Claim,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Result<Command>>>> {
        Box::pin(async move {
            let then = self.before("inbox").await?;
            let result = self.inner.inbox(claim).await;
            let stream = self.after("inbox", then, result).await?;
            Ok(self.stream(stream))
        })
    }
}

impl Interactions for FaultyStore {
    delegate! {'a
        open_interaction(claim: &'a Claim, new: NewInteraction) -> (),
            _done => |store| store.written(claim, "open_interaction", None);
        answer(key: &'a SessionKey, id: &'a InteractionId, answer: InteractionAnswer) -> Verdict;
        close_interaction(claim: &'a Claim, id: &'a InteractionId, closing: Closing) -> Interaction,
            _done => |store| store.written(claim, "close_interaction", None);
        interaction(key: &'a SessionKey, id: &'a InteractionId) -> Interaction;
        interactions(filter: &'a InteractionFilter) -> Vec<Interaction>;
    }
}

impl Nodes for FaultyStore {
    delegate! {'a
        put_node(record: NodeRecord, expected: Revision) -> Revision;
        nodes() -> Vec<NodeRecord>;
    }

    fn sessions_of<'a>(
        &'a self,
        node: &'a NodeId,
        below: u64,
    ) -> BoxFuture<'a, Result<Vec<(SessionKey, Owner)>>> {
        Box::pin(async move {
            let then = self.before("sessions_of").await?;
            let mut result = self.inner.sessions_of(node, below).await;
            // The store has them in no order.
            if let Ok(sessions) = &mut result {
                sessions.sort_by(|one, other| one.0.session.as_str().cmp(other.0.session.as_str()));
            }
            self.after("sessions_of", then, result).await
        })
    }
}

impl Blobs for FaultyStore {
    delegate! {'a
        put_blob(claim: &'a Claim, body: Bytes) -> BlobRef;
        get_blob(key: &'a SessionKey, hash: &'a str, range: Range<u64>) -> Bytes;
    }
}

impl Mirror for FaultyStore {
    delegate! {'a
        mirror(claim: &'a Claim, file: &'a str, expected_last: u64, lines: &'a [Bytes]) -> u64,
            _done => |store| store.written(claim, "mirror", None);
        mirrored_files(key: &'a SessionKey) -> Vec<(String, u64)>;
        mirrored(key: &'a SessionKey, file: &'a str, after: u64, limit: ReadLimit) -> Vec<Bytes>;
    }
}
