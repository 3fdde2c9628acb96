//! A subagent defined by the program, with its text shown next to the main answer.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::control::messages::AgentDefinition;
use rusty_claw::{TextPiece, query};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model_with_real_cli([
        demo::calls(
            "Agent",
            json!({"description": "check", "prompt": "CHECK THE SUM", "subagent_type": "checker",
                "run_in_background": false}),
        ),
        demo::says("The sum is right.").to("CHECK THE SUM"),
        demo::says("The checker agrees."),
    ])?;

    let checker = AgentDefinition::new("Checks sums", "You check sums, in one sentence.");
    let options = demo
        .options()
        .agents([("checker", checker)])
        .forward_subagent_text(true);
    let prompt = "Have the checker check that 2 + 2 is 4.";
    let mut pieces = query(prompt, options).await?.text_stream().with_subagents();
    while let Some(piece) = pieces.next().await {
        if let TextPiece::Text {
            text,
            parent_tool_use_id,
            ..
        } = piece?
        {
            let who = if parent_tool_use_id.is_some() {
                "checker"
            } else {
                "main"
            };
            println!("{who}: {text}");
        }
    }
    Ok(())
}
