//! The registries of a process: they reach its sessions directly.

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Json;
use tokio::sync::oneshot;

use super::Controller;
use super::command::{Command, PromptRef};
use super::recorder::now_ms;
use crate::event::{AskedPrompt, PromptKind};
use crate::grants::Grant;
use crate::permission::PermissionRequest;
use crate::prompts::AnswerRefused;
use crate::question::AskUserQuestionsRequest;
use crate::registry::{
    PendingInteraction, PendingPermission, PendingPrompt, PermissionRegistry, PermissionResponse,
    PromptReply, QuestionAnswer, UserInteractionRegistry,
};
use crate::ui_message::BatchPlace;

impl Controller {
    /// Answers prompts of one session, all at once.
    pub(super) async fn answer_all(
        &self,
        session_id: i64,
        answers: Vec<(PromptRef, PromptReply, Option<String>)>,
    ) -> Vec<Result<(), AnswerRefused>> {
        let count = answers.len();
        let (reply, told) = oneshot::channel();
        let command = Command::Answer { answers, reply };
        if self.tell(session_id, command).await.is_ok()
            && let Ok(results) = told.await
        {
            return results;
        }
        vec![Err(AnswerRefused::NoSession); count]
    }

    async fn answer_one(
        &self,
        session_id: i64,
        named: String,
        reply: PromptReply,
        by: Option<String>,
    ) -> Result<(), AnswerRefused> {
        let answers = vec![(PromptRef::Named(named), reply, by)];
        let results = self.answer_all(session_id, answers).await;
        results
            .into_iter()
            .next()
            .unwrap_or(Err(AnswerRefused::NoSession))
    }

    /// The prompts of a session that wait and are of these kinds.
    async fn open_prompts(
        &self,
        session_id: i64,
        is_meant: fn(&PromptKind) -> bool,
    ) -> Vec<AskedPrompt> {
        let (reply, told) = oneshot::channel();
        let command = Command::Pending { reply };
        if self.tell(session_id, command).await.is_err() {
            return Vec::new();
        }
        let mut open = told.await.unwrap_or_default();
        open.retain(|prompt| is_meant(&prompt.kind));
        open
    }
}

/// Permissions, and plans, which the document asks for in the same message.
fn is_permission(kind: &PromptKind) -> bool {
    matches!(kind, PromptKind::Permission | PromptKind::Plan)
}

fn is_question(kind: &PromptKind) -> bool {
    *kind == PromptKind::Question
}

impl PermissionRegistry for Controller {
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPermission>> {
        Box::pin(async move {
            let open = self.open_prompts(session_id, is_permission).await;
            open.into_iter()
                .map(|prompt| PendingPermission {
                    request: PermissionRequest::of_prompt(&prompt),
                    tool_use_id: call_of(&prompt),
                    batch: BatchPlace::of(&prompt),
                    expires_at_ms: prompt.expires_at_ms,
                    prompt_id: prompt.id,
                })
                .collect()
        })
    }

    fn respond(
        &self,
        session_id: i64,
        tool_use_id: &str,
        response: PermissionResponse,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let named = tool_use_id.to_owned();
        let by = response.by.clone();
        let reply = PromptReply::Permission(response);
        Box::pin(self.answer_one(session_id, named, reply, by))
    }

    fn respond_to_batch(
        &self,
        session_id: i64,
        batch_id: &str,
        responses: Vec<(u32, PermissionResponse)>,
    ) -> BoxFuture<'_, Vec<Result<(), AnswerRefused>>> {
        let answers = responses.into_iter().map(|(index, response)| {
            let batch = batch_id.to_owned();
            let by = response.by.clone();
            let named = PromptRef::InBatch { batch, index };
            (named, PromptReply::Permission(response), by)
        });
        Box::pin(self.answer_all(session_id, answers.collect()))
    }

    fn grant(&self, tenant: &str, grant: Grant) -> BoxFuture<'_, ()> {
        self.shared.grants.add(tenant, grant);
        Box::pin(std::future::ready(()))
    }

    fn revoke(&self, tenant: &str, grant: &Grant) -> BoxFuture<'_, bool> {
        let there_was = self.shared.grants.remove(tenant, grant);
        Box::pin(std::future::ready(there_was))
    }

    fn grants(&self, tenant: &str) -> BoxFuture<'_, Vec<Grant>> {
        let grants = self.shared.grants.list(tenant, now_ms());
        Box::pin(std::future::ready(grants))
    }
}

impl UserInteractionRegistry for Controller {
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingInteraction>> {
        Box::pin(async move {
            let open = self.open_prompts(session_id, is_question).await;
            open.into_iter()
                .map(|prompt| PendingInteraction {
                    request: AskUserQuestionsRequest::of_prompt(&prompt),
                    tool_use_id: call_of(&prompt),
                    expires_at_ms: prompt.expires_at_ms,
                    prompt_id: prompt.id,
                })
                .collect()
        })
    }

    fn respond(
        &self,
        session_id: i64,
        tool_use_id: &str,
        answers: Vec<QuestionAnswer>,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let (named, by) = (tool_use_id.to_owned(), by.map(str::to_owned));
        Box::pin(self.answer_one(session_id, named, PromptReply::Answers(answers), by))
    }

    fn pending_prompts(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPrompt>> {
        Box::pin(async move {
            let is_other = |kind: &PromptKind| !is_permission(kind) && !is_question(kind);
            let open = self.open_prompts(session_id, is_other).await;
            open.into_iter()
                .map(|prompt| PendingPrompt {
                    prompt_id: prompt.id,
                    kind: prompt.kind,
                    request: prompt.request,
                    expires_at_ms: prompt.expires_at_ms,
                })
                .collect()
        })
    }

    fn respond_to_prompt(
        &self,
        session_id: i64,
        prompt_id: &str,
        answer: Json,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let (named, by) = (prompt_id.to_owned(), by.map(str::to_owned));
        Box::pin(self.answer_one(session_id, named, PromptReply::Json(answer), by))
    }

    fn decline(
        &self,
        session_id: i64,
        prompt: &str,
        reason: &str,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let (named, by) = (prompt.to_owned(), by.map(str::to_owned));
        let reply = PromptReply::Decline(reason.to_owned());
        Box::pin(self.answer_one(session_id, named, reply, by))
    }
}

fn call_of(prompt: &AskedPrompt) -> String {
    prompt.name().to_owned()
}
