//! Answers to interactions, as clients send them.

use claw_server::Json;
use claw_server::event::Interaction;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{Answerer, PermissionResponse, QuestionAnswer};
use claw_server::{Controller, SessionId};
use rusty_claw::permission::PermissionMode;
use serde::{Deserialize, Serialize};

use crate::caller::Scope;
use crate::error::GatewayError;
use crate::spec::mode_scope;

/// An answer to an interaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Allows or denies a call, or a plan. Who answers is set by the gateway.
    #[schema(value_type = Object)]
    Permission(PermissionResponse),
    /// Answers the questions of the agent.
    #[schema(value_type = Vec<Object>)]
    Questions(Vec<QuestionAnswer>),
    /// Answers an elicitation or a dialog with the CLI's own object.
    #[schema(value_type = Object)]
    Other(Json),
    /// Declines any interaction, with a reason for the agent.
    Decline(String),
}

impl Answer {
    /// Checks that the answer has the form that the interaction needs.
    ///
    /// # Errors
    /// The answer does not fit. The interaction must stay pending.
    pub(crate) fn check(&self, interaction: &Interaction) -> Result<(), GatewayError> {
        use claw_server::registry::Answer as Checked;
        let checked = match self.clone() {
            Self::Permission(response) => Checked::Permission(response),
            Self::Questions(answers) => Checked::Answers(answers),
            Self::Other(answer) => Checked::Json(answer),
            Self::Decline(reason) => Checked::Decline(reason),
        };
        let checked = checked.check(interaction);
        checked.map_err(|error| GatewayError::invalid(error.to_string()))
    }

    /// The scope that a device needs to give this answer.
    pub(crate) fn scope(&self) -> Scope {
        let Self::Permission(response) = self else {
            return Scope::Answer;
        };
        if let Some(mode) = &response.mode {
            return mode_scope(&PermissionMode::from(mode.as_str()));
        }
        let is_more =
            response.updated_input.is_some() || response.remember.is_some() || response.interrupt;
        match is_more {
            true => Scope::Drive,
            false => Scope::Answer,
        }
    }
}

/// An answer that won, as the store has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredAnswer {
    pub(crate) answer: Answer,
    /// The device that sent it.
    pub(crate) by: String,
}

impl StoredAnswer {
    /// Gives the answer to the session.
    pub(crate) async fn give(
        self,
        controller: &Controller,
        session_id: SessionId,
        interaction: &str,
        key: &str,
    ) -> Result<(), AnswerRefused> {
        let answerer = Answerer::by(self.by.as_str()).key(key);
        let others = controller.interactions();
        match self.answer {
            Answer::Permission(response) => {
                let response = response.by(self.by).key(key);
                let permissions = controller.permissions();
                permissions.respond(session_id, interaction, response).await
            }
            Answer::Questions(answers) => {
                others
                    .respond(session_id, interaction, answers, answerer)
                    .await
            }
            Answer::Other(answer) => {
                let answered =
                    others.respond_to_interaction(session_id, interaction, answer, answerer);
                answered.await
            }
            Answer::Decline(reason) => {
                others
                    .decline(session_id, interaction, &reason, answerer)
                    .await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_do_more_than_decide_one_call_need_more() {
        let scope = |json: &str| serde_json::from_str::<Answer>(json).unwrap().scope();
        let permission = |more: &str| scope(&format!(r#"{{"permission":{{{more}}}}}"#));
        assert_eq!(permission(r#""choice":"Allow""#), Scope::Answer);
        assert_eq!(
            permission(r#""choice":"Deny","reason":"no""#),
            Scope::Answer
        );
        assert_eq!(scope(r#"{"decline":"no"}"#), Scope::Answer);
        for more in [
            r#""interrupt":true"#,
            r#""remember":"Session""#,
            r#""updated_input":{}"#,
        ] {
            assert_eq!(
                permission(&format!(r#""choice":"Deny",{more}"#)),
                Scope::Drive
            );
        }
        assert_eq!(
            permission(r#""choice":"Allow","mode":"acceptEdits""#),
            Scope::Drive
        );
        for mode in ["auto", "bypassPermissions", "new-mode"] {
            assert_eq!(
                permission(&format!(r#""choice":"Allow","mode":"{mode}""#)),
                Scope::Admin
            );
        }
    }
}
