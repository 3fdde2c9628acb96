//! A hook that denies `rm` regardless of rules and modes, and one that runs when the turn ends.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::hook::{Hook, HookOutput};
use rusty_claw::query;
use rusty_claw::tool::ToolView;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let demo = demo::model([
        demo::calls(
            "Bash",
            json!({"command": "rm -rf build", "description": "clean up"}),
        ),
        demo::says("I was not allowed to remove the folder."),
    ])?;

    let no_rm = Hook::pre_tool_use(|input, _| async move {
        match ToolView::of(&input.tool_name, &input.tool_input) {
            ToolView::Bash(bash) if bash.command.contains("rm ") => {
                println!("stopped: {}", bash.command);
                HookOutput::deny("Files are removed by people here.")
            }
            _ => HookOutput::none(),
        }
    })
    .matching("Bash");
    let done = Hook::stop(|_, _| async {
        println!("the turn is about to end");
        HookOutput::none()
    });
    // The rule allows every command, but the hook still runs.
    let options = demo
        .options()
        .allowed_tools(["Bash"])
        .hook(no_rm)
        .hook(done);
    let prompt = "Remove the folder build with rm -rf.";
    println!("{}", query(prompt, options).await?.text().await?);
    Ok(())
}
