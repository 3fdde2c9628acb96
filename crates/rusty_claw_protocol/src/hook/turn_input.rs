//! Events of a turn: prompts, notifications, displayed text, the end.

use rusty_claw_macros::wire_type;

use crate::hook::HookCommon;
use crate::message::AssistantError;
use crate::open_enum::open_enum;
use crate::text::Str;

/// A prompt was submitted but not yet processed.
#[wire_type]
pub struct UserPromptSubmitInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The prompt; for a finished background task, its notification.
    pub prompt: String,
    /// Its source.
    pub source: Option<PromptSource>,
    /// The title of the session.
    pub session_title: Option<String>,
}

open_enum! {
    /// The source of a prompt.
    pub enum PromptSource {
        /// The user at the terminal.
        User = "user",
        /// A host program.
        Sdk = "sdk",
        /// The CLI itself.
        System = "system",
        /// A loop wakeup.
        LoopWakeup = "loop_wakeup",
        /// A scheduled wakeup.
        ScheduleWakeup = "schedule_wakeup",
        /// A polled event.
        PollEvent = "poll_event",
    }
}

/// A command in a prompt is expanded.
#[wire_type]
pub struct UserPromptExpansionInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The kind of command.
    pub expansion_type: PromptExpansionType,
    /// Its name.
    pub command_name: Str,
    /// Its arguments.
    pub command_args: String,
    /// Where the command is defined.
    pub command_source: Option<Str>,
    /// The prompt as it was submitted.
    pub prompt: String,
}

open_enum! {
    /// The kind of a command in a prompt.
    pub enum PromptExpansionType {
        /// A slash command.
        SlashCommand = "slash_command",
        /// A prompt of an MCP server.
        McpPrompt = "mcp_prompt",
    }
}

/// The CLI notifies the user.
#[wire_type]
pub struct NotificationInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The message.
    pub message: String,
    /// The headline.
    pub title: Option<String>,
    /// The kind of notification.
    pub notification_type: Str,
}

/// A part of the answer is about to be displayed.
#[wire_type]
pub struct MessageDisplayInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The turn's id.
    pub turn_id: Str,
    /// The message's id.
    pub message_id: Str,
    /// Index of the part in the message, from zero.
    pub index: u64,
    /// Whether it is the last part.
    #[wire(name = "final")]
    pub final_piece: bool,
    /// The text of the part.
    pub delta: String,
}

/// The model finished its turn.
#[wire_type]
pub struct StopInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// Whether a stop hook already made the model continue; use it to avoid an endless loop.
    pub stop_hook_active: bool,
    /// The last text of the answer.
    pub last_assistant_message: Option<String>,
    /// Tasks that still run in the background.
    pub background_tasks: Option<Vec<BackgroundTaskSummary>>,
    /// Schedules of this session.
    pub session_crons: Option<Vec<SessionCronSummary>>,
}

/// The turn ended because of an API error.
#[wire_type]
pub struct StopFailureInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The error.
    pub error: AssistantError,
    /// Details.
    pub error_details: Option<String>,
    /// The last text of the answer.
    pub last_assistant_message: Option<String>,
}

/// A background task of a session.
#[wire_type]
pub struct BackgroundTaskSummary {
    /// The id to stop or read it by.
    pub id: Str,
    /// The kind of task, for example `shell` or `subagent`.
    #[wire(name = "type")]
    pub kind: Str,
    /// Its status.
    pub status: Str,
    /// Its description.
    pub description: String,
    /// The command of a shell task.
    pub command: Option<String>,
    /// The kind of a subagent.
    pub agent_type: Option<Str>,
    /// The MCP server of an MCP call.
    pub server: Option<Str>,
    /// The MCP tool of an MCP call.
    pub tool: Option<Str>,
    /// Its name, if it has one.
    pub name: Option<Str>,
}

/// A schedule of a session.
#[wire_type]
pub struct SessionCronSummary {
    /// The id to remove it by.
    pub id: Str,
    /// The schedule, as a cron expression.
    pub schedule: Str,
    /// Whether it recurs.
    pub recurring: bool,
    /// The prompt to submit.
    pub prompt: String,
}
