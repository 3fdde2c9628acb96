//! Questions of the agent.

use rusty_claw_protocol::tool::ToolView;
use serde::{Deserialize, Serialize};

use crate::event::Interaction;
use crate::open_enum::open_enum;

/// Questions that wait for answers, in
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
    /// Identifies the question in an answer: two questions may have the same text.
    pub id: String,
    /// The text of the question.
    pub text: String,
    /// How to answer it.
    pub question_type: QuestionType,
    /// The options to choose from; `None` for free text.
    pub options: Option<Vec<String>>,
    /// Whether the agent needs this answer to continue. Always false in messages of this server:
    /// the CLI accepts partial answers and reports to the model which questions were answered.
    pub required: bool,
}

open_enum! {
    /// How to answer a question.
    pub enum QuestionType {
        /// One of the options.
        SingleChoice,
        /// Any number of the options.
        MultiChoice,
        /// The user's own words.
        FreeText,
    }
}

impl AskUserQuestionsRequest {
    /// Creates the questions of an interaction. Their ids consist of the call and an index, because
    /// two questions may have the same text.
    pub fn of_interaction(interaction: &Interaction) -> Self {
        let call = interaction
            .tool_use_id
            .as_deref()
            .unwrap_or(interaction.id.as_str());
        let input = interaction.request.get("input").unwrap_or_default();
        let asked = match ToolView::of("AskUserQuestion", &input) {
            ToolView::AskUserQuestion(asked) => asked.questions,
            _ => Vec::new(),
        };
        let questions = asked.into_iter().enumerate().map(|(index, asked)| {
            let options: Vec<String> = asked.options.into_iter().map(|one| one.label).collect();
            Question {
                id: format!("{call}:{index}"),
                text: asked.question,
                question_type: match (options.is_empty(), asked.multi_select) {
                    (true, _) => QuestionType::FreeText,
                    (false, true) => QuestionType::MultiChoice,
                    (false, false) => QuestionType::SingleChoice,
                },
                options: Some(options).filter(|options| !options.is_empty()),
                required: false,
            }
        });
        Self {
            questions: questions.collect(),
        }
    }
}
