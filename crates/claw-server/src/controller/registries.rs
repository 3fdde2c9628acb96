//! The registries of a controller, which reach its sessions directly.

use rusty_claw::BoxFuture;
use rusty_claw_protocol::Json;

use super::clock::now_ms;
use super::command::{Command, GrantChange, InteractionRef};
use super::{Controller, ControllerError};
use crate::event::{Interaction, InteractionKind};
use crate::grants::{Grant, GrantScope};
use crate::interactions::AnswerRefused;
use crate::permission::PermissionRequest;
use crate::question::AskUserQuestionsRequest;
use crate::registry::{
    Answer, Answerer, PendingInteraction, PendingPermission, PendingQuestions, PermissionRegistry,
    PermissionResponse, QuestionAnswer, UserInteractionRegistry,
};
use crate::session_id::SessionId;
use crate::ui_message::BatchPlace;

impl Controller {
    /// Answers several interactions of one session together.
    pub(super) async fn answer_all(
        &self,
        session_id: SessionId,
        answers: Vec<(InteractionRef, Answer, Answerer)>,
    ) -> Vec<Result<(), AnswerRefused>> {
        let count = answers.len();
        let command = |reply| Command::Answer { answers, reply };
        let results = self.send_command(session_id, command).await;
        results.unwrap_or_else(|_| vec![Err(AnswerRefused::NoSession); count])
    }

    async fn answer_one(
        &self,
        session_id: SessionId,
        named: String,
        reply: Answer,
        answerer: Answerer,
    ) -> Result<(), AnswerRefused> {
        let answers = vec![(InteractionRef::Named(named), reply, answerer)];
        let results = self.answer_all(session_id, answers).await;
        let first = results.into_iter().next();
        first.unwrap_or(Err(AnswerRefused::NoSession))
    }

    fn change_grant(
        &self,
        tenant: &str,
        session_id: SessionId,
        change: GrantChange,
    ) -> impl Future<Output = Result<bool, ControllerError>> + use<'_> {
        let handle = self.shared.handle(session_id);
        let is_own = handle.is_some_and(|handle| *handle.tenant == *tenant);
        async move {
            if !is_own {
                return Err(ControllerError::NoSession { session_id });
            }
            let command = |reply| Command::Grant { change, reply };
            self.send_command(session_id, command).await
        }
    }

    /// Returns the interactions of a session that wait for an answer.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn open_interactions(
        &self,
        session_id: SessionId,
    ) -> Result<Vec<Interaction>, ControllerError> {
        let command = |reply| Command::Pending { reply };
        self.send_command(session_id, command).await
    }

    async fn open_of_kind(
        &self,
        session_id: SessionId,
        is_meant: fn(&InteractionKind) -> bool,
    ) -> Vec<Interaction> {
        let open = self.open_interactions(session_id).await;
        let mut open = open.unwrap_or_default();
        open.retain(|interaction| is_meant(&interaction.kind));
        open
    }
}

fn answerer(response: &PermissionResponse) -> Answerer {
    Answerer {
        by: response.by.clone(),
        key: response.key.clone(),
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
    fn pending(&self, session_id: SessionId) -> BoxFuture<'_, Vec<PendingPermission>> {
        Box::pin(async move {
            let open = self.open_of_kind(session_id, is_permission).await;
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
        session_id: SessionId,
        tool_use_id: &str,
        response: PermissionResponse,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let named = tool_use_id.to_owned();
        let answerer = answerer(&response);
        let reply = Answer::Permission(response);
        Box::pin(self.answer_one(session_id, named, reply, answerer))
    }

    fn respond_to_batch(
        &self,
        session_id: SessionId,
        batch_id: &str,
        responses: Vec<(u32, PermissionResponse)>,
    ) -> BoxFuture<'_, Vec<Result<(), AnswerRefused>>> {
        let answers = responses.into_iter().map(|(index, response)| {
            let batch = batch_id.to_owned();
            let answerer = answerer(&response);
            let named = InteractionRef::InBatch { batch, index };
            (named, Answer::Permission(response), answerer)
        });
        Box::pin(self.answer_all(session_id, answers.collect()))
    }

    fn grant(&self, tenant: &str, grant: Grant) -> BoxFuture<'_, Result<(), ControllerError>> {
        let GrantScope::Session(session_id) = grant.scope else {
            self.shared.grants.add(tenant, grant);
            return Box::pin(std::future::ready(Ok(())));
        };
        let changed = self.change_grant(tenant, session_id, GrantChange::Add(grant));
        Box::pin(async move { changed.await.map(|_| ()) })
    }

    fn revoke(&self, tenant: &str, grant: &Grant) -> BoxFuture<'_, Result<bool, ControllerError>> {
        let GrantScope::Session(session_id) = grant.scope else {
            let existed = self.shared.grants.remove(tenant, grant);
            return Box::pin(std::future::ready(Ok(existed)));
        };
        let change = GrantChange::Remove(grant.clone());
        Box::pin(self.change_grant(tenant, session_id, change))
    }

    fn grants(&self, tenant: &str) -> BoxFuture<'_, Vec<Grant>> {
        let grants = self.shared.grants.list(tenant, now_ms());
        Box::pin(std::future::ready(grants))
    }
}

impl UserInteractionRegistry for Controller {
    fn pending(&self, session_id: SessionId) -> BoxFuture<'_, Vec<PendingQuestions>> {
        Box::pin(async move {
            let open = self.open_of_kind(session_id, is_question).await;
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
        session_id: SessionId,
        tool_use_id: &str,
        answers: Vec<QuestionAnswer>,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let named = tool_use_id.to_owned();
        Box::pin(self.answer_one(session_id, named, Answer::Answers(answers), answerer))
    }

    fn pending_interactions(
        &self,
        session_id: SessionId,
    ) -> BoxFuture<'_, Vec<PendingInteraction>> {
        Box::pin(async move {
            let is_other = |kind: &InteractionKind| !is_permission(kind) && !is_question(kind);
            let open = self.open_of_kind(session_id, is_other).await;
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
        session_id: SessionId,
        interaction_id: &str,
        answer: Json,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let named = interaction_id.to_owned();
        Box::pin(self.answer_one(session_id, named, Answer::Json(answer), answerer))
    }

    fn decline(
        &self,
        session_id: SessionId,
        interaction: &str,
        reason: &str,
        answerer: Answerer,
    ) -> BoxFuture<'_, Result<(), AnswerRefused>> {
        let named = interaction.to_owned();
        let reply = Answer::Decline(reason.to_owned());
        Box::pin(self.answer_one(session_id, named, reply, answerer))
    }
}
