//! Restores files to their state before a prompt.

#[path = "support/demo.rs"]
mod demo;

use rusty_claw::Session;
use rusty_claw::permission::PermissionMode;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The script of the model contains this path, so the file is created first.
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("poem.txt");
    std::fs::write(&file, "roses are red\n")?;
    let demo = demo::model_with_real_cli([
        demo::calls("Read", json!({"file_path": file})),
        demo::calls(
            "Edit",
            json!({"file_path": file, "old_string": "red", "new_string": "blue"}),
        ),
        demo::says("The roses are blue now."),
    ])?;

    let options = demo
        .options()
        .cwd(folder.path())
        .permission_mode(PermissionMode::AcceptEdits)
        .enable_file_checkpointing(true);
    let (session, messages) = Session::start(options).await?;
    drop(messages);
    let turn = session.send("Change red to blue in poem.txt.").await?;
    let before = turn.id().to_owned();
    println!("{}", turn.await.text().unwrap_or("(no answer)"));
    print!("after the turn: {}", std::fs::read_to_string(&file)?);

    session.rewind_files(&before).await?;
    print!("after rewinding: {}", std::fs::read_to_string(&file)?);
    session.close().await;
    Ok(())
}
