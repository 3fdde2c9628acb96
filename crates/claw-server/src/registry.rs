//! Where people answer what an agent asks, and what they may do without being asked.
//!
//! An application sees a prompt as a [`UiMessage`](crate::UiMessage) and answers it here, by the
//! id that stands in the message. The two registries are traits: in one process they are the
//! [`Controller`](crate::Controller)'s own, and a gateway has others that reach a session on
//! another machine.
//!
//! All of them keep the same rules. The first answer counts, and whoever comes later is told who
//! was faster. "Already answered", "expired", "withdrawn" and "never asked" are told apart. An
//! answer that was taken is in the log. No answer is a no.

mod permission;
mod question;
mod reply;

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Json;

use crate::event::{PromptId, PromptKind};
use crate::grants::Grant;
use crate::permission::PermissionRequest;
use crate::prompts::AnswerRefused;
use crate::question::AskUserQuestionsRequest;
use crate::ui_message::BatchPlace;

pub use permission::{PermissionChoice, PermissionResponse, Remember};
pub use question::QuestionAnswer;
pub(crate) use reply::{PromptReply, nobody_answered, permission_answer};

/// Answers permissions, one by one or a batch at once, and keeps what was granted for longer.
///
/// Plans are answered here too: the document has no message of its own for them, so they are asked
/// for as permissions.
pub trait PermissionRegistry: Send + Sync {
    /// The permissions of a session that wait, oldest first. For a client that has just come.
    ///
    /// Dropping the future changes nothing.
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPermission>>;

    /// Answers one permission, also one of a batch, by its call.
    ///
    /// # Errors
    /// The answer does not count, and why.
    ///
    /// Dropping the future leaves open whether the answer counted.
    fn respond(
        &self,
        session_id: i64,
        tool_use_id: &str,
        response: PermissionResponse,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Answers permissions of a batch, each on its own, by their places in the message. What is
    /// not named here keeps waiting, and a no to one of them is no answer to the others. The
    /// results stand in the order of the responses.
    ///
    /// Dropping the future leaves open whether the answers counted.
    fn respond_to_batch(
        &self,
        session_id: i64,
        batch_id: &str,
        responses: Vec<(u32, PermissionResponse)>,
    ) -> BoxFuture<'_, Vec<Result<(), AnswerRefused>>>;

    /// Gives leave for more than one request.
    ///
    /// Dropping the future leaves open whether it was given.
    fn grant(&self, tenant: &str, grant: Grant) -> BoxFuture<'_, ()>;

    /// Takes leave back, and says whether there was any. Calls that run already are not stopped.
    ///
    /// Dropping the future leaves open whether it was taken back.
    fn revoke(&self, tenant: &str, grant: &Grant) -> BoxFuture<'_, bool>;

    /// The leave that a tenant has given and that has not ended.
    ///
    /// Dropping the future changes nothing.
    fn grants(&self, tenant: &str) -> BoxFuture<'_, Vec<Grant>>;
}

/// Answers questions of the agent, and what tool servers and dialogs of the CLI want to know.
pub trait UserInteractionRegistry: Send + Sync {
    /// The questions of a session that wait, oldest first.
    ///
    /// Dropping the future changes nothing.
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingInteraction>>;

    /// What else of a session waits for a person, oldest first: what tool servers want to know
    /// (elicitations), dialogs, and kinds that are newer than this library.
    ///
    /// Dropping the future changes nothing.
    fn pending_prompts(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPrompt>>;

    /// Answers one of these, in the form that its kind has on the wire:
    /// `{"action":"accept","content":{…}}` for a tool server,
    /// `{"behavior":"completed","result":…}` for a dialog.
    ///
    /// # Errors
    /// The answer does not count, and why.
    ///
    /// Dropping the future leaves open whether the answer counted.
    fn respond_to_prompt(
        &self,
        session_id: i64,
        prompt_id: &str,
        answer: Json,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Answers questions, by the call that asks them. Some may be left out; the agent is told.
    ///
    /// # Errors
    /// The answer does not count, and why.
    ///
    /// Dropping the future leaves open whether the answer counted.
    fn respond(
        &self,
        session_id: i64,
        tool_use_id: &str,
        answers: Vec<QuestionAnswer>,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;

    /// Says that nobody will answer a prompt of whatever kind, by its call or its id. The agent
    /// goes on, and reads why where the CLI has a place for a reason: with tools and questions.
    ///
    /// # Errors
    /// The answer does not count, and why.
    ///
    /// Dropping the future leaves open whether the answer counted.
    fn decline(
        &self,
        session_id: i64,
        prompt: &str,
        reason: &str,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>>;
}

/// A permission that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingPermission {
    /// The call.
    pub tool_use_id: String,
    /// The prompt, as other messages call it.
    pub prompt_id: PromptId,
    /// What it wants.
    pub request: PermissionRequest,
    /// The batch that it was asked in, and its place there.
    pub batch: Option<BatchPlace>,
    /// When it is denied for want of an answer, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}

/// Questions that wait.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PendingInteraction {
    /// The call.
    pub tool_use_id: String,
    /// The prompt, as other messages call it.
    pub prompt_id: PromptId,
    /// What it asks.
    pub request: AskUserQuestionsRequest,
    /// When it is declined for want of an answer, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}

/// Something else that waits for a person.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingPrompt {
    /// The prompt; the answer names it.
    pub prompt_id: PromptId,
    /// What is asked for.
    pub kind: PromptKind,
    /// What the CLI asks, as it came.
    pub request: Json,
    /// When it is declined for want of an answer, in milliseconds since 1970.
    pub expires_at_ms: Option<i64>,
}
