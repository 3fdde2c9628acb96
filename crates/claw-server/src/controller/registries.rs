//! The registries of a controller, which reach its sessions directly.

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Json;

use super::Controller;
use super::clock::now_ms;
use super::command::{Command, InteractionRef};
use crate::event::{Interaction, InteractionKind};
use crate::grants::Grant;
use crate::interactions::AnswerRefused;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::registry::{
    Answer, PendingInteraction, PendingPermission, PendingQuestions, PermissionRegistry,
    PermissionResponse, QuestionAnswer, UserInteractionRegistry,
};
use crate::ui_message::BatchPlace;

impl Controller {
    /// Answers several interactions of one session together.
    pub(super) async fn answer_all(
        &self,
        session_id: i64,
        answers: Vec<(InteractionRef, Answer, Option<String>)>,
    ) -> Vec<Result<(), AnswerRefused>> {
        let count = answers.len();
        let command = |reply| Command::Answer { answers, reply };
        let results = self.send_command(session_id, command).await;
        results.unwrap_or_else(|_| vec![Err(AnswerRefused::NoSession); count])
    }

    async fn answer_one(
        &self,
        session_id: i64,
        named: String,
        reply: Answer,
        by: Option<String>,
    ) -> Result<(), AnswerRefused> {
        let answers = vec![(InteractionRef::Named(named), reply, by)];
        let results = self.answer_all(session_id, answers).await;
        let first = results.into_iter().next();
        first.unwrap_or(Err(AnswerRefused::NoSession))
    }

    async fn open_interactions(
        &self,
        session_id: i64,
        is_meant: fn(&InteractionKind) -> bool,
    ) -> Vec<Interaction> {
        let command = |reply| Command::Pending { reply };
        let mut open = self
            .send_command(session_id, command)
            .await
            .unwrap_or_default();
        open.retain(|interaction| is_meant(&interaction.kind));
        open
    }
}

/// Permissions, and plans, which are asked for with the same message.
fn is_permission(kind: &InteractionKind) -> bool {
    matches!(kind, InteractionKind::Permission | InteractionKind::Plan)
}

fn is_question(kind: &InteractionKind) -> bool {
    *kind == InteractionKind::Question
}

impl PermissionRegistry for Controller {
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingPermission>> {
        Box::pin(async move {
            let open = self.open_interactions(session_id, is_permission).await;
            open.into_iter()
                .map(|interaction| PendingPermission {
                    request: PermissionRequest::of_interaction(&interaction),
                    tool_use_id: interaction.name().to_owned(),
                    batch: BatchPlace::of(&interaction),
                    expires_at_ms: interaction.expires_at_ms,
                    interaction_id: interaction.id,
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
        let reply = Answer::Permission(response);
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
            let named = InteractionRef::InBatch { batch, index };
            (named, Answer::Permission(response), by)
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
    fn pending(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingQuestions>> {
        Box::pin(async move {
            let open = self.open_interactions(session_id, is_question).await;
            open.into_iter()
                .map(|interaction| PendingQuestions {
                    request: AskUserQuestionsRequest::of_interaction(&interaction),
                    tool_use_id: interaction.name().to_owned(),
                    expires_at_ms: interaction.expires_at_ms,
                    interaction_id: interaction.id,
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
        Box::pin(self.answer_one(session_id, named, Answer::Answers(answers), by))
    }

    fn pending_interactions(&self, session_id: i64) -> BoxFuture<'_, Vec<PendingInteraction>> {
        Box::pin(async move {
            let is_other = |kind: &InteractionKind| !is_permission(kind) && !is_question(kind);
            let open = self.open_interactions(session_id, is_other).await;
            open.into_iter()
                .map(|interaction| PendingInteraction {
                    interaction_id: interaction.id,
                    kind: interaction.kind,
                    request: interaction.request,
                    expires_at_ms: interaction.expires_at_ms,
                })
                .collect()
        })
    }

    fn respond_to_interaction(
        &self,
        session_id: i64,
        interaction_id: &str,
        answer: Json,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let (named, by) = (interaction_id.to_owned(), by.map(str::to_owned));
        Box::pin(self.answer_one(session_id, named, Answer::Json(answer), by))
    }

    fn decline(
        &self,
        session_id: i64,
        interaction: &str,
        reason: &str,
        by: Option<&str>,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let (named, by) = (interaction.to_owned(), by.map(str::to_owned));
        let reply = Answer::Decline(reason.to_owned());
        Box::pin(self.answer_one(session_id, named, reply, by))
    }
}
