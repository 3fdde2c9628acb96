//! Questions with choices.

use std::fmt;

use rusty_claw_protocol::tool::{AskUserQuestionInput, UserQuestion};
use rusty_claw_protocol::{Json, Map};

use super::PermissionAnswer;
use crate::error::SessionError;

/// The model asks the user: one or more questions, each with choices.
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

    /// The questions, in the order they are to be shown.
    pub fn questions(&self) -> &[UserQuestion] {
        &self.input.questions
    }

    /// Answers by the text of each question. A choice is the label of an option or whatever the
    /// user typed instead. A question that takes several choices is named several times. Questions
    /// may be left out: the model is told that they were not answered.
    ///
    /// # Errors
    /// A question is not among those asked, is answered twice though it takes one choice, or
    /// nothing is answered at all: then deny, so that the model knows why.
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
                .ok_or_else(|| unfit(format!("nobody asked {question:?}")))?;
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

    /// Does not answer; the model reads why.
    pub fn decline(&self, message: impl Into<String>) -> PermissionAnswer {
        PermissionAnswer::deny(message)
    }
}

// The questions are the conversation's.
impl fmt::Debug for QuestionAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuestionAsk")
            .field("questions", &self.questions().len())
            .finish_non_exhaustive()
    }
}

fn unfit(why: String) -> SessionError {
    SessionError::Unsendable {
        what: "an answer to questions",
        why,
    }
}
