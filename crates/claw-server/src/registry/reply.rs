//! From what a person says to what the CLI is told. Pure.

use rusty_claw::control::messages::CanUseTool;
use rusty_claw::permission::{
    AskKind, PermissionAnswer, PermissionAsk, PermissionMode, PermissionResult, PermissionUpdate,
    PermissionUpdateDestination,
};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{DialogAnswer, ElicitationAnswer};
use serde::Serialize;

use super::{PermissionChoice, PermissionResponse, QuestionAnswer};
use crate::event::{AskedPrompt, PromptKind};
use crate::prompts::AnswerRefused;
use crate::question::AskUserQuestionsRequest;

/// What somebody says to a prompt, of whatever kind.
#[derive(Debug, Clone)]
pub(crate) enum PromptReply {
    /// Yes or no to a tool or a plan.
    Permission(PermissionResponse),
    /// Answers to questions.
    Answers(Vec<QuestionAnswer>),
    /// No answer will come, for this reason.
    Decline(String),
    /// What the prompt's kind wants, for elicitations and dialogs.
    Json(Json),
}

impl PromptReply {
    /// What the CLI is told.
    ///
    /// # Errors
    /// It is no answer to this prompt, which keeps waiting.
    pub(crate) fn told(&self, prompt: &AskedPrompt) -> Result<Json, AnswerRefused> {
        match (self, &prompt.kind) {
            (
                Self::Permission(response),
                PromptKind::Permission | PromptKind::Plan | PromptKind::Question,
            ) => permission(response, &prompt.kind),
            // A no is a no, whatever was asked.
            (Self::Permission(response), kind) if response.choice == PermissionChoice::Deny => {
                Ok(no(kind, response.reason.as_deref().unwrap_or_default()))
            }
            (Self::Answers(answers), PromptKind::Question) => questions(answers, prompt),
            (Self::Decline(reason), _) => Ok(no(&prompt.kind, reason)),
            (Self::Json(answer), PromptKind::Elicitation)
                if !matches!(answer.view(), None | Some(ElicitationAnswer::Unknown(_))) =>
            {
                Ok(answer.clone())
            }
            (Self::Json(answer), PromptKind::Dialog)
                if !matches!(answer.view(), None | Some(DialogAnswer::Unknown(_))) =>
            {
                Ok(answer.clone())
            }
            (_, kind) => Err(unfit(format!(
                "it does not have the form of an answer to a {}",
                kind.as_str().to_lowercase()
            ))),
        }
    }
}

/// What the CLI is told when nobody answered.
pub(crate) fn nobody_answered(kind: &PromptKind) -> Json {
    no(kind, "Nobody answered in time, so this was not done")
}

fn no(kind: &PromptKind, reason: &str) -> Json {
    match kind {
        PromptKind::Elicitation => json(&ElicitationAnswer::decline()),
        PromptKind::Dialog => json(&DialogAnswer::cancelled()),
        _ => json(PermissionAnswer::deny(reason).result()),
    }
}

fn json(answer: &impl Serialize) -> Json {
    // An answer of ours can always be written; if not, nothing is told, which is a no.
    Json::from_serialize(answer).unwrap_or_default()
}

fn unfit(why: impl Into<String>) -> AnswerRefused {
    AnswerRefused::Unfit { why: why.into() }
}

fn permission(response: &PermissionResponse, kind: &PromptKind) -> Result<Json, AnswerRefused> {
    let reason = response.reason.clone();
    let reason = reason.unwrap_or_else(|| "The user denied it".to_owned());
    let answer = match &response.choice {
        PermissionChoice::Deny if response.interrupt => {
            PermissionAnswer::deny_and_interrupt(reason)
        }
        PermissionChoice::Deny => PermissionAnswer::deny(reason),
        PermissionChoice::Allow if *kind == PromptKind::Question => {
            return Err(unfit("questions want answers, not a yes"));
        }
        PermissionChoice::Allow => {
            let answer = match &response.updated_input {
                Some(input) if !input.is_object() => {
                    return Err(unfit("the input of a tool is an object"));
                }
                Some(input) => PermissionAnswer::allow_with(input.clone()),
                None => PermissionAnswer::allow(),
            };
            answer.with_updates(mode_change(response, kind)?)
        }
        PermissionChoice::Unknown(choice) => {
            return Err(unfit(format!("{choice:?} is neither Allow nor Deny")));
        }
    };
    Ok(json(answer.result()))
}

/// A plan may be approved for a mode; nothing else changes the mode by the way.
fn mode_change(
    response: &PermissionResponse,
    kind: &PromptKind,
) -> Result<Option<PermissionUpdate>, AnswerRefused> {
    let Some(mode) = &response.mode else {
        return Ok(None);
    };
    if *kind != PromptKind::Plan {
        return Err(unfit("only the approval of a plan changes the mode"));
    }
    let mode = match PermissionMode::from(mode.as_str()) {
        PermissionMode::BypassPermissions => {
            return Err(unfit(
                "a plan cannot be approved into a mode that asks nothing at all",
            ));
        }
        PermissionMode::Unknown(_) => return Err(unfit(format!("there is no mode {mode:?}"))),
        mode => mode,
    };
    let session = PermissionUpdateDestination::Session;
    Ok(Some(PermissionUpdate::set_mode(mode, session)))
}

fn questions(answers: &[QuestionAnswer], prompt: &AskedPrompt) -> Result<Json, AnswerRefused> {
    let request = prompt.request.view::<CanUseTool>().unwrap_or_default();
    let asked = AskUserQuestionsRequest::of_prompt(prompt).questions;
    let AskKind::Question(ask) = PermissionAsk::new(request).kind() else {
        return Err(unfit("the agent's questions cannot be read; decline them"));
    };
    let mut pairs: Vec<(String, String)> = Vec::new();
    for answer in answers {
        let question = asked.iter().find(|asked| asked.id == answer.question_id);
        let question = question
            .ok_or_else(|| unfit(format!("there is no question {:?}", answer.question_id)))?;
        let options = question.options.as_deref().unwrap_or_default();
        if let Some(other) = answer.choices.iter().find(|one| !options.contains(one)) {
            return Err(unfit(format!(
                "{other:?} is no option of {:?}; send own words as the text",
                answer.question_id
            )));
        }
        let text = answer.text.iter().filter(|text| !text.trim().is_empty());
        let said = answer.choices.iter().chain(text).cloned();
        pairs.extend(said.map(|said| (question.text.clone(), said)));
    }
    match ask.answer(pairs) {
        Ok(answer) => Ok(json(answer.result())),
        Err(rusty_claw::SessionError::Unsendable { why, .. }) => Err(unfit(why)),
        Err(error) => Err(unfit(error.to_string())),
    }
}

/// What a tool's question is answered with, from what was recorded; a no when it is none.
pub(crate) fn permission_answer(told: &Json) -> PermissionAnswer {
    match told.view::<PermissionResult>() {
        Some(result) => PermissionAnswer::from(result),
        None => PermissionAnswer::deny("The answer could not be read, so this was not run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::PromptId;

    fn prompt(kind: PromptKind) -> AskedPrompt {
        let request = match kind {
            PromptKind::Question => {
                r#"{"tool_name":"AskUserQuestion","tool_use_id":"q","input":
                {"questions":[{"question":"Which?","header":"h","multiSelect":false,
                "options":[{"label":"A","description":""},{"label":"B","description":""}]}]}}"#
            }
            _ => r#"{"tool_name":"Bash","input":{"command":"ls"}}"#,
        };
        let mut prompt =
            AskedPrompt::new(PromptId::new("q"), kind, Json::from_text(request).unwrap());
        prompt.tool_use_id = Some("q".to_owned());
        prompt
    }

    fn json(text: &str) -> PromptReply {
        PromptReply::Json(Json::from_text(text).unwrap())
    }

    #[test]
    fn what_is_no_answer_to_a_prompt_is_refused() {
        use PromptKind::{Dialog, Elicitation, Permission, Plan, Question};
        let yes = PermissionResponse::allow;
        let odd_input = || yes().with_input(Json::from_text("[1]").unwrap());
        let mut odd_choice = yes();
        odd_choice.choice = PermissionChoice::Unknown("Perhaps".to_owned());
        let other_option = QuestionAnswer::choice("q:0", "C");
        let other_question = QuestionAnswer::choice("q:1", "A");
        let table = [
            (PromptReply::Permission(yes()), Question),
            (PromptReply::Permission(yes()), Elicitation),
            (PromptReply::Permission(yes()), Dialog),
            (PromptReply::Permission(odd_input()), Permission),
            (PromptReply::Permission(odd_choice), Permission),
            (
                PromptReply::Permission(yes().in_mode("acceptEdits")),
                Permission,
            ),
            (
                PromptReply::Permission(yes().in_mode("bypassPermissions")),
                Plan,
            ),
            (PromptReply::Permission(yes().in_mode("whatever")), Plan),
            (PromptReply::Answers(vec![other_option]), Question),
            (PromptReply::Answers(vec![other_question]), Question),
            (PromptReply::Answers(Vec::new()), Question),
            (PromptReply::Answers(Vec::new()), Permission),
            (json(r#"{"behavior":"allow"}"#), Permission),
            (json(r#"{"behavior":"allow"}"#), Plan),
            (json(r#"{"action":"perhaps"}"#), Elicitation),
            (json("7"), Elicitation),
            (json(r#"{"behavior":"perhaps"}"#), Dialog),
            (json("7"), Dialog),
        ];
        for (reply, kind) in table {
            let told = reply.told(&prompt(kind.clone()));
            assert!(
                matches!(told, Err(AnswerRefused::Unfit { .. })),
                "{reply:?} to {kind}: {told:?}"
            );
        }
    }

    #[test]
    fn an_answer_says_what_was_meant() {
        let told = |reply: PromptReply, kind: PromptKind| {
            let told = reply.told(&prompt(kind)).unwrap();
            let told: serde_json::Value = serde_json::from_str(told.text()).unwrap();
            told
        };
        let yes = PermissionResponse::allow;
        let allowed = told(PromptReply::Permission(yes()), PromptKind::Permission);
        assert_eq!(allowed["behavior"], "allow");
        let planned = yes().in_mode("acceptEdits");
        let planned = told(PromptReply::Permission(planned), PromptKind::Plan);
        assert_eq!(planned["updatedPermissions"][0]["mode"], "acceptEdits");
        let answer = vec![QuestionAnswer::choice("q:0", "B")];
        let answered = told(PromptReply::Answers(answer), PromptKind::Question);
        assert_eq!(answered["updatedInput"]["answers"]["Which?"], "B");
    }

    #[test]
    fn no_answer_and_a_declined_prompt_are_a_no() {
        for kind in [
            PromptKind::Permission,
            PromptKind::Plan,
            PromptKind::Question,
            PromptKind::Elicitation,
            PromptKind::Dialog,
        ] {
            let declined = PromptReply::Decline("no".to_owned());
            let denied = PromptReply::Permission(PermissionResponse::deny("no"));
            let prompt = prompt(kind.clone());
            for told in [
                nobody_answered(&kind),
                declined.told(&prompt).unwrap(),
                denied.told(&prompt).unwrap(),
            ] {
                let is_no = ["deny", "decline", "cancelled"];
                assert!(
                    is_no.iter().any(|no| told.text().contains(no)),
                    "{kind}: {told}"
                );
            }
        }
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_a_deny() {
        for text in ["null", "7", r#"{"behavior":"perhaps"}"#, "{}"] {
            let answer = permission_answer(&Json::from_text(text).unwrap());
            assert!(!answer.is_allow(), "{text}");
        }
        let allowed = Json::from_text(r#"{"behavior":"allow"}"#).unwrap();
        assert!(permission_answer(&allowed).is_allow());
    }
}
