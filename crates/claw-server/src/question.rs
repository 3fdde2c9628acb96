//! What the agent asks its user.

use serde::{Deserialize, Serialize};

use crate::open_names::open_names;

/// Questions that wait for a person, in
/// [`UiMessage::UserInteractionRequired`](crate::UiMessage::UserInteractionRequired).
///
/// ```
/// use claw_server::{AskUserQuestionsRequest, Question, QuestionType};
///
/// let request = AskUserQuestionsRequest {
///     questions: vec![Question {
///         id: "toolu_1:0".to_string(),
///         text: "Which database?".to_string(),
///         question_type: QuestionType::SingleChoice,
///         options: Some(vec!["SQLite".to_string(), "Postgres".to_string()]),
///         required: false,
///     }],
/// };
/// assert_eq!(
///     serde_json::to_string(&request)?,
///     r#"{"questions":[{"id":"toolu_1:0","text":"Which database?","question_type":"SingleChoice","options":["SQLite","Postgres"],"required":false}]}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AskUserQuestionsRequest {
    /// The questions, in the order in which the agent asked them.
    pub questions: Vec<Question>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Question {
    /// By this an answer names its question: two questions may have the same text.
    pub id: String,
    /// The question as the agent put it.
    pub text: String,
    /// How it is to be answered.
    pub question_type: QuestionType,
    /// What there is to choose from; nothing for free text.
    pub options: Option<Vec<String>>,
    /// Whether the agent needs this answer to continue. Always false in messages of this server:
    /// the CLI accepts partial answers and reports to the model which questions were answered.
    pub required: bool,
}

open_names! {
    /// How a question is to be answered.
    pub enum QuestionType {
        /// One of the options.
        SingleChoice,
        /// Any number of the options.
        MultiChoice,
        /// The user's own words.
        FreeText,
    }
}
