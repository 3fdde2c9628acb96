//! Settings of a controller.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Controller;
use super::notices::Notices;
use super::policy_runner::PolicyRunner;
use super::session::Limits;
use super::shared::Shared;
use crate::grants::{AskUnlessGranted, PermissionPolicy};
use crate::log::{Contained, EventLog, MemoryLog};

/// Settings of a [`Controller`].
pub struct ControllerBuilder {
    log: Option<Arc<dyn EventLog>>,
    policy: Arc<dyn PermissionPolicy>,
    tenants: HashMap<String, Arc<dyn PermissionPolicy>>,
    interaction_timeout: Option<Duration>,
    policy_timeout: Duration,
    queued: usize,
    unsent: usize,
    sink_timeout: Option<Duration>,
}

impl Controller {
    /// Returns a builder with the default settings.
    #[must_use]
    pub fn builder() -> ControllerBuilder {
        ControllerBuilder {
            log: None,
            policy: Arc::new(AskUnlessGranted::new()),
            tenants: HashMap::new(),
            interaction_timeout: Some(Duration::from_secs(600)),
            policy_timeout: Duration::from_secs(30),
            queued: 64,
            unsent: 256 * 1024,
            sink_timeout: Some(Duration::from_secs(60)),
        }
    }
}

impl ControllerBuilder {
    /// Sets where events are stored. By default, a [`MemoryLog`] stores them until the session
    /// ends.
    #[must_use]
    pub fn log(mut self, log: Arc<dyn EventLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// Sets the policy that decides before a person is asked, for tenants without a policy of their
    /// own. By default, a person is asked unless a grant covers the request.
    #[must_use]
    pub fn policy(mut self, policy: impl PermissionPolicy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Sets the policy of one tenant.
    #[must_use]
    pub fn tenant_policy(
        mut self,
        tenant: impl Into<String>,
        policy: impl PermissionPolicy + 'static,
    ) -> Self {
        self.tenants.insert(tenant.into(), Arc::new(policy));
        self
    }

    /// Sets when an unanswered interaction is denied. `None` waits forever. Default: ten minutes.
    #[must_use]
    pub fn interaction_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.interaction_timeout = limit.into();
        self
    }

    /// Sets how long a policy decision, including the check of grants, may take before the request
    /// is denied: a path may be on a disk that does not respond. Default: 30 seconds.
    ///
    /// A hung decision keeps its thread. When 16 decisions of a tenant hang, or 256 in all, no more
    /// are started, and requests are denied until one of them ends.
    #[must_use]
    pub fn policy_timeout(mut self, limit: Duration) -> Self {
        self.policy_timeout = limit;
        self
    }

    /// Sets how many inputs of a session may be queued. Default: 64.
    #[must_use]
    pub fn queued(mut self, inputs: usize) -> Self {
        self.queued = inputs;
        self
    }

    /// Sets how many bytes of events may be queued for each sink before the session stops reading
    /// the output of the CLI. The SDK then buffers lines in memory and in a file
    /// ([`Options::unread_in_file`](rusty_claw::Options::unread_in_file)), and finally the CLI
    /// blocks. Default: 256 KiB.
    #[must_use]
    pub fn unsent(mut self, bytes: usize) -> Self {
        self.unsent = bytes.max(1);
        self
    }

    /// Sets how long a sink may accept nothing while it blocks the session because its queue is
    /// [full](ControllerBuilder::unsent). Then it is dropped, so that one dead connection does not
    /// stop all others: it is counted in
    /// [`SessionClosed::sinks_behind`](crate::SessionClosed::sinks_behind), its watch ends with
    /// [`WatchEnd::LeftBehind`](crate::WatchEnd::LeftBehind), and its client can
    /// [resume](Controller::resume). A sink that accepts a message now and then is only slow.
    /// `None` waits forever. Default: one minute.
    #[must_use]
    pub fn sink_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.sink_timeout = limit.into();
        self
    }

    /// Creates the controller.
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
                policy_runner: Arc::new(PolicyRunner::new(notices.clone())),
                notices,
                limits: Limits {
                    interaction_timeout: self.interaction_timeout,
                    policy_timeout: self.policy_timeout,
                    queued: self.queued,
                    sink_timeout: self.sink_timeout,
                },
                unsent: self.unsent,
                next_number: AtomicI64::new(1),
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
            .field("interaction_timeout", &self.interaction_timeout)
            .field("policy_timeout", &self.policy_timeout)
            .field("queued", &self.queued)
            .field("unsent", &self.unsent)
            .field("sink_timeout", &self.sink_timeout)
            .finish_non_exhaustive()
    }
}
