//! Answers to questions.

use serde::{Deserialize, Serialize};

/// The answer to one question.
///
/// ```
/// use claw_server::registry::QuestionAnswer;
///
/// let colour = QuestionAnswer::choice("toolu_1:0", "Blue");
/// let toppings = QuestionAnswer::choices("toolu_1:1", ["Olives", "Capers"]).and_text("no cheese");
/// assert_eq!(
///     serde_json::to_string(&[colour, toppings])?,
///     concat!(
///         r#"[{"question_id":"toolu_1:0","choices":["Blue"]},"#,
///         r#"{"question_id":"toolu_1:1","choices":["Olives","Capers"],"text":"no cheese"}]"#,
///     )
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionAnswer {
    /// The question's id.
    pub question_id: String,
    /// The chosen options, by their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Free text, instead of options or, with multiple choice, in addition to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl QuestionAnswer {
    /// Chooses one option.
    pub fn choice(question_id: impl Into<String>, option: impl Into<String>) -> Self {
        Self::choices(question_id, [option.into()])
    }

    /// Chooses several options.
    pub fn choices<O: Into<String>>(
        question_id: impl Into<String>,
        options: impl IntoIterator<Item = O>,
    ) -> Self {
        Self {
            question_id: question_id.into(),
            choices: options.into_iter().map(Into::into).collect(),
            text: None,
        }
    }

    /// Answers in free text.
    pub fn text(question_id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::choices::<String>(question_id, []).and_text(text)
    }

    /// Adds free text.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }
}
