//! Converts answers to responses for the CLI. Pure.

use rusty_claw::control::messages::CanUseTool;
use rusty_claw::permission::{
    AskKind, PermissionAnswer, PermissionAsk, PermissionMode, PermissionResult, PermissionUpdate,
    PermissionUpdateDestination,
};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{DialogAnswer, ElicitationAnswer};

use super::{PermissionChoice, PermissionResponse, QuestionAnswer};
use crate::event::{Interaction, InteractionKind};
use crate::interactions::AnswerRefused;
use crate::question::AskUserQuestionsRequest;

/// An answer to an interaction of any kind.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Answer {
    /// Allows or denies a tool or a plan.
    Permission(PermissionResponse),
    /// Answers to questions.
    Answers(Vec<QuestionAnswer>),
    /// Declines, for this reason.
    Decline(String),
    /// The answer to an elicitation or a dialog, in its wire form.
    Json(Json),
}

/// The response to a request of the CLI.
#[derive(Debug, Clone)]
pub(crate) enum CliResponse {
    Permission(PermissionAnswer),
    Elicitation(ElicitationAnswer),
    Dialog(DialogAnswer),
}

impl CliResponse {
    /// The response when an interaction expires.
    pub(crate) fn expired(kind: &InteractionKind) -> Self {
        Self::refusal(kind, "Nobody answered in time, so this was not done")
    }

    fn refusal(kind: &InteractionKind, reason: &str) -> Self {
        match kind {
            InteractionKind::Elicitation => Self::Elicitation(ElicitationAnswer::decline()),
            InteractionKind::Dialog => Self::Dialog(DialogAnswer::cancelled()),
            _ => Self::Permission(PermissionAnswer::deny(reason)),
        }
    }

    /// Converts a stored answer back. One that does not fit the kind is a denial.
    pub(crate) fn from_logged(kind: &InteractionKind, answer: &Json) -> Self {
        use InteractionKind::{Dialog, Elicitation, Permission, Plan, Question};
        let response = match kind {
            Permission | Question | Plan => match answer.view() {
                Some(result @ (PermissionResult::Allow(_) | PermissionResult::Deny(_))) => {
                    Some(Self::Permission(result.into()))
                }
                _ => None,
            },
            Elicitation => match answer.view() {
                None | Some(ElicitationAnswer::Unknown(_)) => None,
                Some(answer) => Some(Self::Elicitation(answer)),
            },
            Dialog => match answer.view() {
                None | Some(DialogAnswer::Unknown(_)) => None,
                Some(answer) => Some(Self::Dialog(answer)),
            },
            InteractionKind::Unknown(_) => None,
        };
        response.unwrap_or_else(|| Self::refusal(kind, "The stored answer cannot be read"))
    }

    /// Its JSON, for the log.
    pub(crate) fn to_json(&self) -> Json {
        let json = match self {
            Self::Permission(answer) => Json::from_serialize(answer.result()),
            Self::Elicitation(answer) => Json::from_serialize(answer),
            Self::Dialog(answer) => Json::from_serialize(answer),
        };
        // Our own answers always serialize.
        json.unwrap_or_default()
    }
}

impl Answer {
    /// Checks that the answer has the form that the interaction needs.
    ///
    /// # Errors
    /// Returns [`AnswerRefused::Unfit`] if it does not.
    pub fn check(&self, interaction: &Interaction) -> Result<(), AnswerRefused> {
        self.to_wire(interaction).map(|_| ())
    }

    /// Returns the response for the CLI.
    ///
    /// # Errors
    /// The answer does not fit the interaction, which stays pending.
    pub(crate) fn to_wire(&self, interaction: &Interaction) -> Result<CliResponse, AnswerRefused> {
        match (self, &interaction.kind) {
            (
                Self::Permission(response),
                InteractionKind::Permission | InteractionKind::Plan | InteractionKind::Question,
            ) => permission(response, &interaction.kind).map(CliResponse::Permission),
            // A denial fits every kind.
            (Self::Permission(response), kind) if response.choice == PermissionChoice::Deny => {
                let reason = response.reason.as_deref().unwrap_or_default();
                Ok(CliResponse::refusal(kind, reason))
            }
            (Self::Answers(answers), InteractionKind::Question) => {
                questions(answers, interaction).map(CliResponse::Permission)
            }
            (Self::Decline(reason), kind) => Ok(CliResponse::refusal(kind, reason)),
            (Self::Json(answer), InteractionKind::Elicitation) => match answer.view() {
                None | Some(ElicitationAnswer::Unknown(_)) => Err(wrong_form(&interaction.kind)),
                Some(answer) => Ok(CliResponse::Elicitation(answer)),
            },
            (Self::Json(answer), InteractionKind::Dialog) => match answer.view() {
                None | Some(DialogAnswer::Unknown(_)) => Err(wrong_form(&interaction.kind)),
                Some(answer) => Ok(CliResponse::Dialog(answer)),
            },
            (_, kind) => Err(wrong_form(kind)),
        }
    }

    /// The JSON of an accepted answer, for the log: as the client sent it, if it sent JSON.
    pub(crate) fn logged(&self, response: &CliResponse) -> Json {
        match self {
            Self::Json(answer) => answer.clone(),
            _ => response.to_json(),
        }
    }
}

fn wrong_form(kind: &InteractionKind) -> AnswerRefused {
    let kind = kind.as_str().to_lowercase();
    unfit(format!(
        "it does not have the form of an answer to a {kind}"
    ))
}

fn unfit(why: impl Into<String>) -> AnswerRefused {
    AnswerRefused::Unfit { why: why.into() }
}

fn permission(
    response: &PermissionResponse,
    kind: &InteractionKind,
) -> Result<PermissionAnswer, AnswerRefused> {
    let reason = response.reason.clone();
    let reason = reason.unwrap_or_else(|| "The user denied it".to_owned());
    Ok(match &response.choice {
        PermissionChoice::Deny if response.interrupt => {
            PermissionAnswer::deny_and_interrupt(reason)
        }
        PermissionChoice::Deny => PermissionAnswer::deny(reason),
        PermissionChoice::Allow if *kind == InteractionKind::Question => {
            return Err(unfit("a question needs answers, not an approval"));
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
    })
}

/// Returns the mode change of an approved plan. No other answer may change the mode.
fn mode_change(
    response: &PermissionResponse,
    kind: &InteractionKind,
) -> Result<Option<PermissionUpdate>, AnswerRefused> {
    let Some(mode) = &response.mode else {
        return Ok(None);
    };
    if *kind != InteractionKind::Plan {
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

fn questions(
    answers: &[QuestionAnswer],
    interaction: &Interaction,
) -> Result<PermissionAnswer, AnswerRefused> {
    let request = interaction.request.view::<CanUseTool>().unwrap_or_default();
    let asked = AskUserQuestionsRequest::of_interaction(interaction).questions;
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
        let answers = answer.choices.iter().chain(text).cloned();
        pairs.extend(answers.map(|answer| (question.text.clone(), answer)));
    }
    match ask.answer(pairs) {
        Ok(answer) => Ok(answer),
        Err(rusty_claw::SessionError::Unsendable { why, .. }) => Err(unfit(why)),
        Err(error) => Err(unfit(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::InteractionId;

    fn interaction(kind: InteractionKind) -> Interaction {
        let request = match kind {
            InteractionKind::Question => {
                r#"{"tool_name":"AskUserQuestion","tool_use_id":"q","input":
                {"questions":[{"question":"Which?","header":"h","multiSelect":false,
                "options":[{"label":"A","description":""},{"label":"B","description":""}]}]}}"#
            }
            _ => r#"{"tool_name":"Bash","input":{"command":"ls"}}"#,
        };
        let request = Json::from_text(request).unwrap();
        let mut interaction = Interaction::new(InteractionId::new("q"), kind, request);
        interaction.tool_use_id = Some("q".to_owned());
        interaction
    }

    fn json(text: &str) -> Answer {
        Answer::Json(Json::from_text(text).unwrap())
    }

    #[test]
    fn answers_that_do_not_fit_the_interaction_are_refused() {
        use InteractionKind::{Dialog, Elicitation, Permission, Plan, Question};
        let yes = PermissionResponse::allow;
        let odd_input = || yes().with_input(Json::from_text("[1]").unwrap());
        let mut odd_choice = yes();
        odd_choice.choice = PermissionChoice::Unknown("Perhaps".to_owned());
        let other_option = QuestionAnswer::choice("q:0", "C");
        let other_question = QuestionAnswer::choice("q:1", "A");
        let table = [
            (Answer::Permission(yes()), Question),
            (Answer::Permission(yes()), Elicitation),
            (Answer::Permission(yes()), Dialog),
            (Answer::Permission(odd_input()), Permission),
            (Answer::Permission(odd_choice), Permission),
            (Answer::Permission(yes().in_mode("acceptEdits")), Permission),
            (Answer::Permission(yes().in_mode("bypassPermissions")), Plan),
            (Answer::Permission(yes().in_mode("whatever")), Plan),
            (Answer::Answers(vec![other_option]), Question),
            (Answer::Answers(vec![other_question]), Question),
            (Answer::Answers(Vec::new()), Question),
            (Answer::Answers(Vec::new()), Permission),
            (json(r#"{"behavior":"allow"}"#), Permission),
            (json(r#"{"behavior":"allow"}"#), Plan),
            (json(r#"{"action":"perhaps"}"#), Elicitation),
            (json("7"), Elicitation),
            (json(r#"{"behavior":"perhaps"}"#), Dialog),
            (json("7"), Dialog),
        ];
        for (reply, kind) in table {
            let response = reply.to_wire(&interaction(kind.clone()));
            assert!(
                matches!(response, Err(AnswerRefused::Unfit { .. })),
                "{reply:?} to {kind}: {response:?}"
            );
        }
    }

    #[test]
    fn an_answer_says_what_was_meant() {
        let wire = |reply: Answer, kind: InteractionKind| -> serde_json::Value {
            let response = reply.to_wire(&interaction(kind)).unwrap();
            serde_json::from_str(reply.logged(&response).text()).unwrap()
        };
        let yes = PermissionResponse::allow;
        let allowed = wire(Answer::Permission(yes()), InteractionKind::Permission);
        assert_eq!(allowed["behavior"], "allow");
        let planned = yes().in_mode("acceptEdits");
        let planned = wire(Answer::Permission(planned), InteractionKind::Plan);
        assert_eq!(planned["updatedPermissions"][0]["mode"], "acceptEdits");
        let answer = vec![QuestionAnswer::choice("q:0", "B")];
        let answered = wire(Answer::Answers(answer), InteractionKind::Question);
        assert_eq!(answered["updatedInput"]["answers"]["Which?"], "B");
    }

    #[test]
    fn expired_and_declined_interactions_are_denied() {
        for kind in [
            InteractionKind::Permission,
            InteractionKind::Plan,
            InteractionKind::Question,
            InteractionKind::Elicitation,
            InteractionKind::Dialog,
        ] {
            let declined = Answer::Decline("no".to_owned());
            let denied = Answer::Permission(PermissionResponse::deny("no"));
            let interaction = interaction(kind.clone());
            for response in [
                CliResponse::expired(&kind),
                declined.to_wire(&interaction).unwrap(),
                denied.to_wire(&interaction).unwrap(),
            ] {
                let json = response.to_json();
                let mut no = ["deny", "decline", "cancelled"].into_iter();
                assert!(no.any(|no| json.text().contains(no)), "{kind}: {json}");
            }
        }
    }
}
