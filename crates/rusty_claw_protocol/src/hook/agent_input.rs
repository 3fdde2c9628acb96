//! Events of subagents, teammates and tasks.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::{BackgroundTaskSummary, HookCommon, SessionCronSummary};
use crate::text::Str;

/// A subagent starts; which one is in [`HookCommon`].
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentStartInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// What no field holds.
    pub extra: Extra,
}

/// A subagent is done; which one is in [`HookCommon`].
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SubagentStopInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Whether a stop hook has already made it go on.
    pub stop_hook_active: bool,
    /// The file that its conversation is written to.
    pub agent_transcript_path: Str,
    /// The last text of its answer.
    pub last_assistant_message: Option<String>,
    /// What still runs in the background.
    pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
    /// What is scheduled in this session.
    pub session_crons: Option<Vec<SessionCronSummary>>,
    /// What no field holds.
    pub extra: Extra,
}

/// A teammate is about to have nothing to do.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TeammateIdleInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The teammate.
    pub teammate_name: Str,
    /// Its team.
    pub team_name: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A task was put on the list.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskCreatedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The task.
    pub task_id: Str,
    /// What it is, in a line.
    pub task_subject: String,
    /// What it is, in full.
    pub task_description: Option<String>,
    /// The teammate who made it.
    pub teammate_name: Option<Str>,
    /// The team.
    pub team_name: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// A task is about to be marked as done.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct TaskCompletedInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The task.
    pub task_id: Str,
    /// What it is, in a line.
    pub task_subject: String,
    /// What it is, in full.
    pub task_description: Option<String>,
    /// The teammate who did it.
    pub teammate_name: Option<Str>,
    /// The team.
    pub team_name: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
