//! Events in a turn: prompts, notices, text on its way to the screen, the end.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookCommon;
use crate::message::AssistantError;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A prompt was submitted and is about to be worked on.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UserPromptSubmitInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The prompt; for a finished background task, the notice about it.
    pub prompt: String,
    /// Who submitted it.
    pub source: Option<PromptSource>,
    /// The title of the session.
    pub session_title: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Who submitted a prompt.
    pub enum PromptSource {
        /// A person at the terminal.
        User = "user",
        /// A host program.
        Sdk = "sdk",
        /// The CLI itself.
        System = "system",
        /// A loop that woke up.
        LoopWakeup = "loop_wakeup",
        /// A schedule that came due.
        ScheduleWakeup = "schedule_wakeup",
        /// An event that was polled for.
        PollEvent = "poll_event",
    }
}

/// A command in a prompt is replaced by its text.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UserPromptExpansionInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// What kind of command.
    pub expansion_type: PromptExpansionType,
    /// Its name.
    pub command_name: Str,
    /// What followed the name.
    pub command_args: String,
    /// Where the command is defined.
    pub command_source: Option<Str>,
    /// The prompt as it was submitted.
    pub prompt: String,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// What stands behind a command in a prompt.
    pub enum PromptExpansionType {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}

/// The CLI tells the user something.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct NotificationInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// What.
    pub message: String,
    /// The headline.
    pub title: Option<String>,
    /// Which kind of notice.
    pub notification_type: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// A piece of the answer is about to be shown.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct MessageDisplayInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The turn.
    pub turn_id: Str,
    /// The message.
    pub message_id: Str,
    /// Which piece of it, from zero.
    pub index: u64,
    /// Whether it is the last piece.
    #[wire(name = "final")]
    pub final_piece: bool,
    /// The text of the piece.
    pub delta: String,
    /// What no field holds.
    pub extra: Extra,
}

/// The model is done with its turn.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StopInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Whether a stop hook has already made it go on: to tell when to let go.
    pub stop_hook_active: bool,
    /// The last text of the answer.
    pub last_assistant_message: Option<String>,
    /// What still runs in the background.
    pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
    /// What is scheduled in this session.
    pub session_crons: Option<Vec<SessionCronSummary>>,
    /// What no field holds.
    pub extra: Extra,
}

/// The turn ended because the API failed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct StopFailureInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// What went wrong.
    pub error: AssistantError,
    /// More about it.
    pub error_details: Option<String>,
    /// The last text of the answer.
    pub last_assistant_message: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something that runs in the background of a session.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct BackgroundTaskSummary {
    /// By which it is stopped or read.
    pub id: Str,
    /// What it is, for example `shell` or `subagent`.
    #[wire(name = "type")]
    pub kind: Str,
    /// How far it is.
    pub status: Str,
    /// What it is for.
    pub description: String,
    /// The shell command, for a shell.
    pub command: Option<String>,
    /// The kind of agent, for a subagent.
    pub agent_type: Option<Str>,
    /// The MCP server, for an MCP call.
    pub server: Option<Str>,
    /// The MCP tool, for an MCP call.
    pub tool: Option<Str>,
    /// The name, for what has one.
    pub name: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something that a session has scheduled.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionCronSummary {
    /// By which it is removed.
    pub id: Str,
    /// When, as a cron expression.
    pub schedule: Str,
    /// Whether it comes again.
    pub recurring: bool,
    /// The prompt that is submitted then.
    pub prompt: String,
    /// What no field holds.
    pub extra: Extra,
}
