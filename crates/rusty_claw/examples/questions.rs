//! The model asks the user something, with choices.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::permission::{AskKind, PermissionAnswer, PermissionAsk};
use rusty_claw::query;
use serde_json::json;

/// Shows the questions and takes the first choice of each.
async fn answer(ask: PermissionAsk) -> PermissionAnswer {
    match ask.kind() {
        AskKind::Question(asked) => {
            let mut answers = Vec::new();
            for question in asked.questions() {
                let labels: Vec<&str> = question
                    .options
                    .iter()
                    .map(|option| option.label.as_str())
                    .collect();
                println!("{} ({})", question.question, labels.join(", "));
                if let Some(first) = labels.first() {
                    answers.push((question.question.clone(), (*first).to_owned()));
                }
            }
            asked.answer(answers).into()
        }
        AskKind::Plan(plan) => plan.approve(None),
        _ => PermissionAnswer::deny("Nothing else is needed here."),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "AskUserQuestion",
            json!({"questions": [{
                "question": "Which colour?", "header": "Colour", "multiSelect": false,
                "options": [
                    {"label": "Blue", "description": "Like the sea"},
                    {"label": "Red", "description": "Like a crab"},
                ],
            }]}),
        ),
        demo::says("Blue it is."),
    ])?;

    let options = demo.options().can_use_tool(answer);
    let prompt = "Ask me which colour I want, with AskUserQuestion: Blue or Red.";
    println!("{}", query(prompt, options).await?.text().await?);
    Ok(())
}
