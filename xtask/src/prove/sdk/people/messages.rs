//! What people read when something goes wrong, brought about with the real CLI.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::{Options, Session, query};

use crate::prove::figure::Figure;
use crate::prove::sdk::{Inputs, World};

/// What went wrong, what was printed, and what must be in it.
type Row = (&'static str, String, &'static str);

/// Everything that a person is likely to meet.
pub(super) async fn figure(inputs: &Inputs) -> Result<Figure> {
    let rows: Vec<Row> = vec![
        soon("too old", too_old(inputs)).await?,
        soon("bad flag", bad_flag(inputs)).await?,
        soon("folder gone", folder_gone(inputs)).await?,
        soon("no such session", no_such_session(inputs)).await?,
        soon("not logged in", not_logged_in(inputs)).await?,
        soon("wrong key", wrong_key(inputs)).await?,
        soon("overloaded", overloaded(inputs)).await?,
        soon("killed", killed(inputs)).await?,
    ];
    let good = rows.iter().filter(|(_, said, part)| said.contains(part));
    let good = good.count();
    Ok(Figure::new(
        "what people read when it goes wrong, on the real CLI",
        "all say what to do",
    )
    .measured(format!("{good} of {}", rows.len()), good == rows.len())
    .list(
        "as printed",
        rows.iter().map(|(when, said, _)| format!("{when}: {said}")),
    ))
}

/// None of them may take long; one that does is named and judged by what it has printed: nothing.
async fn soon(name: &'static str, row: impl Future<Output = Result<Row>>) -> Result<Row> {
    match tokio::time::timeout(Duration::from_secs(20), row).await {
        Ok(row) => row,
        Err(_) => Ok((name, "nothing within 20 s".to_owned(), "what to do")),
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

async fn too_old(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let old = world.project().join("claude");
    std::fs::write(&old, "#!/bin/sh\necho '1.0.98 (Claude Code)'\n")?;
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o755))?;
    let said = refused(world.options().cli_path(&old)).await?;
    let said = said.replace(&old.display().to_string(), "claude");
    Ok(("a CLI that is too old", said, "update it"))
}

async fn bad_flag(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let options = world.options().extra_flag("--no-such-flag", None::<&str>);
    let said = refused(options).await?;
    let said = said.replace(&inputs.cli.binary().display().to_string(), "claude");
    Ok((
        "a bad flag",
        said,
        "does not know --no-such-flag; leave out",
    ))
}

async fn folder_gone(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let said = refused(world.options().cwd("/nowhere/at/all")).await?;
    Ok(("the folder is gone", said, "create it"))
}

async fn no_such_session(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let id = "00000000-0000-4000-8000-000000000000";
    let said = refused(world.options().resume(id)).await?;
    Ok(("no such conversation", said, id))
}

async fn not_logged_in(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let options = world.options().env_remove("ANTHROPIC_API_KEY");
    let said = unanswered(options).await?;
    Ok(("not logged in", said, "ANTHROPIC_API_KEY"))
}

async fn wrong_key(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    let refusal = Turn::error(401, "authentication_error", "invalid x-api-key");
    world.api.turn(refusal.always());
    // The CLI tries this again too, ten times unless told otherwise, which takes minutes.
    let said = unanswered(world.options().max_retries(1)).await?;
    Ok(("a wrong key", said, "ANTHROPIC_API_KEY"))
}

async fn overloaded(inputs: &Inputs) -> Result<Row> {
    let world = World::new(&inputs.cli).await?;
    world
        .api
        .turn(Turn::error(529, "overloaded_error", "Overloaded").always());
    let said = unanswered(world.options().max_retries(1)).await?;
    let said = said.replace(&world.api.address().to_string(), "127.0.0.1");
    Ok(("overloaded", said, "Options::max_retries"))
}

async fn killed(inputs: &Inputs) -> Result<Row> {
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
    Ok(("killed by the system", said, "run out of memory"))
}
