//! Answers to interactions, and grants that make asking unnecessary.
//!
//! An application receives an interaction as a [`UiMessage`](crate::UiMessage) and answers it here,
//! by the id in the message. The registries are traits: a [`Controller`](crate::Controller)
//! implements them for the sessions of its process, and a gateway for sessions on other machines.
//!
//! All implementations follow the same rules. The first answer wins; a later one is refused with
//! the name of who answered first. "Already answered", "expired", "withdrawn" and "never asked" are
//! distinct errors. An accepted answer is in the log. Without an answer, an interaction is denied.

mod permission;
mod question;
mod reply;

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Json;
use serde::{Deserialize, Serialize};

use crate::controller::ControllerError;
use crate::event::{InteractionId, InteractionKind};
use crate::grants::Grant;
use crate::interactions::AnswerRefused;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::session_id::SessionId;
use crate::ui_message::BatchPlace;

pub use permission::{PermissionChoice, PermissionResponse, Remember};
pub use question::QuestionAnswer;
pub use reply::Answer;
pub(crate) use reply::CliResponse;

/// Answers permissions, one at a time or as a batch, and manages grants.
///
/// Plans are answered here too: they have no request message of their own and are asked for as
/// permissions.
pub trait PermissionRegistry: Send + Sync {
    /// Returns the pending permissions of a session, oldest first, for a client that connects.
    ///
    /// This method is cancel safe.
    fn pending(&self, session_id: SessionId) -> BoxFuture<'_, Vec<PendingPermission>>;

    /// Answers one permission by its tool use id, also if it is part of a batch.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn respond(
        &self,
        session_id: SessionId,
        tool_use_id: &str,
        response: PermissionResponse,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Answers permissions of a batch by their index in the message. Each is answered on its own:
    /// permissions that are not listed stay pending, and denying one does not answer the others.
    /// The results are in the order of the responses.
    ///
    /// If the future is dropped, the answers may or may not have been recorded.
    fn respond_to_batch(
        &self,
        session_id: SessionId,
        batch_id: &str,
        responses: Vec<(u32, PermissionResponse)>,
    ) -> BoxFuture<'_, Vec<Result<(), AnswerRefused>>>;

    /// Adds a grant. A grant for a session is stored in its log, and is restored when the session is
    /// reopened. A grant for a tenant applies to this controller only; the program must store it.
    ///
    /// # Errors
    /// The session is not open here, or its log cannot store the grant.
    ///
    /// If the future is dropped, the grant may or may not have been added.
    fn grant(&self, tenant: &str, grant: Grant) -> BoxFuture<'_, Result<(), ControllerError>>;

    /// Removes a grant and returns whether it existed. Calls that already run are not stopped.
    ///
    /// # Errors
    /// The session of the grant is not open here, or its log cannot store that it was removed.
    ///
    /// If the future is dropped, the grant may or may not have been removed.
    fn revoke(&self, tenant: &str, grant: &Grant) -> BoxFuture<'_, Result<bool, ControllerError>>;

    /// Returns the grants of a tenant that have not expired.
    ///
    /// This method is cancel safe.
    fn grants(&self, tenant: &str) -> BoxFuture<'_, Vec<Grant>>;
}

/// Answers questions of the agent, elicitations of tool servers and dialogs of the CLI.
pub trait UserInteractionRegistry: Send + Sync {
    /// Returns the pending questions of a session, oldest first.
    ///
    /// This method is cancel safe.
    fn pending(&self, session_id: SessionId) -> BoxFuture<'_, Vec<PendingQuestions>>;

    /// Returns the other pending interactions of a session, oldest first: elicitations of tool
    /// servers, dialogs, and unrecognized kinds.
    ///
    /// This method is cancel safe.
    fn pending_interactions(&self, session_id: SessionId)
    -> BoxFuture<'_, Vec<PendingInteraction>>;

    /// Answers an elicitation or a dialog, in the form of its kind on the wire:
    /// `{"action":"accept","content":{…}}` for an elicitation,
    /// `{"behavior":"completed","result":…}` for a dialog.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn respond_to_interaction(
        &self,
        session_id: SessionId,
        interaction_id: &str,
        answer: Json,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Answers the questions of a call. Some may be left out; the agent is informed.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn respond(
        &self,
        session_id: SessionId,
        tool_use_id: &str,
        answers: Vec<QuestionAnswer>,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Declines an interaction of any kind, by its call or its id. The agent continues. It receives
    /// the reason, except for elicitations and dialogs, where the CLI has no field for it.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn decline(
        &self,
        session_id: SessionId,
        interaction: &str,
        reason: &str,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;
}

/// Who answers, and under which idempotency key.
///
/// ```
/// use claw_server::registry::Answerer;
///
/// let answerer = Answerer::by("phone").key("phone-17");
/// # let _ = answerer;
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answerer {
    /// A person or a device. Sent to every client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The idempotency key: an answer sent again with the same key is accepted again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

impl Answerer {
    /// Names who answers.
    pub fn by(who: impl Into<String>) -> Self {
        Self {
            by: Some(who.into()),
            key: None,
        }
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// A pending permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PendingPermission {
    /// The id to answer it with: that of the call, or of the interaction if the call has several.
    pub tool_use_id: String,
    /// The id of the interaction, as in other messages.
    pub interaction_id: InteractionId,
    /// The requested permission.
    pub request: PermissionRequest,
    /// Its batch and its index there, if it is part of one.
    pub batch: Option<BatchPlace>,
    /// When it is denied if unanswered, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}

/// The pending questions of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PendingQuestions {
    /// The id to answer them with: that of the call, or of the interaction if the call has several.
    pub tool_use_id: String,
    /// The id of the interaction, as in other messages.
    pub interaction_id: InteractionId,
    /// The questions.
    pub request: AskUserQuestionsRequest,
    /// When they are declined if unanswered, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}

/// A pending interaction of another kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PendingInteraction {
    /// The id to answer it with.
    pub interaction_id: InteractionId,
    /// The kind of interaction.
    pub kind: InteractionKind,
    /// The body of the CLI's request.
    pub request: Json,
    /// When it is declined if unanswered, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}
