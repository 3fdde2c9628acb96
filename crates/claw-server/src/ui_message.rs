//! What an agent does, as an application sees it.

mod names;
mod status;
mod wire;

use serde_json::Value;

use crate::event::ProgressUpdate;
use crate::input::TurnId;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::stop_reason::StopReason;
use crate::unknown_message::UnknownMessage;

pub use status::{
    BatchPlace, InputState, PromptOutcome, Resolution, SessionPhase, TaskStatus, TodoItem,
    TodoStatus, ToolFailure,
};

/// One event of a session, for the application that shows it.
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
/// A handler takes the variants it cares about and ignores the rest. More will come, so the
/// compiler asks for the last arm:
///
/// ```
/// # use std::cell::RefCell;
/// # use claw_server::{PermissionLevel, PermissionRequest, StopReason, TargetType, TurnId, UiMessage};
/// # #[derive(Default)]
/// # struct Client(RefCell<Vec<String>>);
/// # impl Client {
/// #     fn note(&self, what: String) { self.0.borrow_mut().push(what); }
/// #     async fn send_text(&self, id: i64, text: &str) { self.note(format!("{id} text {text}")); }
/// #     async fn send_status(&self, id: i64, text: &str) { self.note(format!("{id} status {text}")); }
/// #     async fn send_complete(&self, id: i64) { self.note(format!("{id} complete")); }
/// #     async fn send_error(&self, id: i64, text: &str) { self.note(format!("{id} error {text}")); }
/// #     async fn send_usage(&self, id: i64, a: i64, b: i64) { self.note(format!("{id} usage {a} {b}")); }
/// # }
/// # async fn handle_permission(_: String, _: PermissionRequest, _: i64) {}
/// # mod log {
/// #     macro_rules! error { ($($arg:tt)*) => { eprintln!($($arg)*) }; }
/// #     pub(crate) use error;
/// # }
/// async fn handle_event(event: UiMessage, client: &Client) {
///     match event {
///         UiMessage::TextChunk { text, session_id, .. } => {
///             client.send_text(session_id, &text).await;
///         }
///
///         UiMessage::ToolExecuting { tool_name, session_id, .. } => {
///             client.send_status(session_id, &format!("Running {}...", tool_name)).await;
///         }
///
///         UiMessage::ToolCompleted { session_id, .. } => {
///             client.send_status(session_id, "Tool complete").await;
///         }
///
///         UiMessage::Complete { session_id, .. } => {
///             client.send_complete(session_id).await;
///         }
///
///         UiMessage::PermissionRequired { tool_use_id, request, session_id } => {
///             // Auto-approve or forward to user based on your policy
///             handle_permission(tool_use_id, request, session_id).await;
///         }
///
///         UiMessage::Error { message, session_id } => {
///             log::error!("Agent error: {}", message);
///             if let Some(sid) = session_id {
///                 client.send_error(sid, &message).await;
///             }
///         }
///
///         UiMessage::TokenUpdate { input_tokens, output_tokens, session_id } => {
///             client.send_usage(session_id, input_tokens, output_tokens).await;
///         }
///
///         _ => {}  // Ignore other events
///     }
/// }
/// # let client = Client::default();
/// # for event in [
/// #     UiMessage::ToolExecuting {
/// #         tool_use_id: "t".into(), tool_name: "Bash".into(), input: serde_json::json!({}), session_id: 7,
/// #     },
/// #     UiMessage::ToolCompleted { tool_use_id: "t".into(), result: String::new(), session_id: 7 },
/// #     UiMessage::System { message: "ignored".into(), session_id: None },
/// #     UiMessage::TextChunk { text: "Hi".into(), session_id: 7, turn_id: TurnId::new_assistant_turn(1) },
/// #     UiMessage::TokenUpdate { input_tokens: 3, output_tokens: 4, session_id: 7 },
/// #     UiMessage::PermissionRequired {
/// #         tool_use_id: "t".into(),
/// #         request: PermissionRequest {
/// #             target_type: TargetType::Command, target: "ls".into(), level: PermissionLevel::Execute,
/// #             description: "Run ls".into(), reason: None, recursive: false,
/// #         },
/// #         session_id: 7,
/// #     },
/// #     UiMessage::Error { message: "broken".into(), session_id: Some(7) },
/// #     UiMessage::Error { message: "all broken".into(), session_id: None },
/// #     UiMessage::Complete {
/// #         session_id: 7, turn_id: TurnId::new_assistant_turn(1), stop_reason: StopReason::EndTurn,
/// #     },
/// # ] {
/// #     // Nothing in this client waits, so one poll is the whole run.
/// #     let mut handling = std::pin::pin!(handle_event(event, &client));
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     assert!(handling.as_mut().poll(&mut context).is_ready());
/// # }
/// # assert_eq!(
/// #     *client.0.borrow(),
/// #     ["7 status Running Bash...", "7 status Tool complete", "7 text Hi", "7 usage 3 4", "7 error broken", "7 complete"]
/// # );
/// ```
///
/// Reading takes every object: an event of a newer server is [`UiMessage::Unknown`]. An optional
/// member without a value is written as `null` and may be missing when read. The reader needs
/// serde_json underneath, because it keeps text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UiMessage {
    /// A piece of the agent's answer. Concatenate them; a piece may end anywhere, also inside a
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
        /// The piece.
        text: String,
        /// Which session.
        session_id: i64,
        /// Which turn in the conversation.
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
        /// This call of the tool; its [`UiMessage::ToolCompleted`] has the same.
        tool_use_id: String,
        /// Which tool.
        tool_name: String,
        /// What the tool is given.
        input: Value,
        /// Which session.
        session_id: i64,
    },
    /// A tool has ended, well or not. Of one that failed, [`UiMessage::ToolFailed`] comes right
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
        /// The call that ended.
        tool_use_id: String,
        /// What the tool returned, or what went wrong.
        result: String,
        /// Which session.
        session_id: i64,
    },
    /// A turn has ended: no message of it follows, and the next input can be sent. Sent exactly
    /// once for each turn. Not sent when the model waits for a tool, because the turn continues
    /// (see [`StopReason::ToolUse`]).
    Complete {
        /// Which session.
        session_id: i64,
        /// Which turn.
        turn_id: TurnId,
        /// Why it ended.
        stop_reason: StopReason,
    },
    /// A tool waits for a permission, and the agent with it.
    PermissionRequired {
        /// The call that waits; the answer names it.
        tool_use_id: String,
        /// What it wants to do.
        request: PermissionRequest,
        /// Which session.
        session_id: i64,
    },
    /// Several tools wait for permissions at once; each can be answered on its own.
    ///
    /// Nobody waits for a batch to be whole, so it may grow: a later one of the same name takes the
    /// place of the one before, or of a [`UiMessage::PermissionRequired`] whose call has that name,
    /// which is its first. Requests keep their places.
    BatchPermissionRequired {
        /// The group; the answer names it.
        batch_id: String,
        /// What they want to do.
        requests: Vec<PermissionRequest>,
        /// Which session.
        session_id: i64,
    },
    /// The agent waits for its user to answer questions.
    UserInteractionRequired {
        /// The call that waits; the answer names it.
        tool_use_id: String,
        /// The questions.
        request: AskUserQuestionsRequest,
        /// Which session.
        session_id: i64,
    },
    /// How many tokens the turn has used so far.
    TokenUpdate {
        /// Tokens that the model read.
        input_tokens: i64,
        /// Tokens that the model wrote.
        output_tokens: i64,
        /// Which session.
        session_id: i64,
    },
    /// Something went wrong; the session may go on.
    Error {
        /// What happened.
        message: String,
        /// The session; `None` for a failure of the controller that belongs to no session, see
        /// [`Controller::notices`](crate::Controller::notices).
        session_id: Option<i64>,
    },
    /// Information for whoever runs the agent rather than for its user.
    System {
        /// What there is to know.
        message: String,
        /// The session; `None` for a message about the controller, see
        /// [`Controller::notices`](crate::Controller::notices).
        session_id: Option<i64>,
    },
    /// Text for the user that is not the agent's answer, such as the output of a slash command.
    Display {
        /// The text.
        content: String,
        /// Which session.
        session_id: i64,
    },
    /// A slash command has ended.
    CommandComplete {
        /// Which command.
        command: String,
        /// Which session.
        session_id: i64,
    },
    /// Text that was sent does not count: the stream broke, or another model was asked. Cut it out
    /// of what the turn's [`UiMessage::TextChunk`]s add up to; offset and length are bytes of
    /// UTF-8, and text that was cut out before is not counted.
    TextRetracted {
        /// Where it begins.
        offset: u64,
        /// How long it is.
        length: u64,
        /// Which session.
        session_id: i64,
        /// Which turn.
        turn_id: TurnId,
    },
    /// What a subagent says to the agent that started it; no part of the answer.
    SubagentText {
        /// The tool call that started the subagent.
        tool_use_id: String,
        /// What it says.
        text: String,
        /// Which session.
        session_id: i64,
    },
    /// A tool still runs, or a hook or a subagent that belongs to its call.
    ToolProgress {
        /// The call, as [`UiMessage::ToolExecuting`] named it.
        tool_use_id: String,
        /// Which tool; of a hook, which event it is for.
        tool_name: String,
        /// For how long it runs; 0 when a subagent asks the API again, which
        /// [`UiMessage::Progress`] tells of.
        elapsed_ms: u64,
        /// Which session.
        session_id: i64,
    },
    /// A tool has failed. Its [`UiMessage::ToolCompleted`], which has no room for that, comes next
    /// and says what went wrong.
    ToolFailed {
        /// The call.
        tool_use_id: String,
        /// How it failed.
        failure: ToolFailure,
        /// Which session.
        session_id: i64,
    },
    /// A task or a subagent began, goes on, or ended.
    TaskProgress {
        /// The task.
        task_id: String,
        /// The tool call that started it.
        tool_use_id: Option<String>,
        /// Where it is.
        status: TaskStatus,
        /// What it does, or what came of it.
        description: String,
        /// What kind of subagent it is, when it is one.
        subagent_type: Option<String>,
        /// How many tools it has used.
        tool_uses: Option<u64>,
        /// How many tokens it has used.
        total_tokens: Option<u64>,
        /// For how long it runs, or ran.
        duration_ms: Option<u64>,
        /// The tool that it used last.
        last_tool: Option<String>,
        /// Which session.
        session_id: i64,
    },
    /// The agent has a plan. A [`UiMessage::PermissionRequired`] of the same call asks for it.
    PlanUpdated {
        /// The call that waits.
        tool_use_id: String,
        /// The plan, in Markdown.
        plan: String,
        /// Which session.
        session_id: i64,
    },
    /// The list that the agent keeps for itself.
    TodoUpdated {
        /// Its points, in order; of a long list those that count now.
        items: Vec<TodoItem>,
        /// How many points are not among them; left out in JSON when there are none.
        left_out: u64,
        /// Which session.
        session_id: i64,
    },
    /// How far something is: tasks, tools, lists, hooks, limits, and what is said and printed, in
    /// one form. A later one with the same lane and subject takes its place, and one that is less
    /// far says why.
    Progress {
        /// How far what is.
        update: Box<ProgressUpdate>,
        /// Which session.
        session_id: i64,
    },
    /// What a turn used, at its end.
    Usage {
        /// Which turn.
        turn_id: TurnId,
        /// Tokens that were read, those of the cache not counted.
        input_tokens: u64,
        /// Tokens that were written.
        output_tokens: u64,
        /// Tokens that were read from the cache.
        cache_read_tokens: u64,
        /// Tokens that were put into the cache.
        cache_creation_tokens: u64,
        /// What the session has cost so far, in millionths of a dollar.
        total_cost_micros: Option<u64>,
        /// Which session.
        session_id: i64,
    },
    /// How near the account is to a limit.
    UsageLimit {
        /// Which limit, in the CLI's words.
        limit: Option<String>,
        /// What it means, in the CLI's words: `allowed`, `allowed_warning` or `rejected`.
        status: String,
        /// How much of it is used, in hundredths.
        used_percent: Option<u64>,
        /// When it begins anew, in milliseconds since 1970.
        resets_at_ms: Option<i64>,
        /// Which session.
        session_id: i64,
    },
    /// What the session is doing.
    SessionState {
        /// What it does now.
        state: SessionPhase,
        /// What happened.
        detail: Option<String>,
        /// Which session.
        session_id: i64,
    },
    /// What became of an input.
    InputReceipt {
        /// The input.
        input_id: String,
        /// What became of it.
        state: InputState,
        /// Why, when it failed.
        reason: Option<String>,
        /// Which session.
        session_id: i64,
        /// The client's turn id. Missing, also in JSON, if the client sent none or the receipt of
        /// its acceptance is lost in a gap.
        turn_id: Option<TurnId>,
    },
    /// The agent waits for something that is neither a permission nor an answer to questions: what
    /// a tool server wants to know, or a choice in a dialog. A client that does not know the kind
    /// can still decline.
    PromptRequired {
        /// The prompt; the answer names it.
        prompt_id: String,
        /// What is asked for, as the event calls it.
        kind: String,
        /// What the CLI asks, as it came.
        request: Value,
        /// Which session.
        session_id: i64,
    },
    /// A prompt waits no more. Take it from the screen.
    PromptResolved {
        /// The prompt, as the message that asked named it: `tool_use_id` or `prompt_id`.
        prompt_id: String,
        /// Why.
        resolution: Resolution,
        /// Whether that was a yes or a no; an older server does not say it.
        outcome: Option<PromptOutcome>,
        /// Who answered.
        by: Option<String>,
        /// Where it stood in a batch, whose requests have no names of their own.
        batch: Option<BatchPlace>,
        /// Which session.
        session_id: i64,
    },
    /// Events of the log are missing here: what they said is not told, and what began in them may
    /// not end. To one who resumes it is also said of events that were seen and are kept no longer.
    /// Throw away the text of the turn that runs: what comes of it behind this stands on its own,
    /// and `TextRetracted` counts from here.
    Gap {
        /// The first that is missing.
        from: u64,
        /// The last that is missing.
        to: u64,
        /// Which session.
        session_id: i64,
    },
    /// An event of a newer server, kept as it came.
    Unknown(UnknownMessage),
}
