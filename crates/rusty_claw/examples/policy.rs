//! Rules decide what they can; a callback decides the rest.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::permission::{PermissionAnswer, PermissionAsk, PermissionMode, Policy, Rule};
use rusty_claw::query;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "Bash",
            json!({"command": "touch a.txt", "description": "make a file"}),
        ),
        demo::calls(
            "Bash",
            json!({"command": "git push --force", "description": "push"}),
        ),
        demo::calls(
            "Bash",
            json!({"command": "mkdir sub", "description": "make a folder"}),
        ),
        demo::says("One ran, one was forbidden, one was asked about."),
    ])?;

    // The first matching rule decides. `git push` is also found behind `&&`, `;` and `$(…)`, but a
    // deny is not a security boundary: to prevent something, list what is allowed instead. Commands
    // that write are allowed in the working directory of the session.
    let policy = Policy::new()
        .working_in(demo.folder().to_string_lossy())
        .deny_because(Rule::command("git push"), "Pushing is for people.")
        .allow(Rule::command("touch"))
        .then(|ask: PermissionAsk| async move {
            println!("no rule for: {}", ask.input().text());
            PermissionAnswer::allow()
        });
    let options = demo
        .options()
        .permission_mode(PermissionMode::Default)
        .permission_handler(policy);
    let prompt = "Run three commands: touch a.txt, git push --force, mkdir sub.";
    println!("{}", query(prompt, options).await?.text().await?);
    Ok(())
}
