//! Error messages, provoked with the real CLI.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use rusty_claw::messages::{Message, SystemMessage};
use rusty_claw::{Options, Session, query};

use crate::stage::{kill, options, soon};

/// What to do without a valid key.
const KEY: &str = "give the CLI a key with the variable ANTHROPIC_API_KEY";

/// Everything that a person is likely to meet, and the advice that each message must contain.
pub(crate) async fn figure() -> Figure {
    let rows = [
        (
            "the CLI is missing",
            soon("it", missing()).await,
            "install it (npm install -g @anthropic-ai/claude-code) or name it with Options::cli_path",
        ),
        (
            "a CLI that is too old",
            soon("it", too_old()).await,
            "update it (claude update)",
        ),
        (
            "a bad flag",
            soon("it", bad_flag()).await,
            "does not know --no-such-flag; leave out the option that needs it",
        ),
        (
            "the folder is gone",
            soon("it", refused(|o| o.cwd("/nowhere/at/all"))).await,
            "create it, or name another with Options::cwd",
        ),
        (
            "no such conversation",
            soon("it", no_such_session()).await,
            "name the folder of that one with Options::cwd",
        ),
        ("not logged in", soon("it", not_logged_in()).await, KEY),
        (
            "a wrong key",
            soon("it", rejected(401, "authentication_error")).await,
            KEY,
        ),
        (
            "overloaded",
            soon("it", rejected(529, "overloaded_error")).await,
            "Options::max_retries says; try again later",
        ),
        (
            "killed by the system",
            soon("it", killed()).await,
            "the system may have run out of memory, see its log",
        ),
        (
            "the disk is full",
            soon("it", disk_full()).await,
            "Free up space on that disk",
        ),
    ];
    let mut good = 0;
    let mut lines = Vec::new();
    for (when, printed, advice) in rows {
        match printed.flatten() {
            Ok(printed) if printed.contains(advice) => {
                good += 1;
                lines.push(format!("{when}: {printed}"));
            }
            Ok(printed) => lines.push(format!("{when}: DOES NOT SAY {advice:?}: {printed}")),
            Err(error) => lines.push(format!("{when}: COULD NOT BE PROVOKED: {error:#}")),
        }
    }
    Figure::new(
        "what people read when it goes wrong, on the real CLI",
        "all say what to do",
    )
    .measured(format!("{good} of {}", lines.len()), good == lines.len())
    .list("as printed", lines)
}

/// What `main` prints if a start fails with this error.
async fn refused(set: impl FnOnce(Options) -> Options) -> Result<String> {
    let world = World::new().await?;
    match Session::start(set(options(&world))).await {
        Ok(_) => bail!("the session started"),
        Err(error) => Ok(format!("{error:?}")),
    }
}

/// What `main` prints if a prompt is not answered.
async fn unanswered(options: Options) -> Result<String> {
    match query("Hello", options).await?.text().await {
        Ok(text) => bail!("the prompt was answered: {text}"),
        Err(error) => Ok(format!("{error:?}")),
    }
}

/// In another process, because the search depends on the environment.
async fn missing() -> Result<String> {
    let world = World::new().await?;
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_real-cli-host"));
    command
        .arg("find")
        .current_dir(world.project())
        .env_clear()
        .envs(world.environment())
        .env("PATH", world.project())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = command.output().await.context("the host did not start")?;
    ensure!(
        !output.status.success(),
        "a CLI was found: one is installed in a folder of the system"
    );
    let printed = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(printed.replace(&world.folder().display().to_string(), "…"))
}

async fn too_old() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let old = folder.path().join("claude");
    executable(&old, "#!/bin/sh\necho '1.0.98 (Claude Code)'\n")?;
    let printed = refused(|o| o.cli_path(&old)).await?;
    Ok(printed.replace(&old.display().to_string(), "claude"))
}

async fn bad_flag() -> Result<String> {
    let printed = refused(|o| o.extra_flag("--no-such-flag", None::<&str>)).await?;
    let binary = claw_testkit::real_cli::real_cli().binary;
    Ok(printed.replace(&binary.display().to_string(), "claude"))
}

async fn no_such_session() -> Result<String> {
    let id = "00000000-0000-4000-8000-000000000000";
    let printed = refused(|o| o.resume(id)).await?;
    ensure!(printed.contains(id), "it does not name it: {printed}");
    Ok(printed)
}

async fn not_logged_in() -> Result<String> {
    let world = World::new().await?;
    unanswered(options(&world).env_remove("ANTHROPIC_API_KEY")).await
}

/// A model that rejects every request.
async fn rejected(status: u16, kind: &str) -> Result<String> {
    let message = if status == 401 {
        "invalid x-api-key"
    } else {
        "Overloaded"
    };
    let world = World::with([Turn::error(status, kind, message).always()]).await?;
    // The CLI retries ten times by default, which takes minutes.
    let printed = unanswered(options(&world).max_retries(1)).await?;
    Ok(printed.replace(&world.api.address().to_string(), "127.0.0.1"))
}

async fn killed() -> Result<String> {
    let slow = Turn::text("word ".repeat(200)).delay_between(Duration::from_millis(100));
    let world = World::with([slow.chunk_chars(5)]).await?;
    let (session, messages) = Session::start(options(&world)).await?;
    drop(messages);
    let turn = session.send("Go").await?;
    world.api.arrived(1).await;
    kill(&session)?;
    Ok(turn.await.to_string())
}

/// The config folder is on its own disk, which is too small for a conversation.
async fn disk_full() -> Result<String> {
    let world = World::with([Turn::text("word ".repeat(20_000))]).await?;
    let cli = world.folder().join("claude");
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c \
         'mount -t tmpfs -o size=96k tmpfs \"$CLAUDE_CONFIG_DIR\" && exec \"$0\" \"$@\"' '{}' \"$@\"\n",
        world.binary().display()
    );
    executable(&cli, &script)?;
    let (session, mut messages) = Session::start(options(&world).cli_path(&cli)).await?;
    let outcome = session.send("Go").await?.await;
    ensure!(outcome.is_success(), "the turn {outcome}");
    let closed = session.close().await;
    let mut is_reported = false;
    while let Some(received) = messages.next_message().await {
        is_reported |= matches!(
            received.message,
            Message::System(SystemMessage::SessionWritesLost(_))
        );
    }
    ensure!(is_reported, "no message reports the lost writes");
    let printed = closed.stderr_tail.trim();
    Ok(printed.replace(&world.folder().display().to_string(), "…"))
}

fn executable(path: &Path, script: &str) -> Result<()> {
    std::fs::write(path, script)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
