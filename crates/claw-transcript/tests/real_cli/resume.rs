//! Puts session files into a configuration folder and resumes them with the real CLI.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result};
use claw_testkit::Turn;
use claw_testkit::real_cli::World;
use claw_transcript::ProjectKey;
use serde_json::Value;

use crate::strict;

/// A file next to the main file of a session, by its path in the folder of the project.
pub(crate) type OtherFile = (PathBuf, Vec<u8>);

/// The folder of the sessions in the project of a world.
pub(crate) fn project_folder(world: &World) -> PathBuf {
    let key = ProjectKey::of_dir(world.project());
    world.config().join("projects").join(key.as_str())
}

/// Reads all files below a folder.
pub(crate) fn read_files(folder: &Path) -> Result<Vec<OtherFile>> {
    let mut files = Vec::new();
    gather(folder, folder, &mut files)?;
    Ok(files)
}

fn gather(folder: &Path, root: &Path, files: &mut Vec<OtherFile>) -> Result<()> {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, root, files)?;
        } else {
            files.push((path.strip_prefix(root)?.to_owned(), std::fs::read(&path)?));
        }
    }
    Ok(())
}

/// Writes the files of a session to the project of a world. Returns the path of the main file.
pub(crate) fn put(world: &World, id: &str, bytes: &[u8], others: &[OtherFile]) -> Result<PathBuf> {
    let folder = project_folder(world);
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{id}.jsonl"));
    std::fs::write(&path, bytes)?;
    for (inside, bytes) in others {
        let path = folder.join(inside);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, bytes)?;
    }
    Ok(path)
}

/// Resumes a session with one more prompt. Returns the messages that the model received, and the
/// faults in them.
pub(crate) async fn ask(world: &World, id: &str) -> Result<(Vec<Value>, Vec<String>)> {
    world.api.fallback(Turn::text("Noted."));
    let (succeeded, output) = prompt(world, "the next prompt", &["--resume", id]).await?;
    let mut errors = Vec::new();
    if !succeeded {
        errors.push(output.trim().chars().take(80).collect());
    }
    let requests = world.message_requests();
    let with_tools = requests
        .iter()
        .rfind(|request| !request.tool_names().is_empty());
    let messages = with_tools.map(|it| it.messages()).unwrap_or_default();
    errors.extend(strict::refusals(messages));
    Ok((messages.to_vec(), errors))
}

/// Runs the CLI for one prompt. Returns whether it succeeded, and its output.
pub(crate) async fn prompt(world: &World, text: &str, args: &[&str]) -> Result<(bool, String)> {
    let child = tokio::process::Command::from(world.command())
        .args(["-p", text, "--allowedTools", "Bash,Agent"])
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the CLI did not start")?;
    let output = tokio::time::timeout(Duration::from_secs(120), child.wait_with_output())
        .await
        .context("the CLI did not end within two minutes")??;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.success(), text))
}
