//! What the agent asks its user, in the words of an [`AskUserQuestionsRequest`].

use rusty_claw_protocol::tool::ToolView;

use crate::event::AskedPrompt;
use crate::question::{AskUserQuestionsRequest, Question, QuestionType};

impl AskUserQuestionsRequest {
    /// The questions of a prompt. Their ids are the call and the place in the list: two questions
    /// may have the same text.
    pub fn of_prompt(prompt: &AskedPrompt) -> Self {
        let call = prompt.tool_use_id.as_deref().unwrap_or(prompt.id.as_str());
        let input = prompt.request.get("input").unwrap_or_default();
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
