//! What becomes of prompts, goals and the conversation as a whole.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;

/// What has become of a prompt. Printed for prompts that carried an id.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CommandLifecycleMessage {
    /// The prompt's id, as its sender chose it.
    pub command_uuid: Str,
    /// What has become of it.
    pub state: CommandState,
    /// What woke the session, when nobody sent the prompt.
    pub wakeup_source: Option<WakeupSource>,
    /// When it was due, milliseconds since 1970.
    pub scheduled_for: Option<f64>,
    /// Set when it did not wait for those before it.
    pub ran_ahead: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What has become of a prompt.
    pub enum CommandState {
        /// It waits for its turn.
        Queued = "queued",
        /// It is being answered.
        Started = "started",
        /// It was answered.
        Completed = "completed",
        /// It was taken back.
        Cancelled = "cancelled",
        /// It was thrown away.
        Discarded = "discarded",
        /// It was not accepted.
        Refused = "refused",
    }
}

open_enum! {
    /// What woke the session.
    pub enum WakeupSource {
        /// A loop came round.
        LoopWakeup = "loop_wakeup",
        /// A time was set.
        ScheduleWakeup = "schedule_wakeup",
    }
}

/// The conversation was emptied; from here on it has another id.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ConversationResetMessage {
    /// The new id.
    pub new_conversation_id: Str,
    /// Why.
    pub trigger: Option<ResetTrigger>,
    /// The prompt that asked for it.
    pub user_message_uuid: Option<Str>,
    /// When it was made, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session as it was called until now.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Why a conversation was emptied.
    pub enum ResetTrigger {
        /// The user asked for it.
        Clear = "clear",
        /// A plan was accepted and is carried out afresh.
        PlanModeExit = "plan_mode_exit",
        /// A new session was begun.
        FreshSession = "fresh_session",
        /// The introduction is over.
        Onboarding = "onboarding",
    }
}

/// The goal that the session works towards by itself.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ActiveGoalMessage {
    /// The goal; none when there is none any more.
    pub value: Option<Box<ActiveGoal>>,
    /// The line's id.
    pub uuid: Str,
    /// The session.
    pub session_id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A goal.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ActiveGoal {
    /// When it is reached, in words.
    pub condition: String,
    /// How often the session has gone on because of it.
    pub iterations: u64,
    /// When it was set, milliseconds since 1970.
    pub set_at: u64,
    /// Tokens used up to then.
    pub tokens_at_start: u64,
    /// Why it was not reached the last time.
    pub last_reason: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}
