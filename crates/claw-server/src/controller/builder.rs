//! Settings of a controller.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::deciding::Deciding;
use super::notices::Notices;
use super::session::Limits;
use super::{Controller, Shared};
use crate::grants::{AskUnlessGranted, PermissionPolicy};
use crate::log::{Contained, EventLog, MemoryLog};

/// Settings of a [`Controller`].
pub struct ControllerBuilder {
    log: Option<Arc<dyn EventLog>>,
    policy: Arc<dyn PermissionPolicy>,
    tenants: HashMap<String, Arc<dyn PermissionPolicy>>,
    prompt_timeout: Option<Duration>,
    policy_timeout: Duration,
    queued: usize,
    unsent: usize,
    sink_timeout: Option<Duration>,
}

impl ControllerBuilder {
    pub(super) fn new() -> Self {
        Self {
            log: None,
            policy: Arc::new(AskUnlessGranted::new()),
            tenants: HashMap::new(),
            prompt_timeout: Some(Duration::from_secs(600)),
            policy_timeout: Duration::from_secs(30),
            queued: 64,
            unsent: 256 * 1024,
            sink_timeout: Some(Duration::from_secs(60)),
        }
    }

    /// Where events are kept. Unless set, in memory, as far as a [`MemoryLog`] goes, until the
    /// session ends.
    #[must_use]
    pub fn log(mut self, log: Arc<dyn EventLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// What decides before a person is asked, for tenants that have no policy of their own.
    /// Everything that no grant covers is asked, unless set.
    #[must_use]
    pub fn policy(mut self, policy: impl PermissionPolicy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// The policy of one tenant.
    #[must_use]
    pub fn tenant_policy(
        mut self,
        tenant: impl Into<String>,
        policy: impl PermissionPolicy + 'static,
    ) -> Self {
        self.tenants.insert(tenant.into(), Arc::new(policy));
        self
    }

    /// How long a prompt waits before it is denied; for ever with `None`. Ten minutes unless set.
    #[must_use]
    pub fn prompt_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.prompt_timeout = limit.into();
        self
    }

    /// How long a policy may take to decide, and grants to be looked through, before the answer is
    /// a no: a path may lie on a disk that does not answer. Half a minute unless set.
    ///
    /// A decision that hangs keeps its thread. When 16 of a tenant's do, or 256 in all, no more are
    /// begun, and every request is denied until some of them are done.
    #[must_use]
    pub fn policy_timeout(mut self, limit: Duration) -> Self {
        self.policy_timeout = limit;
        self
    }

    /// How many inputs of a session may wait for their turn. 64 unless set.
    #[must_use]
    pub fn queued(mut self, inputs: usize) -> Self {
        self.queued = inputs;
        self
    }

    /// How many bytes of events may wait for each sink before the session reads no more of what
    /// the CLI prints. Beyond it the SDK keeps lines in memory and then in a file
    /// ([`Options::unread_in_file`](rusty_claw::Options::unread_in_file)), and then the CLI waits.
    /// A quarter of a megabyte unless set.
    #[must_use]
    pub fn unsent(mut self, bytes: usize) -> Self {
        self.unsent = bytes.max(1);
        self
    }

    /// How long a sink may take nothing while the session waits for it, because more waits for the
    /// sink than [may](ControllerBuilder::unsent); then it is let go of, so that one connection
    /// that died without a word does not stop everybody else. It is counted
    /// ([`SessionClosed::sinks_behind`](crate::SessionClosed::sinks_behind)), its watch ends with
    /// [`WatchEnd::LeftBehind`](crate::WatchEnd::LeftBehind), and who is behind it can
    /// [resume](Controller::resume). One that takes a message now and then is only slow. For ever
    /// with `None`; a minute unless set.
    #[must_use]
    pub fn sink_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.sink_timeout = limit.into();
        self
    }

    /// The controller.
    #[must_use]
    pub fn build(self) -> Controller {
        let memory = Arc::new(MemoryLog::default());
        let (log, own_log) = match self.log {
            Some(log) => (Arc::new(Contained(log)) as Arc<dyn EventLog>, None),
            None => (Arc::clone(&memory) as Arc<dyn EventLog>, Some(memory)),
        };
        let notices = Notices::default();
        Controller {
            shared: Arc::new(Shared {
                log,
                own_log,
                policy: self.policy,
                tenants: self.tenants,
                grants: Arc::default(),
                deciding: Arc::new(Deciding::new(notices.clone())),
                notices,
                limits: Limits {
                    prompt_timeout: self.prompt_timeout,
                    policy_timeout: self.policy_timeout,
                    queued: self.queued,
                    sink_timeout: self.sink_timeout,
                },
                unsent: self.unsent,
                next_id: AtomicI64::new(1),
                used: Mutex::default(),
                reports: Mutex::default(),
                is_shutting_down: AtomicBool::new(false),
                sessions: Mutex::default(),
            }),
        }
    }
}

impl std::fmt::Debug for ControllerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ControllerBuilder")
            .field("prompt_timeout", &self.prompt_timeout)
            .field("policy_timeout", &self.policy_timeout)
            .field("queued", &self.queued)
            .field("unsent", &self.unsent)
            .field("sink_timeout", &self.sink_timeout)
            .finish_non_exhaustive()
    }
}
