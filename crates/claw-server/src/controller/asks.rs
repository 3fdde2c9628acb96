//! What the CLI asks, on its way to a person.
//!
//! This runs beside the session's loop, in the SDK's own tasks: a policy may take its time here,
//! and a person much more.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rusty_claw::Options;
use rusty_claw::control::messages::{ControlRequest, DecisionReasonType};
use rusty_claw::dialog::{DialogAnswer, DialogAsk, REFUSAL_FALLBACK_PROMPT};
use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk};
use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control;
use tokio::sync::{mpsc, oneshot};

use super::deciding::Deciding;
use super::grant_book::GrantBook;
use super::recorder::now_ms;
use crate::event::{AskedPrompt, PromptId, PromptKind};
use crate::grants::{Asked, PermissionPolicy, PolicyDecision};
use crate::permission::PermissionRequest;
use crate::registry::permission_answer;
use crate::rules::Surroundings;

/// Capacity of the queue of requests to the session's loop. If it is full, callbacks of the SDK
/// wait. The SDK serves at most 1,024 requests at a time and refuses the rest.
pub(super) const QUEUE: usize = 4096;

/// Something that the CLI wants to know, for the session's loop.
#[derive(Debug)]
pub(super) enum FromCli {
    /// A person is to be asked.
    Asked {
        ticket: u64,
        prompt: Box<AskedPrompt>,
        /// What the CLI is to be told. Dropped, it is a no.
        reply: oneshot::Sender<Json>,
        is_taken_back: TakenBack,
    },
    /// A policy answered; it is to be written down before the CLI learns it.
    Decided {
        id: PromptId,
        told: Json,
        stored: oneshot::Sender<()>,
    },
    /// The CLI does not wait for the answer any more.
    Withdrawn { ticket: u64 },
}

/// Says whether the CLI has taken its question back. It says so before it prints anything more,
/// and so before the news of it gets here another way.
#[derive(Clone)]
pub(super) struct TakenBack {
    is_cancelled: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The process is gone, and nobody took anything back.
    is_abandoned: Arc<AtomicBool>,
}

impl TakenBack {
    pub(super) fn when(is_cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self {
            is_cancelled: Arc::new(is_cancelled),
            is_abandoned: Arc::default(),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        (self.is_cancelled)() && !self.is_abandoned.load(Ordering::Acquire)
    }
}

impl std::fmt::Debug for TakenBack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TakenBack").field(&self.is_true()).finish()
    }
}

/// Where the CLI's questions come in.
pub(super) struct Door {
    pub(super) session_id: i64,
    pub(super) tenant: String,
    pub(super) policy: Arc<dyn PermissionPolicy>,
    pub(super) grants: Arc<GrantBook>,
    pub(super) surroundings: Surroundings,
    pub(super) folder: PathBuf,
    pub(super) deciding: Arc<Deciding>,
    /// How long a decision may take.
    pub(super) policy_timeout: Duration,
    pub(super) asks: mpsc::Sender<FromCli>,
}

impl Door {
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
        let kind = match ask.kind() {
            AskKind::Question(_) => PromptKind::Question,
            AskKind::Plan(_) => PromptKind::Plan,
            _ => PromptKind::Permission,
        };
        let call = ask.tool_use_id().as_str();
        let body = ControlRequest::CanUseTool(Box::new(ask.request().clone()));
        let mut prompt = prompt(kind, ticket, call, &body);
        prompt.tool_use_id = Some(call.to_owned()).filter(|call| !call.is_empty());
        prompt.tool_name = Some(ask.tool_name().to_owned());
        let answer = match Arc::clone(&self).decided(&prompt, for_a_person(&ask)).await {
            PolicyDecision::Allow => PermissionAnswer::allow(),
            PolicyDecision::Deny { reason } => PermissionAnswer::deny(reason),
            PolicyDecision::AskUser => {
                let taken_back = TakenBack::when(move || ask.is_cancelled());
                return match self.ask(ticket, prompt, taken_back).await {
                    Some(told) => permission_answer(&told),
                    None => PermissionAnswer::deny("The session ended before anybody answered"),
                };
            }
        };
        let told = Json::from_serialize(answer.result()).unwrap_or_default();
        let (stored, is_stored) = oneshot::channel();
        let id = prompt.id;
        let _ = self.asks.send(FromCli::Decided { id, told, stored }).await;
        match is_stored.await {
            Ok(()) => answer,
            Err(_) => PermissionAnswer::deny("The session ended before this was decided"),
        }
    }

    async fn elicitation(self: Arc<Self>, ask: ElicitationAsk) -> ElicitationAnswer {
        let ticket = ask.order();
        let body = ControlRequest::Elicitation(Box::new(ask.request().clone()));
        let prompt = prompt(PromptKind::Elicitation, ticket, "", &body);
        let taken_back = TakenBack::when(move || ask.is_cancelled());
        let told = self.ask_a_person(ticket, prompt, taken_back).await;
        match told.and_then(|told| told.view::<control::ElicitationAnswer>()) {
            Some(answer) => answer.into(),
            None => ElicitationAnswer::decline(),
        }
    }

    async fn dialog(self: Arc<Self>, ask: DialogAsk) -> DialogAnswer {
        let ticket = ask.order();
        let body = ControlRequest::RequestUserDialog(ask.request().clone());
        let mut prompt = prompt(PromptKind::Dialog, ticket, "", &body);
        prompt.tool_use_id = ask.tool_use_id().map(|id| id.as_str().to_owned());
        let taken_back = TakenBack::when(move || ask.is_cancelled());
        let told = self.ask_a_person(ticket, prompt, taken_back).await;
        match told.and_then(|told| told.view::<control::DialogAnswer>()) {
            Some(answer) => answer.into(),
            None => DialogAnswer::cancelled(),
        }
    }

    /// The same as [`Door::decide`], where it may take its time: policies look at files.
    async fn decided(self: Arc<Self>, prompt: &AskedPrompt, needs_person: bool) -> PolicyDecision {
        let (prompt, limit) = (prompt.clone(), self.policy_timeout);
        let (deciding, tenant) = (Arc::clone(&self.deciding), self.tenant.clone());
        let decide = move || self.decide(&prompt, needs_person);
        deciding.decide(&tenant, limit, decide).await
    }

    /// What is decided without a person. Neither a rule nor a grant says yes to what is for a
    /// person.
    fn decide(&self, prompt: &AskedPrompt, needs_person: bool) -> PolicyDecision {
        let request = PermissionRequest::of_prompt(prompt);
        let (session_id, surroundings) = (self.session_id, &self.surroundings);
        let asked = Asked::new(&request, session_id, surroundings, now_ms())
            .prompt(prompt)
            .folder(&self.folder);
        let decision = match self.policy.decide(&asked) {
            PolicyDecision::AskUser
                if !needs_person && self.grants.covers(&self.tenant, &asked) =>
            {
                PolicyDecision::Allow
            }
            PolicyDecision::Allow if needs_person => PolicyDecision::AskUser,
            other => other,
        };
        if decision == PolicyDecision::AskUser && !self.policy.supports_interaction() {
            return PolicyDecision::Deny {
                reason: "This needs a person's answer, and nobody is there to ask".to_owned(),
            };
        }
        decision
    }

    async fn ask_a_person(
        &self,
        ticket: u64,
        prompt: AskedPrompt,
        is_taken_back: TakenBack,
    ) -> Option<Json> {
        if !self.policy.supports_interaction() {
            return None;
        }
        self.ask(ticket, prompt, is_taken_back).await
    }

    /// Waits for a person. Dropping the future withdraws the prompt.
    async fn ask(
        &self,
        ticket: u64,
        prompt: AskedPrompt,
        is_taken_back: TakenBack,
    ) -> Option<Json> {
        let (reply, told) = oneshot::channel();
        let asked = FromCli::Asked {
            ticket,
            prompt: Box::new(prompt),
            reply,
            is_taken_back: is_taken_back.clone(),
        };
        // Reserve capacity for the cancellation now: it is sent from a drop, which cannot wait.
        let mut withdrawal = Withdrawal {
            place: self.asks.clone().reserve_owned().await.ok(),
            ticket,
            is_taken_back,
        };
        self.asks.send(asked).await.ok()?;
        let told = told.await;
        withdrawal.place = None;
        told.ok()
    }
}

/// Whether only a person may say yes: to questions and plans, and where the CLI itself advises
/// against it.
fn for_a_person(ask: &PermissionAsk) -> bool {
    let reason = ask.decision_reason_type();
    ask.needs_person() || ask.default_to_no() || reason == Some(&DecisionReasonType::SafetyCheck)
}

/// A prompt is named after its call; others are numbered.
fn prompt(kind: PromptKind, ticket: u64, call: &str, body: &ControlRequest) -> AskedPrompt {
    let id = match call {
        "" => PromptId::new(format!("{}-{ticket}", kind.as_str().to_lowercase())),
        call => PromptId::new(call),
    };
    let request = Json::from_serialize(body).unwrap_or_default();
    AskedPrompt::new(id, kind, request)
}

/// Reports that the CLI no longer waits, unless the request was answered.
struct Withdrawal {
    /// Reserved capacity for the report; `None` once the request was answered.
    place: Option<mpsc::OwnedPermit<FromCli>>,
    ticket: u64,
    is_taken_back: TakenBack,
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        let Some(place) = self.place.take() else {
            return;
        };
        // If it is dropped without being cancelled, the process is gone. The end of the session
        // then closes open requests.
        if self.is_taken_back.is_true() {
            let ticket = self.ticket;
            place.send(FromCli::Withdrawn { ticket });
        } else {
            self.is_taken_back
                .is_abandoned
                .store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use rusty_claw::control::messages::CanUseTool;

    use super::*;
    use crate::grants::Asked;

    struct Always(PolicyDecision);

    impl PermissionPolicy for Always {
        fn decide(&self, _asked: &Asked<'_>) -> PolicyDecision {
            self.0.clone()
        }
    }

    fn door(decision: PolicyDecision, asks: mpsc::Sender<FromCli>) -> Arc<Door> {
        Arc::new(Door {
            session_id: 1,
            tenant: String::new(),
            policy: Arc::new(Always(decision)),
            grants: Arc::default(),
            surroundings: Surroundings::new("/srv/app"),
            folder: "/srv/app".into(),
            deciding: Arc::default(),
            policy_timeout: Duration::from_secs(20),
            asks,
        })
    }

    async fn answer_of(door: Arc<Door>) -> PermissionAnswer {
        let request = Json::from_text(r#"{"tool_name":"Bash","input":{"command":"ls"}}"#);
        let request = request.unwrap().view::<CanUseTool>().unwrap();
        door.permission(PermissionAsk::new(request)).await
    }

    /// What is answered when the session's loop has ended.
    async fn answer(decision: PolicyDecision) -> PermissionAnswer {
        let (asks, _) = mpsc::channel(1);
        answer_of(door(decision, asks)).await
    }

    // The clock stands still as long as anything can go on, so a timeout means that nothing can.
    #[tokio::test(start_paused = true)]
    async fn a_full_queue_makes_requests_wait_and_loses_none() {
        let nothing = Duration::from_secs(3600);
        let told = |answer: PermissionAnswer| Json::from_serialize(answer.result()).unwrap();
        // Room for one request and the place of its withdrawal.
        let (asks, mut queue) = mpsc::channel(2);
        let asked = door(PolicyDecision::AskUser, asks.clone());
        let (one, two) = (answer_of(Arc::clone(&asked)), answer_of(asked));
        let (one, two) = (tokio::spawn(one), tokio::spawn(two));
        let Some(FromCli::Asked { reply, .. }) = queue.recv().await else {
            panic!("a request is first")
        };
        assert!(tokio::time::timeout(nothing, queue.recv()).await.is_err());
        assert!(!one.is_finished() && !two.is_finished());
        reply.send(told(PermissionAnswer::allow())).unwrap();
        let Some(FromCli::Asked { reply, .. }) = queue.recv().await else {
            panic!("the other request is next")
        };
        reply.send(told(PermissionAnswer::allow())).unwrap();
        assert!(one.await.unwrap().is_allow() && two.await.unwrap().is_allow());

        // A decision of a policy waits as well: the CLI learns it only when it is stored.
        let places = asks.reserve_many(2).await.unwrap();
        let decided = tokio::spawn(answer_of(door(PolicyDecision::Allow, asks.clone())));
        assert!(tokio::time::timeout(nothing, queue.recv()).await.is_err());
        assert!(!decided.is_finished());
        drop(places);
        let Some(FromCli::Decided { stored, .. }) = queue.recv().await else {
            panic!("the decision is next")
        };
        stored.send(()).unwrap();
        assert!(decided.await.unwrap().is_allow());
    }

    #[tokio::test]
    async fn a_session_that_has_ended_allows_nothing() {
        assert!(!answer(PolicyDecision::AskUser).await.is_allow());
        // The loop has ended, so the decision cannot be stored.
        assert!(!answer(PolicyDecision::Allow).await.is_allow());
    }
}
