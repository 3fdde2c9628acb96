//! What a handler is asked.

use std::fmt;

use rusty_claw_protocol::control::{CanUseTool, DecisionReasonType};
use rusty_claw_protocol::permission::PermissionUpdate;
use rusty_claw_protocol::tool::{ToolView, mcp_tool};
use rusty_claw_protocol::{Json, Str};
use tokio_util::sync::CancellationToken;

use super::{PermissionAnswer, PlanAsk, QuestionAsk};
use crate::error::SessionError;

/// A tool is about to run, and somebody must say whether it may.
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
    request: Box<CanUseTool>,
    order: u64,
    cancelled: CancellationToken,
}

/// What kind of question it is.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AskKind {
    /// May this tool run?
    Tool,
    /// Which of these? Allowed with answers only.
    Question(QuestionAsk),
    /// Is this plan good?
    Plan(PlanAsk),
}

impl PermissionAsk {
    /// A question, as the CLI puts it: for tests of handlers.
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
        Self::asked(Box::new(request), 0, CancellationToken::new())
    }

    pub(crate) fn asked(
        request: Box<CanUseTool>,
        order: u64,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            request,
            order,
            cancelled,
        }
    }

    /// The tool's name, `mcp__server__tool` for those of MCP servers.
    pub fn tool_name(&self) -> &str {
        &self.request.tool_name
    }

    /// The tool's name for people; its plain name when it has none.
    pub fn display_name(&self) -> &str {
        match &self.request.display_name {
            Some(name) => name,
            None => self.tool_name(),
        }
    }

    /// What the tool is to be called with.
    pub fn input(&self) -> &Json {
        self.request.input.json()
    }

    /// The same in the shape of the tool. [`ToolView::Other`] when the tool is unknown here or the
    /// input does not fit it: then nothing should be concluded from the input.
    pub fn tool(&self) -> ToolView {
        self.request.input.view(self.tool_name())
    }

    /// The MCP server that the tool belongs to, if it belongs to one. Where the CLI does not say
    /// it is read from the tool's name, which leaves doubt when a name in it holds `__` itself.
    pub fn mcp_server(&self) -> Option<&str> {
        match &self.request.mcp_server {
            Some(server) => Some(&server.name),
            None => mcp_tool(self.tool_name()).map(|(server, _)| server),
        }
    }

    /// Which kind of question this is.
    pub fn kind(&self) -> AskKind {
        match self.tool() {
            ToolView::AskUserQuestion(input) => AskKind::Question(QuestionAsk::new(*input)),
            ToolView::ExitPlanMode(input) => AskKind::Plan(PlanAsk::new(input)),
            _ => AskKind::Tool,
        }
    }

    /// Whether the tool itself is a question to a person, so that no rule may answer it.
    pub fn needs_person(&self) -> bool {
        self.request.requires_user_interaction == Some(true)
            || matches!(self.tool_name(), "AskUserQuestion" | "ExitPlanMode")
    }

    /// Changes to the permissions that would make the question unnecessary next time, each by
    /// itself. Some reach far: a change of mode lets every later edit pass. For a lasting yes to
    /// this kind of call, take [`PermissionAsk::suggested_rules`].
    pub fn suggestions(&self) -> &[PermissionUpdate] {
        self.request
            .permission_suggestions
            .as_deref()
            .unwrap_or_default()
    }

    /// Those suggestions that add rules and change nothing else: for
    /// [`PermissionAnswer::and_always`]. None when no lasting yes may be offered.
    pub fn suggested_rules(&self) -> impl Iterator<Item = PermissionUpdate> {
        let offered = self.may_allow_always();
        let rules = move |update: &&PermissionUpdate| {
            offered && matches!(update, PermissionUpdate::AddRules(_))
        };
        self.suggestions().iter().filter(rules).cloned()
    }

    /// Whether a lasting yes may be offered at all.
    pub fn may_allow_always(&self) -> bool {
        self.request.suppress_always_allow_rule != Some(true) && !self.suggestions().is_empty()
    }

    /// Why it is a question, in words.
    pub fn decision_reason(&self) -> Option<&str> {
        self.request.decision_reason.as_deref()
    }

    /// Why it is a question.
    pub fn decision_reason_type(&self) -> Option<&DecisionReasonType> {
        self.request.decision_reason_type.as_ref()
    }

    /// The path that made it a question.
    pub fn blocked_path(&self) -> Option<&str> {
        self.request.blocked_path.as_deref()
    }

    /// The subagent that wants it; `None` for the main conversation.
    pub fn agent_id(&self) -> Option<&str> {
        self.request.agent_id.as_deref()
    }

    /// The call.
    pub fn tool_use_id(&self) -> &Str {
        &self.request.tool_use_id
    }

    /// Whether no is the answer to offer first.
    pub fn default_to_no(&self) -> bool {
        self.request.default_to_no == Some(true)
    }

    /// A heading for the question.
    pub fn title(&self) -> Option<&str> {
        self.request.title.as_deref()
    }

    /// The call in a few words.
    pub fn description(&self) -> Option<&str> {
        self.request.description.as_deref()
    }

    /// Whether only the MCP server's own policy made it a question.
    pub fn server_policy_ask_only(&self) -> bool {
        self.request.server_policy_ask_only == Some(true)
    }

    /// Everything that the CLI said.
    pub fn request(&self) -> &CanUseTool {
        &self.request
    }

    /// Whether the call says where on the disk it works: its tool is one for files, or a member of
    /// its input is a path by its name. Leave for the tool alone would be leave for every path.
    pub fn names_paths(&self) -> bool {
        !super::target::Target::of(self).is_empty()
    }

    /// Which question of the session this is, counted over all that the CLI asks, in the order in
    /// which it asked. Callbacks run beside each other: one that was asked later may be called
    /// first.
    pub fn order(&self) -> u64 {
        self.order
    }

    /// Whether nobody waits for the answer any more: the CLI has withdrawn the question, the turn
    /// was interrupted, or the session is over.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until nobody waits for the answer any more, so that a prompt can be taken off the
    /// screen.
    ///
    /// Dropping the future loses nothing.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    /// Answers questions by their text: see [`QuestionAsk::answer`].
    ///
    /// # Errors
    /// This is not a question of that kind, or the answers do not fit it.
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

// Inputs hold what people work on, so what is printed leaves them out.
impl fmt::Debug for PermissionAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionAsk")
            .field("tool_name", &self.request.tool_name)
            .field("tool_use_id", &self.request.tool_use_id)
            .finish_non_exhaustive()
    }
}
