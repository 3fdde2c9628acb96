//! Questions with choices.

use rusty_claw_protocol::tool::{AskUserQuestionInput, UserQuestion};
use rusty_claw_protocol::{Json, Map};

use super::PermissionAnswer;
use crate::error::SessionError;

/// Questions from the model to the user, each with choices.
///
/// ```
/// use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk};
///
/// // Always takes the first choice.
/// async fn first_choice(ask: PermissionAsk) -> PermissionAnswer {
///     let AskKind::Question(question) = ask.kind() else {
///         return PermissionAnswer::deny("Questions only");
///     };
///     let firsts = question.questions().iter().filter_map(|one| {
///         Some((one.question.as_str(), one.options.first()?.label.as_str()))
///     });
///     question.answer(firsts).into()
/// }
/// ```
#[derive(Clone, PartialEq)]
pub struct QuestionAsk {
    input: AskUserQuestionInput,
}

impl QuestionAsk {
    pub(crate) fn new(input: AskUserQuestionInput) -> Self {
        Self { input }
    }

    /// The questions, in display order.
    pub fn questions(&self) -> &[UserQuestion] {
        &self.input.questions
    }

    /// Answers each question, identified by its text. A choice is the label of an option, or text
    /// that the user typed instead. For several choices, repeat the question. Questions may be left
    /// out: the model is informed that they were not answered.
    ///
    /// # Errors
    /// A question was not asked, is answered twice although it takes one choice, or nothing is
    /// answered at all: in that case deny, so that the model learns the reason.
    pub fn answer<Q, C>(
        &self,
        answers: impl IntoIterator<Item = (Q, C)>,
    ) -> Result<PermissionAnswer, SessionError>
    where
        Q: AsRef<str>,
        C: AsRef<str>,
    {
        let mut given: Map<String> = Map::new();
        for (question, choice) in answers {
            let (question, choice) = (question.as_ref(), choice.as_ref());
            let asked = self
                .questions()
                .iter()
                .find(|asked| asked.question == question)
                .ok_or_else(|| unfit(format!("{question:?} was not asked")))?;
            let joined = match given.get(question) {
                None => choice.to_owned(),
                Some(_) if !asked.multi_select => {
                    return Err(unfit(format!("{question:?} takes one choice")));
                }
                Some(before) => format!("{before}, {choice}"),
            };
            given.insert(question, joined);
        }
        if given.is_empty() {
            return Err(unfit("it answers no question".to_owned()));
        }
        let mut input = self.input.clone();
        // The model may have filled in answers and notes of its own. They are not the user's.
        let answers = Json::from_serialize(&given).map_err(|error| unfit(error.to_string()))?;
        input.answers = None;
        input.annotations = None;
        if input.extra.get("annotations").is_some() {
            input.extra.insert("annotations", Json::NULL);
        }
        input.extra.insert("answers", answers);
        Json::from_serialize(&input)
            .map(PermissionAnswer::allow_with)
            .map_err(|error| unfit(error.to_string()))
    }

    /// Declines to answer; the model reads the message.
    pub fn decline(&self, message: impl Into<String>) -> PermissionAnswer {
        PermissionAnswer::deny(message)
    }
}

// The questions are part of the conversation, so they are not printed.
debug_fields!(QuestionAsk, |ask| questions: ask.questions().len());

fn unfit(why: String) -> SessionError {
    SessionError::Unsendable {
        what: "an answer to questions",
        why,
    }
}
