//! Permission requests.

use rusty_claw_protocol::control::{CanUseTool, DecisionReasonType};
use rusty_claw_protocol::permission::PermissionUpdate;
use rusty_claw_protocol::tool::{ToolView, mcp_tool};
use rusty_claw_protocol::{Json, Str};
use tokio_util::sync::CancellationToken;

use super::{PermissionAnswer, PlanAsk, QuestionAsk};
use crate::error::SessionError;

/// A request for permission to run a tool.
///
/// ```
/// use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk};
/// use rusty_claw::tool::ToolView;
///
/// async fn decide(ask: PermissionAsk) -> PermissionAnswer {
///     match ask.kind() {
///         AskKind::Question(_) => PermissionAnswer::deny("Nobody is here to choose"),
///         AskKind::Plan(plan) => plan.approve(None),
///         _ => match ask.tool() {
///             ToolView::Bash(bash) if bash.command == "make" => PermissionAnswer::allow(),
///             _ => PermissionAnswer::deny("Only make"),
///         },
///     }
/// }
/// ```
#[derive(Clone)]
pub struct PermissionAsk {
    pub(crate) request: Box<CanUseTool>,
    pub(crate) order: u64,
    pub(crate) cancelled: CancellationToken,
}

/// The kind of a permission request.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AskKind {
    /// Permission to run a tool.
    Tool,
    /// A question with choices. It can only be allowed with answers.
    Question(QuestionAsk),
    /// A plan to approve.
    Plan(PlanAsk),
}

impl PermissionAsk {
    /// Creates a request as the CLI sends it, for testing handlers.
    ///
    /// ```
    /// use rusty_claw::control::messages::CanUseTool;
    /// use rusty_claw::permission::{PermissionAsk, Policy, Rule, Verdict};
    /// use rusty_claw::Json;
    ///
    /// let input = Json::from_text(r#"{"command":"ls && rm -r x"}"#)?;
    /// let ask = PermissionAsk::new(CanUseTool::new("Bash", input, "toolu_1"));
    /// let policy = Policy::new().allow(Rule::command("ls"));
    /// assert_eq!(policy.verdict(&ask), Verdict::Ask);
    /// # Ok::<(), rusty_claw::DecodeError>(())
    /// ```
    pub fn new(request: CanUseTool) -> Self {
        Self {
            request: Box::new(request),
            order: 0,
            cancelled: CancellationToken::new(),
        }
    }

    /// The name of the tool, `mcp__server__tool` for those of MCP servers.
    pub fn tool_name(&self) -> &str {
        &self.request.tool_name
    }

    /// The display name of the tool, or its plain name if it has none.
    pub fn display_name(&self) -> &str {
        match &self.request.display_name {
            Some(name) => name,
            None => self.tool_name(),
        }
    }

    /// The input of the call.
    pub fn input(&self) -> &Json {
        self.request.input.json()
    }

    /// The input as the type of the tool. [`ToolView::Other`] if the tool is unrecognized or the
    /// input does not fit it: then nothing should be concluded from the input.
    pub fn tool(&self) -> ToolView {
        self.request.input.view(self.tool_name())
    }

    /// The MCP server of the tool, if it has one. If the CLI does not send it, it is taken from the
    /// tool's name, which is ambiguous if a part of the name contains `__` itself.
    pub fn mcp_server(&self) -> Option<&str> {
        match &self.request.mcp_server {
            Some(server) => Some(&server.name),
            None => mcp_tool(self.tool_name()).map(|(server, _)| server),
        }
    }

    /// The kind of the request.
    pub fn kind(&self) -> AskKind {
        match self.tool() {
            ToolView::AskUserQuestion(input) => AskKind::Question(QuestionAsk::new(*input)),
            ToolView::ExitPlanMode(input) => AskKind::Plan(PlanAsk::new(input)),
            _ => AskKind::Tool,
        }
    }

    /// Returns whether the tool itself asks a person, so that no rule may answer it.
    pub fn needs_person(&self) -> bool {
        self.request.requires_user_interaction == Some(true)
            || matches!(self.tool_name(), "AskUserQuestion" | "ExitPlanMode")
    }

    /// Changes to the permissions, each of which would make the request unnecessary next time. Some
    /// are broad: a change of mode allows every later edit. To allow this kind of call permanently,
    /// use [`PermissionAsk::suggested_rules`].
    pub fn suggestions(&self) -> &[PermissionUpdate] {
        self.request
            .permission_suggestions
            .as_deref()
            .unwrap_or_default()
    }

    /// The suggestions that only add rules, for [`PermissionAnswer::and_always`]. Empty if a
    /// permanent allow must not be offered.
    pub fn suggested_rules(&self) -> impl Iterator<Item = PermissionUpdate> {
        let offered = self.may_allow_always();
        let rules = move |update: &&PermissionUpdate| {
            offered && matches!(update, PermissionUpdate::AddRules(_))
        };
        self.suggestions().iter().filter(rules).cloned()
    }

    /// Returns whether a permanent allow may be offered.
    pub fn may_allow_always(&self) -> bool {
        self.request.suppress_always_allow_rule != Some(true) && !self.suggestions().is_empty()
    }

    /// The reason for the request, as text.
    pub fn decision_reason(&self) -> Option<&str> {
        self.request.decision_reason.as_deref()
    }

    /// The type of the reason for the request.
    pub fn decision_reason_type(&self) -> Option<&DecisionReasonType> {
        self.request.decision_reason_type.as_ref()
    }

    /// The path that caused the request.
    pub fn blocked_path(&self) -> Option<&str> {
        self.request.blocked_path.as_deref()
    }

    /// The subagent that calls the tool; `None` for the main conversation.
    pub fn agent_id(&self) -> Option<&str> {
        self.request.agent_id.as_deref()
    }

    /// The id of the call.
    pub fn tool_use_id(&self) -> &Str {
        &self.request.tool_use_id
    }

    /// Returns whether deny is the default answer to offer.
    pub fn default_to_no(&self) -> bool {
        self.request.default_to_no == Some(true)
    }

    /// A title for the request.
    pub fn title(&self) -> Option<&str> {
        self.request.title.as_deref()
    }

    /// A short description of the call.
    pub fn description(&self) -> Option<&str> {
        self.request.description.as_deref()
    }

    /// Returns whether only the MCP server's own policy caused the request.
    pub fn server_policy_ask_only(&self) -> bool {
        self.request.server_policy_ask_only == Some(true)
    }

    /// The complete request of the CLI.
    pub fn request(&self) -> &CanUseTool {
        &self.request
    }

    /// The position of this request among all requests of the CLI in this session. Callbacks run
    /// concurrently: a later request may be handled first.
    pub fn order(&self) -> u64 {
        self.order
    }

    /// Returns whether the answer is no longer needed: the CLI has cancelled the request, the turn
    /// was interrupted, or the session has ended.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until the answer is no longer needed, so that the request can be removed from the
    /// screen.
    ///
    /// This method is cancel safe.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Answers questions by their text: see [`QuestionAsk::answer`].
    ///
    /// # Errors
    /// The request is not a question with choices, or the answers do not fit it.
    pub fn answer<Q, C>(
        &self,
        answers: impl IntoIterator<Item = (Q, C)>,
    ) -> Result<PermissionAnswer, SessionError>
    where
        Q: AsRef<str>,
        C: AsRef<str>,
    {
        match self.kind() {
            AskKind::Question(question) => question.answer(answers),
            _ => Err(SessionError::Unsendable {
                what: "an answer to questions",
                why: format!(
                    "{} asks no questions; allow or deny the call",
                    self.tool_name()
                ),
            }),
        }
    }
}

// Inputs contain user data, so they are not printed.
debug_fields!(PermissionAsk, |ask|
    tool_name: ask.request.tool_name,
    tool_use_id: ask.request.tool_use_id
);
