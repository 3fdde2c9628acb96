//! Decides about each tool call for which the CLI would ask a person.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode};
use rusty_claw::query;
use rusty_claw::tool::ToolView;
use serde_json::json;

/// Stands in for a person: allows `touch` and denies everything else.
async fn decide(ask: PermissionAsk) -> PermissionAnswer {
    match ask.tool() {
        ToolView::Bash(bash) if bash.command.starts_with("touch ") => {
            println!("allowed: {}", bash.command);
            PermissionAnswer::allow()
        }
        ToolView::Bash(bash) => {
            println!("denied: {}", bash.command);
            PermissionAnswer::deny("Only touch is fine here.")
        }
        _ => PermissionAnswer::deny(format!("{} is not for this session.", ask.tool_name())),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "Bash",
            json!({"command": "touch notes.txt", "description": "make a file"}),
        ),
        demo::calls(
            "Bash",
            json!({"command": "rm -rf notes.txt", "description": "remove it"}),
        ),
        demo::says("The file is there; I was not allowed to remove it."),
    ])?;

    let options = demo
        .options()
        .permission_mode(PermissionMode::Default)
        .can_use_tool(decide);
    let prompt = "Create notes.txt with touch, then remove it with rm.";
    println!("{}", query(prompt, options).await?.text().await?);
    Ok(())
}
