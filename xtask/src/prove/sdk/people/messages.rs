//! What people read when something goes wrong, brought about with the real CLI.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::messages::{Message, SystemMessage};
use rusty_claw::{Options, Session, query};

use crate::prove::figure::Figure;
use crate::prove::sdk::programs::Programs;
use crate::prove::sdk::{Inputs, World};

/// None of the rows takes as long.
const PATIENCE: Duration = Duration::from_secs(20);
/// What to do without a key that is taken.
const KEY: &str = "give the CLI a key with the variable ANTHROPIC_API_KEY";

/// What was printed, and the advice that must be in it.
type Said = (String, &'static str);

/// What went wrong, what was printed, and the advice that must be in it.
struct Row {
    when: &'static str,
    said: String,
    advice: &'static str,
}

impl Row {
    fn new(when: &'static str, said: String, advice: &'static str) -> Self {
        Self { when, said, advice }
    }

    fn is_good(&self) -> bool {
        self.said.contains(self.advice)
    }

    fn shown(&self) -> String {
        let Self { when, said, advice } = self;
        if self.is_good() {
            format!("{when}: {said}")
        } else {
            format!("{when}: DOES NOT SAY {advice:?}: {said}")
        }
    }
}

/// Everything that a person is likely to meet.
pub(super) async fn figure(inputs: &Inputs) -> Result<Figure> {
    let programs = Programs::build()?;
    let rows: Vec<Row> = vec![
        soon("the CLI is missing", missing(inputs, &programs)).await,
        soon("a CLI that is too old", too_old(inputs)).await,
        soon("a bad flag", bad_flag(inputs)).await,
        soon("the folder is gone", folder_gone(inputs)).await,
        soon("no such conversation", no_such_session(inputs)).await,
        soon("not logged in", not_logged_in(inputs)).await,
        soon("a wrong key", wrong_key(inputs)).await,
        soon("overloaded", overloaded(inputs)).await,
        soon("killed by the system", killed(inputs)).await,
        soon("the disk is full", disk_full(inputs)).await,
    ];
    let good = rows.iter().filter(|row| row.is_good()).count();
    Ok(Figure::new(
        "what people read when it goes wrong, on the real CLI",
        "all say what to do",
    )
    .measured(format!("{good} of {}", rows.len()), good == rows.len())
    .list("as printed", rows.iter().map(Row::shown)))
}

/// None of them may take long; one that does, or cannot be brought about, is a row that is wrong.
async fn soon(when: &'static str, row: impl Future<Output = Result<Said>>) -> Row {
    match tokio::time::timeout(PATIENCE, row).await {
        Ok(Ok((said, advice))) => Row::new(when, said, advice),
        Ok(Err(error)) => Row::new(when, format!("{error:#}"), "(could not be brought about)"),
        Err(_) => Row::new(when, format!("nothing within {PATIENCE:?}"), "what to do"),
    }
}

/// What `main` prints when a start fails with it.
async fn refused(options: Options) -> Result<String> {
    match Session::start(options).await {
        Ok(_) => anyhow::bail!("the session started"),
        Err(error) => Ok(format!("{error:?}")),
    }
}

/// What `main` prints when a prompt is not answered.
async fn unanswered(options: Options) -> Result<String> {
    match query("Hello", options).await?.text().await {
        Ok(text) => anyhow::bail!("the prompt was answered: {text}"),
        Err(error) => Ok(format!("{error:?}")),
    }
}

/// In a program of its own: where to look is a matter of its environment.
async fn missing(inputs: &Inputs, programs: &Programs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let mut command = tokio::process::Command::new(programs.bench("host"));
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
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.replace(&world.folder().display().to_string(), "…");
    Ok((
        said,
        "install it (npm install -g @anthropic-ai/claude-code) or name it with Options::cli_path",
    ))
}

async fn too_old(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let old = world.project().join("claude");
    executable(&old, "#!/bin/sh\necho '1.0.98 (Claude Code)'\n")?;
    let said = refused(world.options().cli_path(&old)).await?;
    let said = said.replace(&old.display().to_string(), "claude");
    Ok((said, "update it (claude update)"))
}

async fn bad_flag(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let options = world.options().extra_flag("--no-such-flag", None::<&str>);
    let said = refused(options).await?;
    let said = said.replace(&inputs.cli.binary().display().to_string(), "claude");
    Ok((
        said,
        "does not know --no-such-flag; leave out the option that needs it",
    ))
}

async fn folder_gone(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let said = refused(world.options().cwd("/nowhere/at/all")).await?;
    Ok((said, "create it, or name another with Options::cwd"))
}

async fn no_such_session(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let id = "00000000-0000-4000-8000-000000000000";
    let said = refused(world.options().resume(id)).await?;
    ensure!(said.contains(id), "it does not say which: {said}");
    Ok((said, "name the folder of that one with Options::cwd"))
}

async fn not_logged_in(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let options = world.options().env_remove("ANTHROPIC_API_KEY");
    let said = unanswered(options).await?;
    Ok((said, KEY))
}

async fn wrong_key(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let refusal = Turn::error(401, "authentication_error", "invalid x-api-key");
    world.api.turn(refusal.always());
    // The CLI tries this again too, ten times unless told otherwise, which takes minutes.
    let said = unanswered(world.options().max_retries(1)).await?;
    Ok((said, KEY))
}

async fn overloaded(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    world
        .api
        .turn(Turn::error(529, "overloaded_error", "Overloaded").always());
    let said = unanswered(world.options().max_retries(1)).await?;
    let said = said.replace(&world.api.address().to_string(), "127.0.0.1");
    Ok((said, "Options::max_retries says; try again later"))
}

async fn killed(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let slow = Turn::text("word ".repeat(200)).delay_between(Duration::from_millis(100));
    world.api.turn(slow.chunk_chars(5));
    let (session, messages) = Session::start(world.options()).await?;
    drop(messages);
    let turn = session.send("Go").await?;
    world.api.arrived(1).await;
    let pid = session.pid().context("there is no process")?;
    let kill = std::process::Command::new("kill")
        .args(["-9", &pid.to_string()])
        .status()?;
    ensure!(kill.success(), "kill ended with {kill}");
    let said = turn.await.to_string();
    Ok((said, "the system may have run out of memory, see its log"))
}

/// The config folder is on a disk of its own, which is too small for a conversation.
async fn disk_full(inputs: &Inputs) -> Result<Said> {
    let world = World::new(&inputs.cli).await?;
    let cli = world.folder().join("claude");
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c \
         'mount -t tmpfs -o size=96k tmpfs \"$CLAUDE_CONFIG_DIR\" && exec \"$0\" \"$@\"' '{}' \"$@\"\n",
        inputs.cli.binary().display()
    );
    executable(&cli, &script)?;
    world.api.turn(Turn::text("word ".repeat(20_000)));
    let (session, mut messages) = Session::start(world.options().cli_path(&cli)).await?;
    let outcome = session.send("Go").await?.await;
    ensure!(outcome.is_success(), "the turn did not go on: {outcome}");
    let closed = session.close().await;
    let mut is_told = false;
    while let Some(received) = messages.next_message().await {
        is_told |= matches!(
            received.message,
            Message::System(SystemMessage::SessionWritesLost(_))
        );
    }
    ensure!(is_told, "no message says that something was not written");
    let said = closed.stderr_tail.trim();
    let said = said.replace(&world.folder().display().to_string(), "…");
    Ok((said, "Free up space on that disk"))
}

fn executable(path: &Path, script: &str) -> Result<()> {
    std::fs::write(path, script)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}
