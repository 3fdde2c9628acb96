//! What happened around a tool call.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// What happened around a tool call.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ToolResultMeta {
    /// The call.
    pub id: Str,
    /// Who allowed or refused it.
    pub permission_decision: Option<PermissionDecisionMeta>,
    /// Why the tool did not run.
    pub non_execution_kind: Option<NonExecutionKind>,
    /// What the user said about it.
    pub user_feedback: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Who allowed or refused a tool call.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PermissionDecisionMeta {
    /// Allowed or refused.
    pub decision: DecisionOutcome,
    /// By whom.
    pub source: Option<DecisionSource>,
    /// On which ground, such as `rule`, `mode`, `hook`.
    pub reason_type: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Allowed or refused.
    pub enum DecisionOutcome {
        /// Allowed.
        Accept = "accept",
        /// Refused.
        Reject = "reject",
    }
}

open_enum! {
    /// Who allowed or refused a tool call.
    pub enum DecisionSource {
        /// The settings.
        Config = "config",
        /// A hook.
        Hook = "hook",
        /// The user, from now on.
        UserPermanent = "user_permanent",
        /// The user, this time.
        UserTemporary = "user_temporary",
        /// The user said no.
        UserReject = "user_reject",
        /// The user broke off.
        UserAbort = "user_abort",
    }
}

open_enum! {
    /// Why a tool did not run.
    pub enum NonExecutionKind {
        /// A rule forbids it.
        PermissionRule = "permission-rule",
        /// The user said no.
        UserRejected = "user-rejected",
        /// The turn was cut off first.
        Cancelled = "cancelled",
        /// The classifier that decides could not be reached.
        AutomodeUnavailable = "automode-unavailable",
    }
}
