//! State of prompts, goals and the conversation as a whole.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::text::Str;

/// The state of a prompt. Printed for prompts that have an id.
#[wire_type]
pub struct CommandLifecycleMessage {
    /// The prompt's id, chosen by its sender.
    pub command_uuid: Str,
    /// The state.
    pub state: CommandState,
    /// What triggered the prompt, if it was not sent.
    pub wakeup_source: Option<WakeupSource>,
    /// When it was due, milliseconds since 1970.
    pub scheduled_for: Option<f64>,
    /// Whether it ran before earlier prompts.
    pub ran_ahead: Option<bool>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

open_enum! {
    /// The state of a prompt.
    pub enum CommandState {
        /// It is queued.
        Queued = "queued",
        /// It is being answered.
        Started = "started",
        /// It was answered.
        Completed = "completed",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// It was discarded.
        Discarded = "discarded",
        /// It was refused.
        Refused = "refused",
    }
}

open_enum! {
    /// What triggered a prompt.
    pub enum WakeupSource {
        /// A loop.
        LoopWakeup = "loop_wakeup",
        /// A schedule.
        ScheduleWakeup = "schedule_wakeup",
    }
}

/// The conversation was cleared and has a new id.
#[wire_type]
pub struct ConversationResetMessage {
    /// The new id.
    pub new_conversation_id: Str,
    /// The reason.
    pub trigger: Option<ResetTrigger>,
    /// The prompt that requested it.
    pub user_message_uuid: Option<Str>,
    /// When it was created, ISO 8601.
    pub timestamp: Option<Str>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id so far.
    pub session_id: Str,
}

open_enum! {
    /// Why a conversation was cleared.
    pub enum ResetTrigger {
        /// The user requested it.
        Clear = "clear",
        /// A plan was accepted and starts in a new conversation.
        PlanModeExit = "plan_mode_exit",
        /// A new session began.
        FreshSession = "fresh_session",
        /// Onboarding ended.
        Onboarding = "onboarding",
    }
}

/// The goal that the session pursues on its own.
#[wire_type]
pub struct ActiveGoalMessage {
    /// The goal; `None` if there is no goal any more.
    pub value: Option<Box<ActiveGoal>>,
    /// The line's id.
    pub uuid: Str,
    /// The session's id.
    pub session_id: Str,
}

/// A goal.
#[wire_type]
pub struct ActiveGoal {
    /// The condition for reaching it, as text.
    pub condition: String,
    /// How often the session has continued because of it.
    pub iterations: u64,
    /// When it was set, milliseconds since 1970.
    pub set_at: u64,
    /// Tokens used before that.
    pub tokens_at_start: u64,
    /// Why it was not reached in the last iteration.
    pub last_reason: Option<String>,
}
