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

use crate::event::{InteractionId, InteractionKind};
use crate::grants::Grant;
use crate::interactions::AnswerRefused;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::ui_message::BatchPlace;

pub use permission::{PermissionChoice, PermissionResponse, Remember};
pub use question::QuestionAnswer;
pub(crate) use reply::{Answer, CliResponse};

/// Answers permissions, one at a time or as a batch, and manages grants.
///
/// Plans are answered here too: they have no request message of their own and are asked for as
/// permissions.
pub trait PermissionRegistry: Send + Sync {
    /// Returns the pending permissions of a session, oldest first, for a client that connects.
    ///
    /// This method is cancel safe.
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPermission>>;

    /// Answers one permission by its tool use id, also if it is part of a batch.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn respond(
        &self,
        session_id: i64,
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
        session_id: i64,
        batch_id: &str,
        responses: Vec<(u32, PermissionResponse)>,
    ) -> BoxFuture<'_, Vec<Result<(), AnswerRefused>>>;

    /// Adds a grant.
    ///
    /// If the future is dropped, the grant may or may not have been added.
    fn grant(&self, tenant: &str, grant: Grant) -> BoxFuture<'_, ()>;

    /// Removes a grant and returns whether it existed. Calls that already run are not stopped.
    ///
    /// If the future is dropped, the grant may or may not have been removed.
    fn revoke(&self, tenant: &str, grant: &Grant) -> BoxFuture<'_, bool>;

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
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingQuestions>>;

    /// Returns the other pending interactions of a session, oldest first: elicitations of tool
    /// servers, dialogs, and unrecognized kinds.
    ///
    /// This method is cancel safe.
    fn pending_interactions(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingInteraction>>;

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
        session_id: i64,
        interaction_id: &str,
        answer: Json,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Answers the questions of a call. Some may be left out; the agent is informed.
    ///
    /// # Errors
    /// Returns [`AnswerRefused`] if the answer is not accepted.
    ///
    /// If the future is dropped, the answer may or may not have been recorded.
    fn respond(
        &self,
        session_id: i64,
        tool_use_id: &str,
        answers: Vec<QuestionAnswer>,
        by: Option<&str>,
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
        session_id: i64,
        interaction: &str,
        reason: &str,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;
}

/// A pending permission.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq)]
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
