//! Handles requests of the CLI, and the answers to them, in the loop of a session.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rusty_claw::control::messages::CanUseTool;
use rusty_claw::permission::PermissionAsk;
use tokio::time::Instant;

use super::cli_requests::{CliRequest, PendingReply};
use super::clock::{deadline, now_ms};
use super::command::{GrantChange, InteractionRef};
use super::rearming::{Inherited, Rearm, rearm};
use super::session::SessionLoop;
use crate::event::{Fact, Interaction, InteractionAnswer, InteractionId};
use crate::grants::Grant;
use crate::interactions::{AnswerRefused, InteractionRegistry};
use crate::permission::{PermissionRequest, TargetType};
use crate::registry::{Answer, Answerer, CliResponse};

impl SessionLoop {
    /// Responds to requests of the CLI when all events so far are stored.
    pub(super) fn respond(&mut self, responses: Vec<(PendingReply, CliResponse)>) {
        self.recorder.then(move || {
            for (waiting, response) in responses {
                // The receiver is gone if the CLI has cancelled the request just now.
                let _ = waiting.reply.send(response);
            }
        });
    }

    pub(super) fn asked(&mut self, asked: CliRequest) {
        if self.is_parking {
            return;
        }
        let is_request = !matches!(asked, CliRequest::Withdrawn { .. });
        match self.prefer_person(asked) {
            CliRequest::Ask {
                ticket,
                interaction,
                reply,
                cancelled,
            } => {
                let call = interaction.id.clone();
                let waiting = PendingReply {
                    ticket,
                    expires_at: None,
                    reply,
                    cancelled,
                };
                match self.rearm(&interaction) {
                    Rearm::New => {
                        if let Some(waiting) = self.renew(&interaction, waiting) {
                            self.hold(*interaction, waiting);
                        }
                    }
                    Rearm::Open(id) => self.wait_again(id, waiting),
                    Rearm::Answered(_, response) => self.respond(vec![(waiting, response)]),
                }
                // Not earlier, because this may be the last expected call.
                self.upcoming.asked(call.as_str());
                self.groups.expect_more(self.upcoming.any());
            }
            CliRequest::Decided {
                interaction,
                mut response,
                by,
                stored,
            } => {
                self.upcoming.asked(interaction.id.as_str());
                self.groups.expect_more(self.upcoming.any());
                let id = match self.rearm(&interaction) {
                    Rearm::New => Some(self.unused(interaction.id)),
                    Rearm::Open(id) => Some(id),
                    Rearm::Answered(_, earlier) => {
                        response = earlier;
                        None
                    }
                };
                if let Some(id) = id {
                    let mut answer = InteractionAnswer::new(id, response.to_json());
                    answer.by = Some(by);
                    self.recorder.fact(Fact::InteractionAnswered(answer));
                }
                self.recorder.then(move || {
                    let _ = stored.send(response);
                });
            }
            CliRequest::Withdrawn { ticket } => {
                let found = self.waiting.iter().find(|(_, one)| one.ticket == ticket);
                if let Some(id) = found.map(|(id, _)| id.clone()) {
                    self.withdraw(id);
                }
            }
        }
        if is_request {
            self.was_asked();
        }
    }

    /// Matches a request with the interactions of the previous owner, each of which can be repeated
    /// once.
    fn rearm(&mut self, asked: &Interaction) -> Rearm {
        if self.waits_for_turn() {
            return Rearm::New;
        }
        let found = rearm(&self.inherited, asked);
        if let Rearm::Open(id) | Rearm::Answered(id, _) = &found {
            self.inherited.retain(|one| one.interaction.id != *id);
        }
        found
    }

    /// Withdraws the open interactions that the CLI has not repeated.
    pub(super) fn withdraw_inherited(&mut self) {
        for one in std::mem::take(&mut self.inherited) {
            if one.answer.is_none() {
                let id = one.interaction.id;
                self.recorder.fact(Fact::InteractionWithdrawn(id));
            }
        }
    }

    /// Opens an interaction, as soon as it is clear which others belong to it.
    fn hold(&mut self, mut interaction: Interaction, mut waiting: PendingReply) {
        interaction.id = self.unused(interaction.id);
        let limit = self.limits.interaction_timeout;
        let in_ms = |limit: Duration| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
        interaction.expires_at_ms = limit.map(|limit| now_ms().saturating_add(in_ms(limit)));
        waiting.expires_at = limit.and_then(|limit| Instant::now().checked_add(limit));
        let ticket = waiting.ticket;
        self.waiting.insert(interaction.id.clone(), waiting);
        self.groups
            .hold_as(ticket, interaction, self.clock.now_ms());
    }

    /// Attaches a repeated request to its open interaction, which keeps its expiry.
    fn wait_again(&mut self, id: InteractionId, mut waiting: PendingReply) {
        let interaction = self.recorder.state.interactions.get(&id);
        let expires_at_ms = interaction.and_then(|interaction| interaction.expires_at_ms);
        waiting.expires_at = expires_at_ms.and_then(deadline);
        self.waiting.insert(id, waiting);
    }

    /// Returns the expired interactions, in the order in which they were asked.
    pub(super) fn unanswered(&self) -> Vec<InteractionId> {
        let now = Instant::now();
        let is_late = |one: &PendingReply| one.expires_at.is_some_and(|at| at <= now);
        let late = self.waiting.iter().filter(|(_, one)| is_late(one));
        let mut late: Vec<_> = late.map(|(id, one)| (one.ticket, id.clone())).collect();
        late.sort_by_key(|(ticket, _)| *ticket);
        late.into_iter().map(|(_, id)| id).collect()
    }

    /// Withdraws what the CLI has cancelled: before the lines that it printed later, not when
    /// `CliRequest::Withdrawn` arrives.
    pub(super) fn withdraw_cancelled(&mut self) {
        let taken_back = |(id, waiting): (&InteractionId, &PendingReply)| {
            waiting.cancelled.is_true().then(|| id.clone())
        };
        let taken_back: Vec<InteractionId> = self.waiting.iter().filter_map(taken_back).collect();
        for id in taken_back {
            self.withdraw(id);
        }
    }

    fn withdraw(&mut self, id: InteractionId) {
        self.waiting.remove(&id);
        if !self.groups.withdraw(&id) {
            self.recorder.fact(Fact::InteractionWithdrawn(id));
        }
    }

    /// Returns an unused id: the CLI may ask for the same call twice.
    pub(super) fn unused(&self, id: InteractionId) -> InteractionId {
        let is_used = |id: &InteractionId| {
            self.waiting.contains_key(id) || self.recorder.state.interactions.knows(id)
        };
        if !is_used(&id) {
            return id;
        }
        let numbered = |number: u32| InteractionId::new(format!("{}#{number}", id.as_str()));
        let free = (2..u32::MAX).map(numbered).find(|id| !is_used(id));
        free.unwrap_or(id)
    }

    /// Checks each answer on its own, and records the accepted ones together. The results are valid
    /// and the CLI receives its responses when all events so far are stored.
    pub(super) fn answers(
        &mut self,
        answers: Vec<(InteractionRef, Answer, Answerer)>,
    ) -> Vec<Result<(), AnswerRefused>> {
        let mut results = Vec::new();
        let mut responses = Vec::new();
        for (named, reply, answerer) in answers {
            let interactions = &self.recorder.state.interactions;
            let accepted = accept(
                interactions,
                &self.waiting,
                &self.inherited,
                &named,
                &reply,
                answerer,
            );
            let answer = match accepted {
                Ok(Some(answer)) => answer,
                Ok(None) => {
                    results.push(Ok(()));
                    continue;
                }
                Err(refused) => {
                    results.push(Err(refused));
                    continue;
                }
            };
            results.push(Ok(()));
            let granted = self.granted(&answer.record, &reply);
            match self.waiting.remove(&answer.record.id) {
                Some(waiting) => responses.push((waiting, answer.response)),
                // The CLI gets it when it repeats its request.
                None => self.keep_answer(&answer.record.id, answer.response),
            }
            // The grant is recorded first: if only the answer were stored, a repeated answer would
            // be accepted without adding the grant.
            if let Some(grant) = granted {
                self.change_grant(GrantChange::Add(grant));
            }
            self.recorder.fact(Fact::InteractionAnswered(answer.record));
        }
        self.respond(responses);
        results
    }

    fn keep_answer(&mut self, id: &InteractionId, response: CliResponse) {
        let is_meant = |one: &&mut Inherited| one.interaction.id == *id;
        if let Some(inherited) = self.inherited.iter_mut().find(is_meant) {
            inherited.answer = Some(response);
        }
    }

    /// Records a grant or its removal, which applies when all events so far are stored. Returns
    /// whether a grant to remove existed.
    pub(super) fn change_grant(&mut self, change: GrantChange) -> bool {
        let (book, tenant) = (Arc::clone(&self.grants), self.tenant.clone());
        match change {
            GrantChange::Add(grant) => {
                self.recorder.fact(Fact::Granted(grant.clone()));
                self.recorder.then(move || book.add(&tenant, grant));
                true
            }
            GrantChange::Remove(grant) => {
                let was_recorded = self.recorder.state.record.grants.contains(&grant);
                // It no longer applies, even if the log cannot store this.
                let did_apply = book.remove(&tenant, &grant);
                self.recorder.fact(Fact::Revoked(grant.clone()));
                // An earlier grant may still wait for the log.
                self.recorder.then(move || {
                    book.remove(&tenant, &grant);
                });
                did_apply || was_recorded
            }
        }
    }

    fn granted(&self, answer: &InteractionAnswer, reply: &Answer) -> Option<Grant> {
        let Answer::Permission(response) = reply else {
            return None;
        };
        let interaction = self.recorder.state.interactions.get(&answer.id)?;
        let request = PermissionRequest::of_interaction(interaction);
        if request.target_type == TargetType::Tool && names_paths(interaction) {
            // A grant for the tool would cover every other path.
            return None;
        }
        response.grant(&request, self.recorder.session_id, &self.folder)
    }
}

#[derive(Debug)]
struct Accepted {
    /// What the log stores.
    record: InteractionAnswer,
    /// What the CLI receives.
    response: CliResponse,
}

/// Checks an answer against the open interactions and the pending requests of the CLI. `None` if
/// the same answer was accepted before.
fn accept(
    interactions: &InteractionRegistry,
    waiting: &HashMap<InteractionId, PendingReply>,
    inherited: &[Inherited],
    named: &InteractionRef,
    reply: &Answer,
    answerer: Answerer,
) -> Result<Option<Accepted>, AnswerRefused> {
    let id = named.find(interactions).ok_or(AnswerRefused::Unknown)?;
    let Answerer { by, key } = answerer;
    if key
        .as_ref()
        .is_some_and(|key| interactions.is_repeat(&id, key))
    {
        return Ok(None);
    }
    let interaction = interactions.pending(&id)?;
    let response = reply.to_wire(interaction)?;
    let mut record = InteractionAnswer::new(id, reply.logged(&response));
    (record.by, record.key) = (by, key);
    let is_gone = |waiting: &PendingReply| waiting.reply.is_closed() || waiting.cancelled.is_true();
    let is_inherited = |id: &InteractionId| inherited.iter().any(|one| one.interaction.id == *id);
    let is_gone = match waiting.get(&record.id) {
        Some(waiting) => is_gone(waiting),
        None => !is_inherited(&record.id),
    };
    if is_gone {
        return Err(AnswerRefused::Withdrawn);
    }
    Ok(Some(Accepted { record, response }))
}

/// Whether the request names paths. An unreadable request counts as if it did.
fn names_paths(interaction: &Interaction) -> bool {
    let request = interaction.request.view::<CanUseTool>();
    request.is_none_or(|request| PermissionAsk::new(request).names_paths())
}

#[cfg(test)]
mod tests {
    use rusty_claw_protocol::Json;
    use tokio::sync::oneshot;

    use super::super::cli_requests::CancelFlag;
    use super::*;
    use crate::event::InteractionKind;
    use crate::registry::PermissionResponse;

    /// The CLI can cancel a request after the loop has received the answer, before it is stored.
    #[test]
    fn an_answer_is_refused_once_the_cli_has_stopped_waiting() {
        let id = InteractionId::new("toolu_1");
        let interaction =
            Interaction::new(id.clone(), InteractionKind::Permission, Json::default());
        let mut interactions = InteractionRegistry::new();
        interactions.apply(&Fact::InteractionOpened(interaction));
        let yes = Answer::Permission(PermissionResponse::allow());
        let accept = |waiting: Option<(bool, oneshot::Sender<CliResponse>)>| {
            let waiting = waiting.map(|(is_cancelled, reply)| PendingReply {
                ticket: 1,
                expires_at: None,
                reply,
                cancelled: CancelFlag::when(move || is_cancelled),
            });
            let waiting = waiting
                .map(|waiting| (id.clone(), waiting))
                .into_iter()
                .collect();
            accept(
                &interactions,
                &waiting,
                &[],
                &InteractionRef::Named("toolu_1".into()),
                &yes,
                Answerer::default(),
            )
        };
        let (reply, _open) = oneshot::channel();
        assert!(accept(Some((false, reply))).is_ok());
        let (reply, _open) = oneshot::channel();
        let refused = accept(Some((true, reply))).unwrap_err();
        assert_eq!(refused, AnswerRefused::Withdrawn);
        let (reply, _) = oneshot::channel();
        let refused = accept(Some((false, reply))).unwrap_err();
        assert_eq!(refused, AnswerRefused::Withdrawn);
        assert_eq!(accept(None).unwrap_err(), AnswerRefused::Withdrawn);
    }
}
