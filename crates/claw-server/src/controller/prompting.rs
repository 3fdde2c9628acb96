//! What the CLI asks and people answer, in a session's loop.

use std::collections::HashMap;
use std::time::Duration;

use rusty_claw::control::messages::CanUseTool;
use rusty_claw::permission::PermissionAsk;
use rusty_claw_protocol::Json;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::asks::{FromCli, TakenBack};
use super::command::PromptRef;
use super::recorder::now_ms;
use super::session::Running;
use crate::event::{AskedPrompt, Fact, PromptAnswer, PromptId};
use crate::grants::Grant;
use crate::log::LogError;
use crate::permission::{PermissionRequest, TargetType};
use crate::prompts::{AnswerRefused, PromptDesk};
use crate::registry::PromptReply;

/// The CLI's end of a prompt.
#[derive(Debug)]
pub(super) struct Waiting {
    ticket: u64,
    /// When it is denied for want of an answer.
    pub(super) expires_at: Option<Instant>,
    reply: oneshot::Sender<Json>,
    is_taken_back: TakenBack,
}

impl Running {
    pub(super) fn tell(&mut self, id: &PromptId, told: Json) {
        if let Some(waiting) = self.waiting.remove(id) {
            // The CLI may have taken it back in this moment; then nobody wants to know.
            let _ = waiting.reply.send(told);
        }
    }

    pub(super) async fn asked(&mut self, asked: FromCli) -> Result<(), LogError> {
        match asked {
            FromCli::Asked {
                ticket,
                mut prompt,
                reply,
                is_taken_back,
            } => {
                let call = prompt.id.clone();
                prompt.id = self.unused(prompt.id);
                let limit = self.limits.prompt_timeout;
                let in_ms = |limit: Duration| i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
                prompt.expires_at_ms = limit.map(|limit| now_ms().saturating_add(in_ms(limit)));
                let waiting = Waiting {
                    ticket,
                    expires_at: limit.and_then(|limit| Instant::now().checked_add(limit)),
                    reply,
                    is_taken_back,
                };
                self.waiting.insert(prompt.id.clone(), waiting);
                self.groups.hold_as(ticket, *prompt, self.clock.now_ms());
                // Only now: this may be the last one that was expected.
                self.expected.asked(call.as_str());
                self.groups.expect_more(self.expected.any());
            }
            FromCli::Decided { id, told, stored } => {
                self.expected.asked(id.as_str());
                self.groups.expect_more(self.expected.any());
                let id = self.unused(id);
                let mut answer = PromptAnswer::new(id, told);
                answer.by = Some("policy".to_owned());
                self.recorder.fact(Fact::PromptAnswered(answer));
                self.recorder.commit().await?;
                let _ = stored.send(());
            }
            FromCli::Withdrawn { ticket } => {
                let found = self.waiting.iter().find(|(_, one)| one.ticket == ticket);
                let Some(id) = found.map(|(id, _)| id.clone()) else {
                    return Ok(());
                };
                self.withdraw(id);
                self.recorder.commit().await?;
            }
        }
        Ok(())
    }

    /// The prompts whose time is over, in the order in which they were asked.
    pub(super) fn unanswered(&self) -> Vec<PromptId> {
        let now = Instant::now();
        let is_late = |one: &Waiting| one.expires_at.is_some_and(|at| at <= now);
        let late = self.waiting.iter().filter(|(_, one)| is_late(one));
        let mut late: Vec<_> = late.map(|(id, one)| (one.ticket, id.clone())).collect();
        late.sort_by_key(|(ticket, _)| *ticket);
        late.into_iter().map(|(_, id)| id).collect()
    }

    /// Withdraws what the CLI has taken back: before what it printed after it, not when the news
    /// gets here.
    pub(super) fn withdraw_taken_back(&mut self) {
        let taken_back = |(id, waiting): (&PromptId, &Waiting)| {
            waiting.is_taken_back.is_true().then(|| id.clone())
        };
        let taken_back: Vec<PromptId> = self.waiting.iter().filter_map(taken_back).collect();
        for id in taken_back {
            self.withdraw(id);
        }
    }

    fn withdraw(&mut self, id: PromptId) {
        self.waiting.remove(&id);
        if !self.groups.withdraw(&id) {
            self.recorder.fact(Fact::PromptWithdrawn(id));
        }
    }

    /// The CLI may ask for one call twice; a prompt is asked once.
    fn unused(&self, id: PromptId) -> PromptId {
        let is_used = |id: &PromptId| self.waiting.contains_key(id) || self.recorder.desk.knows(id);
        if !is_used(&id) {
            return id;
        }
        let numbered = |number: u32| PromptId::new(format!("{}#{number}", id.as_str()));
        let free = (2..u32::MAX).map(numbered).find(|id| !is_used(id));
        free.unwrap_or(id)
    }

    /// Takes answers, each on its own. They are stored together, then the CLI is told.
    pub(super) async fn answers(
        &mut self,
        answers: Vec<(PromptRef, PromptReply, Option<String>)>,
    ) -> Result<Vec<Result<(), AnswerRefused>>, LogError> {
        let mut results = Vec::new();
        let mut taken: Vec<(PromptAnswer, PromptReply)> = Vec::new();
        for (named, reply, by) in answers {
            let answer = accept(
                &self.recorder.desk,
                &self.waiting,
                &named,
                &reply,
                by,
                &taken,
            );
            results.push(answer.map(|answer| taken.push((answer, reply))));
        }
        for (answer, _) in &taken {
            self.recorder.fact(Fact::PromptAnswered(answer.clone()));
        }
        let grants: Vec<_> = taken
            .iter()
            .map(|(answer, reply)| self.granted(answer, reply))
            .collect();
        self.recorder.commit().await?;
        for grant in grants.into_iter().flatten() {
            self.grants.add(&self.tenant, grant);
        }
        for (answer, _) in taken {
            self.tell(&answer.id, answer.answer);
        }
        Ok(results)
    }

    fn granted(&self, answer: &PromptAnswer, reply: &PromptReply) -> Option<Grant> {
        let PromptReply::Permission(response) = reply else {
            return None;
        };
        let prompt = self.recorder.desk.get(&answer.id)?;
        let request = PermissionRequest::of_prompt(prompt);
        if request.target_type == TargetType::Tool && names_paths(prompt) {
            // Leave for the tool would be leave for every other path.
            return None;
        }
        response.grant(&request, self.recorder.session_id, &self.folder)
    }
}

/// Checks an answer against the open prompts, the requests of the CLI that still wait, and the
/// answers already taken with it.
fn accept(
    desk: &PromptDesk,
    waiting: &HashMap<PromptId, Waiting>,
    named: &PromptRef,
    reply: &PromptReply,
    by: Option<String>,
    taken: &[(PromptAnswer, PromptReply)],
) -> Result<PromptAnswer, AnswerRefused> {
    let id = named.find(desk).ok_or(AnswerRefused::Unknown)?;
    if let Some((first, _)) = taken.iter().find(|(answer, _)| answer.id == id) {
        let by = first.by.clone();
        return Err(AnswerRefused::AlreadyAnswered { by });
    }
    let to_cli = match desk.get(&id) {
        Some(prompt) => reply.told(prompt)?,
        None => Json::default(),
    };
    let mut answer = PromptAnswer::new(id, to_cli);
    answer.by = by;
    desk.answer(answer.clone())?;
    let is_gone = |waiting: &Waiting| waiting.reply.is_closed() || waiting.is_taken_back.is_true();
    if waiting.get(&answer.id).is_none_or(is_gone) {
        return Err(AnswerRefused::Withdrawn);
    }
    Ok(answer)
}

/// Whether what is asked for says something about paths.
fn names_paths(prompt: &AskedPrompt) -> bool {
    let request = prompt.request.view::<CanUseTool>();
    request.is_none_or(|request| PermissionAsk::new(request).names_paths())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::PromptKind;
    use crate::registry::PermissionResponse;

    /// The CLI can cancel a request after the loop has received the answer, before it is stored.
    #[test]
    fn an_answer_is_refused_once_the_cli_has_stopped_waiting() {
        let id = PromptId::new("toolu_1");
        let prompt = AskedPrompt::new(id.clone(), PromptKind::Permission, Json::default());
        let mut desk = PromptDesk::new();
        desk.apply(&Fact::PromptAsked(prompt));
        let yes = PromptReply::Permission(PermissionResponse::allow());
        let accept = |waiting: Option<(bool, oneshot::Sender<Json>)>| {
            let waiting = waiting.map(|(is_cancelled, reply)| Waiting {
                ticket: 1,
                expires_at: None,
                reply,
                is_taken_back: TakenBack::when(move || is_cancelled),
            });
            let waiting = waiting
                .map(|waiting| (id.clone(), waiting))
                .into_iter()
                .collect();
            accept(
                &desk,
                &waiting,
                &PromptRef::Named("toolu_1".into()),
                &yes,
                None,
                &[],
            )
        };
        let (reply, _open) = oneshot::channel();
        assert!(accept(Some((false, reply))).is_ok());
        let (reply, _open) = oneshot::channel();
        assert_eq!(accept(Some((true, reply))), Err(AnswerRefused::Withdrawn));
        let (reply, _) = oneshot::channel();
        assert_eq!(accept(Some((false, reply))), Err(AnswerRefused::Withdrawn));
        assert_eq!(accept(None), Err(AnswerRefused::Withdrawn));
    }
}
