//! Events of subagents, teammates and tasks.

use rusty_claw_macros::wire_type;

use crate::hook::{BackgroundTaskSummary, HookCommon, SessionCronSummary};
use crate::text::Str;

/// A subagent starts; [`HookCommon`] identifies it.
#[wire_type]
pub struct SubagentStartInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
}

/// A subagent finished; [`HookCommon`] identifies it.
#[wire_type]
pub struct SubagentStopInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Whether a stop hook already made it continue.
    pub stop_hook_active: bool,
    /// The file of its conversation.
    pub agent_transcript_path: Str,
    /// The last text of its answer.
    pub last_assistant_message: Option<String>,
    /// Tasks that still run in the background.
    pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
    /// Schedules of this session.
    pub session_crons: Option<Vec<SessionCronSummary>>,
}

/// A teammate is about to become idle.
#[wire_type]
pub struct TeammateIdleInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The teammate's name.
    pub teammate_name: Str,
    /// The team's name.
    pub team_name: Str,
}

/// A task was created.
#[wire_type]
pub struct TaskCreatedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The task's id.
    pub task_id: Str,
    /// A one-line summary.
    pub task_subject: String,
    /// The full description.
    pub task_description: Option<String>,
    /// The teammate that created it.
    pub teammate_name: Option<Str>,
    /// The team.
    pub team_name: Option<Str>,
}

/// A task is about to be marked as completed.
#[wire_type]
pub struct TaskCompletedInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The task's id.
    pub task_id: Str,
    /// A one-line summary.
    pub task_subject: String,
    /// The full description.
    pub task_description: Option<String>,
    /// The teammate that completed it.
    pub teammate_name: Option<Str>,
    /// The team.
    pub team_name: Option<Str>,
}
