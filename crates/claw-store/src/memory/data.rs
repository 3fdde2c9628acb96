//! The data of a memory store.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Weak};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::hub::Hub;
use crate::{
    Checkpoint, Claim, Command, Event, IdempotencyKey, Interaction, NewSession, NodeId, NodeRecord,
    Result, SessionKey, SessionRow, StoreError, TenantId,
};

#[derive(Default)]
pub(super) struct Data {
    /// `None` for an erased session.
    pub(super) sessions: HashMap<SessionKey, Option<Session>>,
    /// The calls that created sessions.
    pub(super) created: HashMap<(TenantId, IdempotencyKey), (NewSession, SessionKey)>,
    /// The sessions that are not erased, in the order of their numbers.
    pub(super) numbers: BTreeMap<(TenantId, i64), SessionKey>,
    pub(super) last_numbers: HashMap<TenantId, i64>,
    pub(super) nodes: BTreeMap<NodeId, NodeRecord>,
    /// Those of all handles.
    pub(super) hubs: Vec<Weak<Hub>>,
    /// Cloned for each session with followers, on each handle.
    pub(super) subscription: Arc<()>,
    /// What the hooks of the contract suite set.
    pub(super) is_full: bool,
    pub(super) is_stopped: bool,
    pub(super) is_silent: bool,
}

pub(super) struct Session {
    pub(super) row: SessionRow,
    /// The events after `cut`.
    pub(super) events: VecDeque<Event>,
    pub(super) cut: u64,
    /// Number of frames that did not count.
    pub(super) voids: u64,
    pub(super) checkpoint: Option<Checkpoint>,
    /// The commands that are not applied.
    pub(super) commands: VecDeque<Command>,
    pub(super) keys: HashMap<IdempotencyKey, (u64, Bytes)>,
    pub(super) applied: u64,
    /// In the order in which they were opened.
    pub(super) interactions: Vec<Interaction>,
    pub(super) blobs: HashMap<String, Bytes>,
    pub(super) files: BTreeMap<String, Vec<Bytes>>,
    /// Notified of a new command, of a new owner and of the end.
    pub(super) changed: Arc<Notify>,
}

impl Data {
    pub(super) fn session(&mut self, key: &SessionKey) -> Result<&mut Session> {
        let session = self.sessions.get_mut(key);
        let session = session.ok_or_else(|| StoreError::not_found("the session"))?;
        session.as_mut().ok_or(StoreError::Deleted)
    }

    /// Returns the session of a claim, unless it has another owner.
    pub(super) fn owned(&mut self, claim: &Claim) -> Result<&mut Session> {
        let session = self.session(claim.key())?;
        if session.row.owner.as_ref() != Some(claim.owner()) {
            let by = session.row.owner.clone();
            return Err(StoreError::Fenced { by });
        }
        Ok(session)
    }

    /// Calls a function on the hubs of all handles.
    pub(super) fn publish(&mut self, call: impl Fn(&Hub)) {
        if !self.is_silent {
            self.hubs.retain(|hub| hub.strong_count() > 0);
            self.hubs
                .iter()
                .filter_map(Weak::upgrade)
                .for_each(|hub| call(&hub));
        }
    }
}

impl Session {
    pub(super) fn new(row: SessionRow) -> Self {
        Self {
            row,
            events: VecDeque::new(),
            cut: 0,
            voids: 0,
            checkpoint: None,
            commands: VecDeque::new(),
            keys: HashMap::new(),
            applied: 0,
            interactions: Vec::new(),
            blobs: HashMap::new(),
            files: BTreeMap::new(),
            changed: Arc::default(),
        }
    }

    /// Adds a frame of events. It counts if it has the current epoch and follows the last event.
    pub(super) fn add_frame(&mut self, epoch: u64, first: u64, bodies: &[Bytes]) {
        if epoch != self.row.epoch || first != self.row.last + 1 {
            self.voids += 1;
            return;
        }
        for body in bodies.iter().cloned() {
            self.row.last += 1;
            let sequence = self.row.last;
            self.events.push_back(Event {
                sequence,
                epoch,
                body,
            });
        }
    }

    /// Returns whether an earlier call has stored these events after a sequence.
    pub(super) fn ends_with(&self, epoch: u64, after: u64, bodies: &[Bytes]) -> bool {
        let stored = self.after(after).map(|event| (event.epoch, &event.body));
        after + bodies.len() as u64 == self.row.last
            && stored.eq(bodies.iter().map(|body| (epoch, body)))
    }

    /// Returns the stored events after a sequence.
    pub(super) fn after(&self, after: u64) -> impl Iterator<Item = &Event> {
        let skipped = usize::try_from(after.saturating_sub(self.cut));
        self.events.iter().skip(skipped.unwrap_or(usize::MAX))
    }
}
