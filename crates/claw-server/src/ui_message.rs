//! Messages for applications that show a session.

mod declare;
pub(crate) mod status;
mod wire;

use serde_json::Value;

use self::declare::ui_messages;
use crate::event::ProgressUpdate;
use crate::input::TurnId;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::stop_reason::StopReason;

pub use status::{
    BatchPlace, InputState, InteractionOutcome, Resolution, SessionPhase, TaskStatus, TodoItem,
    TodoStatus, ToolFailure,
};

ui_messages! {
    /// One message of a session, for the application that shows it.
    ///
    /// Its JSON has the variant's name as the only key:
    ///
    /// ```
    /// # use claw_server::{TurnId, UiMessage};
    /// use serde_json;
    ///
    /// // Serialize an event
    /// let event = UiMessage::TextChunk {
    ///     text: "Hello".to_string(),
    ///     session_id: 1,
    ///     turn_id: TurnId::new_assistant_turn(1),
    /// };
    /// let json = serde_json::to_string(&event)?;
    /// // {"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}
    /// # assert_eq!(
    /// #     json,
    /// #     r#"{"TextChunk":{"text":"Hello","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}"#
    /// # );
    /// # assert_eq!(serde_json::from_str::<UiMessage>(&json)?, event);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    #[doc = include_str!("docs/handling_ui_messages.md")]
    ///
    /// Every object can be deserialized: an unrecognized message becomes [`UiMessage::Unknown`]. An
    /// optional member without a value is written as `null` and may be missing when read. Deserializing
    /// requires serde_json, because it keeps the raw text.
    pub enum UiMessage {
        /// A piece of the agent's answer. Concatenate the pieces; one may end anywhere, even inside a
        /// word.
        ///
        /// ```
        /// # use claw_server::{TurnId, UiMessage};
        /// # fn send_to_client(_: &str) {}
        /// # let event = UiMessage::TextChunk {
        /// #     text: "Hi".to_string(), session_id: 1, turn_id: TurnId::new_assistant_turn(1),
        /// # };
        /// # let mut response_buffer = String::new();
        /// match event {
        ///     UiMessage::TextChunk { text, .. } => {
        ///         response_buffer.push_str(&text);
        ///         send_to_client(&text);  // Stream to frontend
        ///     }
        ///     // ...
        /// #   _ => {}
        /// }
        /// # assert_eq!(response_buffer, "Hi");
        /// ```
        TextChunk {
            /// The text of the piece.
            text: String,
            /// The session.
            session_id: i64,
            /// The turn in the conversation.
            turn_id: TurnId,
        },
        /// A tool has started.
        ///
        /// ```
        /// # use claw_server::UiMessage;
        /// # let event = UiMessage::ToolExecuting {
        /// #     tool_use_id: "t".into(), tool_name: "Bash".into(), input: serde_json::json!({}), session_id: 7,
        /// # };
        /// match event {
        ///     UiMessage::ToolExecuting { tool_name, input, .. } => {
        ///         println!("Running {}: {:?}", tool_name, input);
        ///     }
        ///     // ...
        /// #   _ => panic!("{event:?}"),
        /// }
        /// ```
        ToolExecuting {
            /// The id of the call; its [`UiMessage::ToolCompleted`] has the same.
            tool_use_id: String,
            /// The name of the tool.
            tool_name: String,
            /// The input of the tool.
            input: Value,
            /// The session.
            session_id: i64,
        },
        /// A tool has ended, successfully or not. If it failed, [`UiMessage::ToolFailed`] is sent right
        /// before it.
        ///
        /// ```
        /// # use claw_server::UiMessage;
        /// # let event = UiMessage::ToolCompleted {
        /// #     tool_use_id: "t".into(), result: "done".into(), session_id: 7,
        /// # };
        /// match event {
        ///     UiMessage::ToolCompleted { tool_use_id, result, .. } => {
        ///         println!("Tool {} completed: {}", tool_use_id, result);
        ///     }
        ///     // ...
        /// #   _ => panic!("{event:?}"),
        /// }
        /// ```
        ToolCompleted {
            /// The id of the call.
            tool_use_id: String,
            /// The output of the tool, or the error.
            result: String,
            /// The session.
            session_id: i64,
        },
        /// A turn has ended: no message of it follows, and the next input can be sent. Sent exactly
        /// once for each turn. Not sent when the model waits for a tool, because the turn continues
        /// (see [`StopReason::ToolUse`]).
        Complete {
            /// The session.
            session_id: i64,
            /// The turn.
            turn_id: TurnId,
            /// Why it ended.
            stop_reason: StopReason,
        },
        /// A tool call waits for permission, and the agent with it.
        PermissionRequired {
            /// The id of the call that waits, for the answer.
            tool_use_id: String,
            /// The permission that it needs.
            request: PermissionRequest,
            /// The session.
            session_id: i64,
        },
        /// Several tool calls wait for permission. Each can be answered separately.
        ///
        /// A batch may grow after it was sent: a later batch with the same id replaces the earlier one,
        /// or the [`UiMessage::PermissionRequired`] whose call has that id, which is its first request.
        /// Requests keep their index.
        BatchPermissionRequired {
            /// The id of the batch, for the answer.
            batch_id: String,
            /// The permissions that they need.
            requests: Vec<PermissionRequest>,
            /// The session.
            session_id: i64,
        },
        /// The agent waits for answers to its questions.
        UserInteractionRequired {
            /// The id of the call that waits, for the answer.
            tool_use_id: String,
            /// The questions.
            request: AskUserQuestionsRequest,
            /// The session.
            session_id: i64,
        },
        /// Token usage of the turn so far.
        TokenUpdate {
            /// Input tokens of the latest API message, including the cache.
            input_tokens: i64,
            /// Output tokens of the turn.
            output_tokens: i64,
            /// The session.
            session_id: i64,
        },
        /// An error occurred; the session may continue.
        Error {
            /// The error message.
            message: String,
            /// The session; `None` for a failure of the controller that belongs to no session, see
            /// [`Controller::notices`](crate::Controller::notices).
            session_id: Option<i64>,
        },
        /// Information for the operator of the agent rather than its user.
        System {
            /// The text.
            message: String,
            /// The session; `None` for a message about the controller, see
            /// [`Controller::notices`](crate::Controller::notices).
            session_id: Option<i64>,
        },
        /// Text for the user that is not the agent's answer, such as the output of a slash command.
        Display {
            /// The text.
            content: String,
            /// The session.
            session_id: i64,
        },
        /// A slash command has ended.
        CommandComplete {
            /// The command, with its slash.
            command: String,
            /// The session.
            session_id: i64,
        },
        /// Sent text was retracted: the stream broke, or another model was asked. Remove it from the
        /// concatenated [`UiMessage::TextChunk`]s of the turn. Offset and length are in bytes of UTF-8;
        /// text that was removed before is not counted.
        TextRetracted {
            /// The offset of the retracted text.
            offset: u64,
            /// The length of the retracted text.
            length: u64,
            /// The session.
            session_id: i64,
            /// The turn.
            turn_id: TurnId,
        },
        /// Text of a subagent for the agent that started it; not part of the answer.
        SubagentText {
            /// The tool call that started the subagent.
            tool_use_id: String,
            /// The text.
            text: String,
            /// The session.
            session_id: i64,
        },
        /// A tool still runs, or a hook or a subagent of its call.
        ToolProgress {
            /// The id of the call, as in [`UiMessage::ToolExecuting`].
            tool_use_id: String,
            /// The name of the tool; for a hook, its event.
            tool_name: String,
            /// How long it has run; 0 when a subagent retries an API request, which
            /// [`UiMessage::Progress`] reports.
            elapsed_ms: u64,
            /// The session.
            session_id: i64,
        },
        /// A tool has failed. Its [`UiMessage::ToolCompleted`] follows and contains the error message.
        ToolFailed {
            /// The id of the call.
            tool_use_id: String,
            /// How it failed.
            failure: ToolFailure,
            /// The session.
            session_id: i64,
        },
        /// A task or a subagent began, made progress, or ended.
        TaskProgress {
            /// The id of the task.
            task_id: String,
            /// The tool call that started it.
            tool_use_id: Option<String>,
            /// The state of the task.
            status: TaskStatus,
            /// The current activity, or the outcome.
            description: String,
            /// The type of the subagent, if it is one.
            subagent_type: Option<String>,
            /// The number of tool uses.
            tool_uses: Option<u64>,
            /// The number of tokens used.
            total_tokens: Option<u64>,
            /// How long it has run.
            duration_ms: Option<u64>,
            /// The tool that was used last.
            last_tool: Option<String>,
            /// The session.
            session_id: i64,
        },
        /// The agent has a plan. A [`UiMessage::PermissionRequired`] of the same call asks for
        /// approval.
        PlanUpdated {
            /// The id of the call that waits.
            tool_use_id: String,
            /// The plan, in Markdown.
            plan: String,
            /// The session.
            session_id: i64,
        },
        /// The agent's to-do list.
        TodoUpdated {
            /// The items, in order. Completed items of a long list are omitted first, then the last
            /// ones.
            items: Vec<TodoItem>,
            /// The number of omitted items; missing in JSON if 0.
            #[serde(default, skip_serializing_if = "crate::is_default::is_default")]
            left_out: u64,
            /// The session.
            session_id: i64,
        },
        /// The progress of tasks, tools, lists, hooks, limits, text and output, in one format. A later
        /// update with the same lane and subject replaces the earlier one; an update that goes back has
        /// a reason.
        Progress {
            /// The update.
            update: Box<ProgressUpdate>,
            /// The session.
            session_id: i64,
        },
        /// Token usage of a turn, at its end.
        Usage {
            /// The turn.
            turn_id: TurnId,
            /// Input tokens, without the cache.
            input_tokens: u64,
            /// Output tokens.
            output_tokens: u64,
            /// Tokens read from the cache.
            cache_read_tokens: u64,
            /// Tokens written to the cache.
            cache_creation_tokens: u64,
            /// Cost of the session so far, in millionths of a US dollar.
            total_cost_micros: Option<u64>,
            /// The session.
            session_id: i64,
        },
        /// The utilization of a limit of the account.
        UsageLimit {
            /// The CLI's name of the limit.
            limit: Option<String>,
            /// The CLI's status: `allowed`, `allowed_warning` or `rejected`.
            status: String,
            /// The percentage used.
            used_percent: Option<u64>,
            /// When the limit resets, in milliseconds since the Unix epoch.
            resets_at_ms: Option<i64>,
            /// The session.
            session_id: i64,
        },
        /// The state of the session changed.
        SessionState {
            /// The new state.
            state: SessionPhase,
            /// What happened, for display.
            detail: Option<String>,
            /// The session.
            session_id: i64,
        },
        /// The state of an input changed.
        InputReceipt {
            /// The id of the input.
            input_id: String,
            /// The new state.
            state: InputState,
            /// Why it failed, if it did.
            reason: Option<String>,
            /// The session.
            session_id: i64,
            /// The client's turn id. Missing, also in JSON, if the client sent none or the receipt of
            /// its acceptance is lost in a gap.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            turn_id: Option<TurnId>,
        },
        /// The agent waits for an interaction that is neither a permission nor a question: input
        /// for an MCP server, or a choice in a dialog. A client can decline kinds that it does not
        /// support.
        InteractionRequired {
            /// The id of the interaction, for the answer.
            interaction_id: String,
            /// The kind, as in the event.
            kind: String,
            /// The CLI's request, unchanged.
            request: Value,
            /// The session.
            session_id: i64,
        },
        /// An interaction was resolved. Remove it from the screen.
        InteractionResolved {
            /// The id in the message that asked: its `tool_use_id` or `interaction_id`.
            interaction_id: String,
            /// Why it was resolved.
            resolution: Resolution,
            /// The outcome; missing from older servers.
            outcome: Option<InteractionOutcome>,
            /// Who answered, if known.
            by: Option<String>,
            /// The index in a batch, whose requests have no ids of their own.
            batch: Option<BatchPlace>,
            /// The session.
            session_id: i64,
        },
        /// Events of the log are missing: they are not reported, and what began in them may not end. A
        /// client that resumes may also receive it for events that it has seen and the log no longer
        /// has. Discard the text of the running turn: later text does not continue it, and offsets of
        /// `TextRetracted` restart here.
        Gap {
            /// The first missing sequence number.
            from: u64,
            /// The last missing sequence number.
            to: u64,
            /// The session.
            session_id: i64,
        },
    }
}
