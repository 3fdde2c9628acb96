//! Decides requests of the CLI by policy, by grants, or by asking a person.
//!
//! This runs in the tasks of the SDK, beside the loop of the session, because a policy may take
//! long, and a person much longer.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusty_claw::Options;
use rusty_claw::control::messages::{
    ControlRequest, DecisionReasonType, Elicitation, RequestUserDialog,
};
use rusty_claw::dialog::{DialogAnswer, DialogAsk, REFUSAL_FALLBACK_PROMPT};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::permission::rules::PathContext;
use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk};
use rusty_claw_protocol::Json;
use tokio::sync::{mpsc, oneshot};

use super::cli_requests::{CancelFlag, CliRequest};
use super::clock::now_ms;
use super::grant_book::GrantBook;
use super::policy_runner::PolicyRunner;
use crate::event::{Interaction, InteractionId, InteractionKind};
use crate::grants::{Grant, PermissionPolicy, PolicyDecision, PolicyRequest};
use crate::permission::PermissionRequest;
use crate::registry::CliResponse;
use crate::session_id::SessionId;

/// Handles requests of the CLI: decides by policy and grants, or asks a person.
pub(super) struct PermissionBridge {
    pub(super) session_id: SessionId,
    pub(super) tenant: String,
    pub(super) policy: Arc<dyn PermissionPolicy>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) path_context: PathContext,
    pub(super) folder: PathBuf,
    pub(super) policy_runner: Arc<PolicyRunner>,
    pub(super) policy_timeout: Duration,
    pub(super) asks: mpsc::Sender<CliRequest>,
}

impl PermissionBridge {
    /// Registers this as the handler of the CLI's requests. They have time limits of their own, so
    /// the SDK sets none.
    pub(super) fn serve(self, options: Options) -> Options {
        let tools = Arc::new(self);
        let (servers, dialogs) = (Arc::clone(&tools), Arc::clone(&tools));
        options
            .permission_timeout(None)
            .elicitation_timeout(None)
            .dialog_timeout(None)
            .can_use_tool(move |ask| Arc::clone(&tools).permission(ask))
            .on_elicitation(move |ask| Arc::clone(&servers).elicitation(ask))
            .on_user_dialog([REFUSAL_FALLBACK_PROMPT], move |ask| {
                Arc::clone(&dialogs).dialog(ask)
            })
    }

    async fn permission(self: Arc<Self>, ask: PermissionAsk) -> PermissionAnswer {
        let ticket = ask.order();
        let interaction = of_permission(&ask);
        let decided = Arc::clone(&self).decided(&interaction, for_a_person(&ask));
        let Decided { decision, by } = decided.await;
        let answer = match decision {
            PolicyDecision::Allow => PermissionAnswer::allow(),
            PolicyDecision::Deny { reason } => PermissionAnswer::deny(reason),
            PolicyDecision::AskUser => {
                let cancelled = CancelFlag::when(move || ask.is_cancelled());
                return match self.ask(ticket, interaction, cancelled).await {
                    Some(CliResponse::Permission(answer)) => answer,
                    _ => PermissionAnswer::deny("The session ended before anybody answered"),
                };
            }
        };
        let (stored, is_stored) = oneshot::channel();
        let decided = CliRequest::Decided {
            interaction: Box::new(interaction),
            response: CliResponse::Permission(answer),
            by,
            stored,
        };
        let _ = self.asks.send(decided).await;
        match is_stored.await {
            Ok(CliResponse::Permission(answer)) => answer,
            _ => PermissionAnswer::deny("The session ended before this was decided"),
        }
    }

    async fn elicitation(self: Arc<Self>, ask: ElicitationAsk) -> ElicitationAnswer {
        let ticket = ask.order();
        let interaction = of_elicitation(ask.request(), ticket);
        let cancelled = CancelFlag::when(move || ask.is_cancelled());
        match self.ask_a_person(ticket, interaction, cancelled).await {
            Some(CliResponse::Elicitation(answer)) => answer.into(),
            _ => ElicitationAnswer::decline(),
        }
    }

    async fn dialog(self: Arc<Self>, ask: DialogAsk) -> DialogAnswer {
        let ticket = ask.order();
        let interaction = of_dialog(ask.request(), ticket);
        let cancelled = CancelFlag::when(move || ask.is_cancelled());
        match self.ask_a_person(ticket, interaction, cancelled).await {
            Some(CliResponse::Dialog(answer)) => answer.into(),
            _ => DialogAnswer::cancelled(),
        }
    }

    /// Runs [`PermissionBridge::decide`] on a blocking thread: policies read files.
    async fn decided(self: Arc<Self>, interaction: &Interaction, needs_person: bool) -> Decided {
        let (interaction, limit) = (interaction.clone(), self.policy_timeout);
        let (policy_runner, tenant) = (Arc::clone(&self.policy_runner), self.tenant.clone());
        let decide = move || self.decide(&interaction, needs_person);
        policy_runner.decide(&tenant, limit, decide).await
    }

    /// Decides without a person. Neither a policy nor a grant can allow what needs a person.
    fn decide(&self, interaction: &Interaction, needs_person: bool) -> Decided {
        let request = PermissionRequest::of_interaction(interaction);
        let (session_id, path_context) = (self.session_id, &self.path_context);
        let asked = PolicyRequest::new(&request, session_id, path_context, now_ms())
            .interaction(interaction)
            .folder(&self.folder);
        let decision = match self.policy.decide(&asked) {
            PolicyDecision::AskUser if !needs_person => {
                if let Some(grant) = self.grants.covering(&self.tenant, &asked) {
                    return Decided::by_grant(&grant);
                }
                PolicyDecision::AskUser
            }
            PolicyDecision::Allow if needs_person => PolicyDecision::AskUser,
            other => other,
        };
        if decision == PolicyDecision::AskUser && !self.policy.supports_interaction() {
            let reason = "Only a person can answer this, and none can be asked".to_owned();
            return PolicyDecision::Deny { reason }.into();
        }
        decision.into()
    }

    async fn ask_a_person(
        &self,
        ticket: u64,
        interaction: Interaction,
        cancelled: CancelFlag,
    ) -> Option<CliResponse> {
        if !self.policy.supports_interaction() {
            return None;
        }
        self.ask(ticket, interaction, cancelled).await
    }

    /// Waits for an answer. Dropping the future withdraws the interaction.
    async fn ask(
        &self,
        ticket: u64,
        interaction: Interaction,
        cancelled: CancelFlag,
    ) -> Option<CliResponse> {
        let (reply, response) = oneshot::channel();
        let asked = CliRequest::Ask {
            ticket,
            interaction: Box::new(interaction),
            reply,
            cancelled: cancelled.clone(),
        };
        // Reserve capacity for the cancellation now: it is sent from a drop, which cannot wait.
        let mut withdrawal = Withdrawal {
            permit: self.asks.clone().reserve_owned().await.ok(),
            ticket,
            cancelled,
        };
        self.asks.send(asked).await.ok()?;
        let response = response.await;
        withdrawal.permit = None;
        response.ok()
    }
}

/// Whether only a person may allow it: questions, plans, and requests that the CLI itself advises
/// to deny.
fn for_a_person(ask: &PermissionAsk) -> bool {
    let reason = ask.decision_reason_type();
    ask.needs_person() || ask.default_to_no() || reason == Some(&DecisionReasonType::SafetyCheck)
}

/// Creates the interaction of a permission request.
pub(super) fn of_permission(ask: &PermissionAsk) -> Interaction {
    let kind = match ask.kind() {
        AskKind::Question(_) => InteractionKind::Question,
        AskKind::Plan(_) => InteractionKind::Plan,
        _ => InteractionKind::Permission,
    };
    let call = ask.tool_use_id().as_str();
    let body = ControlRequest::CanUseTool(Box::new(ask.request().clone()));
    let mut interaction = interaction(kind, ask.order(), call, &body);
    interaction.tool_use_id = Some(call.to_owned()).filter(|call| !call.is_empty());
    interaction.tool_name = Some(ask.tool_name().to_owned());
    interaction
}

/// Creates the interaction of an elicitation.
pub(super) fn of_elicitation(request: &Elicitation, ticket: u64) -> Interaction {
    let body = ControlRequest::Elicitation(Box::new(request.clone()));
    interaction(InteractionKind::Elicitation, ticket, "", &body)
}

/// Creates the interaction of a dialog.
pub(super) fn of_dialog(request: &RequestUserDialog, ticket: u64) -> Interaction {
    let body = ControlRequest::RequestUserDialog(request.clone());
    let mut interaction = interaction(InteractionKind::Dialog, ticket, "", &body);
    let call = request.tool_use_id.as_ref();
    interaction.tool_use_id = call.map(|id| id.as_str().to_owned());
    interaction
}

/// Creates an interaction. Its id is that of the call; without a call, it is numbered.
fn interaction(
    kind: InteractionKind,
    ticket: u64,
    call: &str,
    body: &ControlRequest,
) -> Interaction {
    let id = match call {
        "" => InteractionId::new(format!("{}-{ticket}", kind.as_str().to_lowercase())),
        call => InteractionId::new(call),
    };
    let request = Json::from_serialize(body).unwrap_or_default();
    Interaction::new(id, kind, request)
}

/// Reports that the CLI no longer waits, unless the request was answered.
struct Withdrawal {
    /// Reserved capacity for the report; `None` once the request was answered.
    permit: Option<mpsc::OwnedPermit<CliRequest>>,
    ticket: u64,
    cancelled: CancelFlag,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        // If it is dropped without being cancelled, the process is gone. The end of the session
        // then closes open requests.
        if self.cancelled.is_true() {
            let ticket = self.ticket;
            permit.send(CliRequest::Withdrawn { ticket });
        } else {
            self.cancelled.is_abandoned.store(true, Ordering::Release);
        }
    }
}

/// A decision, and the policy or grant that made it.
struct Decided {
    decision: PolicyDecision,
    by: String,
}

impl From<PolicyDecision> for Decided {
    fn from(decision: PolicyDecision) -> Self {
        let by = "policy".to_owned();
        Self { decision, by }
    }
}

impl Decided {
    fn by_grant(grant: &Grant) -> Self {
        Self {
            decision: PolicyDecision::Allow,
            by: format!("policy: grant of {}", grant.target),
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw::control::messages::CanUseTool;

    use super::*;
    use crate::grants::PolicyRequest;

    struct Always(PolicyDecision);

    impl PermissionPolicy for Always {
        fn decide(&self, _asked: &PolicyRequest<'_>) -> PolicyDecision {
            self.0.clone()
        }
    }

    fn bridge(decision: PolicyDecision, asks: mpsc::Sender<CliRequest>) -> Arc<PermissionBridge> {
        Arc::new(PermissionBridge {
            session_id: SessionId::from(1),
            tenant: String::new(),
            policy: Arc::new(Always(decision)),
            grants: Arc::default(),
            path_context: PathContext::new("/srv/app"),
            folder: "/srv/app".into(),
            policy_runner: Arc::default(),
            policy_timeout: Duration::from_secs(20),
            asks,
        })
    }

    async fn answer_of(bridge: Arc<PermissionBridge>) -> PermissionAnswer {
        let request = Json::from_text(r#"{"tool_name":"Bash","input":{"command":"ls"}}"#);
        let request = request.unwrap().view::<CanUseTool>().unwrap();
        bridge.permission(PermissionAsk::new(request)).await
    }

    /// The answer when the loop of the session has ended.
    async fn answer(decision: PolicyDecision) -> PermissionAnswer {
        let (asks, _) = mpsc::channel(1);
        answer_of(bridge(decision, asks)).await
    }

    // The paused clock advances only when all tasks are idle: a timeout means no progress.
    #[tokio::test(start_paused = true)]
    async fn a_full_queue_makes_requests_wait_and_loses_none() {
        let nothing = Duration::from_secs(3600);
        let allow = || CliResponse::Permission(PermissionAnswer::allow());
        // Capacity for one request and its withdrawal.
        let (asks, mut queue) = mpsc::channel(2);
        let asked = bridge(PolicyDecision::AskUser, asks.clone());
        let (one, two) = (answer_of(Arc::clone(&asked)), answer_of(asked));
        let (one, two) = (tokio::spawn(one), tokio::spawn(two));
        let Some(CliRequest::Ask { reply, .. }) = queue.recv().await else {
            panic!("a request is first")
        };
        assert!(tokio::time::timeout(nothing, queue.recv()).await.is_err());
        assert!(!one.is_finished() && !two.is_finished());
        reply.send(allow()).unwrap();
        let Some(CliRequest::Ask { reply, .. }) = queue.recv().await else {
            panic!("the other request is next")
        };
        reply.send(allow()).unwrap();
        assert!(one.await.unwrap().is_allow() && two.await.unwrap().is_allow());

        // A policy decision waits too: the CLI receives it only when it is stored.
        let permits = asks.reserve_many(2).await.unwrap();
        let decided = tokio::spawn(answer_of(bridge(PolicyDecision::Allow, asks.clone())));
        assert!(tokio::time::timeout(nothing, queue.recv()).await.is_err());
        assert!(!decided.is_finished());
        drop(permits);
        let Some(CliRequest::Decided { stored, .. }) = queue.recv().await else {
            panic!("the decision is next")
        };
        stored.send(allow()).unwrap();
        assert!(decided.await.unwrap().is_allow());
    }

    #[tokio::test]
    async fn a_session_that_has_ended_allows_nothing() {
        assert!(!answer(PolicyDecision::AskUser).await.is_allow());
        // The loop has ended, so the decision cannot be stored.
        assert!(!answer(PolicyDecision::Allow).await.is_allow());
    }
}
