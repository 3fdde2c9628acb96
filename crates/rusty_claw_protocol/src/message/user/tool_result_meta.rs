//! Details about tool calls.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// Details about a tool call.
#[wire_type]
pub struct ToolResultMeta {
    /// The call's id.
    pub id: Str,
    /// The permission decision.
    pub permission_decision: Option<PermissionDecisionMeta>,
    /// Why the tool did not run.
    pub non_execution_kind: Option<NonExecutionKind>,
    /// The user's feedback.
    pub user_feedback: Option<String>,
}

/// A permission decision on a tool call.
#[wire_type]
pub struct PermissionDecisionMeta {
    /// The outcome.
    pub decision: DecisionOutcome,
    /// The source.
    pub source: Option<DecisionSource>,
    /// The kind of reason, such as `rule`, `mode`, `hook`.
    pub reason_type: Option<Str>,
}

open_enum! {
    /// The outcome of a permission decision.
    pub enum DecisionOutcome {
        /// Allowed.
        Accept = "accept",
        /// Denied.
        Reject = "reject",
    }
}

open_enum! {
    /// The source of a permission decision.
    pub enum DecisionSource {
        /// The settings.
        Config = "config",
        /// A hook.
        Hook = "hook",
        /// The user, permanently.
        UserPermanent = "user_permanent",
        /// The user, once.
        UserTemporary = "user_temporary",
        /// The user denied it.
        UserReject = "user_reject",
        /// The user aborted.
        UserAbort = "user_abort",
    }
}

open_enum! {
    /// Why a tool did not run.
    pub enum NonExecutionKind {
        /// A permission rule.
        PermissionRule = "permission-rule",
        /// The user denied it.
        UserRejected = "user-rejected",
        /// The turn was cancelled.
        Cancelled = "cancelled",
        /// The auto mode classifier was unavailable.
        AutomodeUnavailable = "automode-unavailable",
    }
}
