//! How sessions begin.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::{mpsc, watch};

use super::asks::Door;
use super::expected::ExpectedAsks;
use super::recorder::Recorder;
use super::session::Running;
use super::setup::SessionSetup;
use super::{Address, Controller, ControllerError, Shared};
use crate::event::{Fact, Lifecycle, LifecycleState};
use crate::prompts::PromptGroups;
use crate::rules::Surroundings;

/// How many commands may be on their way to a session.
const COMMANDS: usize = 32;

impl Controller {
    /// Opens a session, and returns what clients call it.
    ///
    /// # Errors
    /// The CLI does not start, the log fails, or the number is taken.
    ///
    /// Dropping the future leaves nothing running.
    pub async fn open(&self, setup: SessionSetup) -> Result<i64, ControllerError> {
        let shared = &self.shared;
        let session_id = match setup.id {
            Some(id) => id,
            None => shared.unused_id().await?,
        };
        let (commands, received) = mpsc::channel(COMMANDS);
        let (ended, end) = watch::channel(None);
        let place = Place::take(shared, session_id, Address { commands, end })?;

        let epoch = setup.history.last().map_or(0, |event| event.epoch) + 1;
        let log = Arc::clone(&shared.log);
        let mut recorder = Recorder::new(session_id, epoch, log, shared.unsent);
        for event in &setup.history {
            recorder.replay(event);
        }
        let seen = recorder.ledger.sequence();
        if !shared.log.read(session_id, seen, 1).await?.is_empty() {
            return Err(ControllerError::HasHistory { session_id });
        }
        for listen in setup.sinks {
            let (log, listener) = (recorder.log(), listen(session_id, seen));
            recorder.watchers.add(session_id, seen, log, listener);
        }
        take_over(&mut recorder, &setup.history);
        recorder.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Starting)));
        recorder.commit().await?;

        let (asks, asked) = mpsc::unbounded_channel();
        let mut options = setup.options.include_partial_messages(true);
        let folder = match setup.folder {
            Some(folder) => {
                options = options.cwd(&folder);
                folder
            }
            None => std::env::current_dir().unwrap_or_default(),
        };
        let mut surroundings = Surroundings::new(&folder);
        if let Some(home) = setup.home {
            surroundings = surroundings.home(home);
        }
        let door = Door {
            session_id,
            policy: shared.policy_of(&setup.tenant),
            tenant: setup.tenant.clone(),
            grants: Arc::clone(&shared.grants),
            surroundings,
            asks,
            tickets: AtomicU64::new(1),
        };
        let started = (setup.start)(door.serve(options)).await;
        let (session, messages) = match started {
            Ok(started) => started,
            Err(error) => {
                let mut lost = Lifecycle::new(LifecycleState::Lost);
                lost.reason = Some(error.to_string());
                recorder.ended(lost);
                recorder.commit().await?;
                recorder.watchers.finish(super::ending::FLUSH).await;
                return Err(ControllerError::Start(error));
            }
        };
        recorder.fact(Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)));
        recorder.commit().await?;
        let running = Running {
            recorder,
            session,
            messages,
            commands: received,
            asks: asked,
            grants: Arc::clone(&shared.grants),
            tenant: setup.tenant,
            folder,
            limits: shared.limits.clone(),
            groups: PromptGroups::default(),
            expected: ExpectedAsks::default(),
            waiting: HashMap::new(),
            sending: None,
            closing: None,
            left_behind: 0,
            flush_by: None,
        };
        tokio::spawn(async move {
            let mut running = running;
            let ran = running.run().await;
            let closed = running.finish(ran).await;
            ended.send_replace(Some(Arc::new(closed)));
            drop(place);
        });
        Ok(session_id)
    }
}

/// Ends what the owner before left open.
fn take_over(recorder: &mut Recorder, history: &[crate::event::SessionEvent]) {
    for fact in recorder.desk.abandoned() {
        recorder.fact(fact);
    }
    let states = history.iter().rev().filter_map(|event| match &event.fact {
        Fact::Lifecycle(lifecycle) => Some(&lifecycle.state),
        _ => None,
    });
    let is_over = |state: &&LifecycleState| {
        matches!(
            state,
            LifecycleState::Lost | LifecycleState::Closed | LifecycleState::Asleep
        )
    };
    if !history.is_empty() && !states.take(1).any(|state| is_over(&state)) {
        let mut lost = Lifecycle::new(LifecycleState::Lost);
        lost.reason = Some("the program that ran the session ended first".to_owned());
        recorder.ended(lost);
    }
}

/// A session's number, taken until this is dropped.
struct Place {
    shared: Weak<Shared>,
    session_id: i64,
}

impl Place {
    fn take(
        shared: &Arc<Shared>,
        session_id: i64,
        address: Address,
    ) -> Result<Self, ControllerError> {
        let mut sessions = shared.sessions();
        // Under the lock: whoever shuts down sets this first and then looks who is open.
        if shared.is_shutting_down.load(Ordering::SeqCst) {
            return Err(ControllerError::ShuttingDown);
        }
        if sessions.contains_key(&session_id) {
            return Err(ControllerError::AlreadyOpen { session_id });
        }
        sessions.insert(session_id, address);
        Ok(Self {
            shared: Arc::downgrade(shared),
            session_id,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.sessions().remove(&self.session_id);
            if let Some(log) = &shared.own_log {
                log.forget(self.session_id);
            }
        }
    }
}

impl Shared {
    /// A number that no session has, and none had as far as the log knows.
    async fn unused_id(&self) -> Result<i64, ControllerError> {
        loop {
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            let is_open = self.sessions().contains_key(&id);
            if !is_open && self.log.read(id, 0, 1).await?.is_empty() {
                return Ok(id);
            }
        }
    }

    fn policy_of(&self, tenant: &str) -> Arc<dyn crate::grants::PermissionPolicy> {
        let own = self.tenants.get(tenant);
        Arc::clone(own.unwrap_or(&self.policy))
    }
}
