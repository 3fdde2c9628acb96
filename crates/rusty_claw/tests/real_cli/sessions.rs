//! Session files that the library changed or made, read by the real CLI.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use rusty_claw::sessions::{ForkOptions, MessageFilter, Role, SessionLibrary};

use crate::checks::Checks;

/// A world with a model that always answers.
async fn world() -> Result<(World, SessionLibrary)> {
    let world = World::new().await?;
    world.api.fallback(Turn::text("Noted."));
    let library = SessionLibrary::open(world.config());
    Ok((world, library))
}

/// Runs the CLI for one prompt; returns whether it succeeded, and its output.
async fn prompt(world: &World, cwd: &Path, prompt: &str, args: &[&str]) -> Result<(bool, String)> {
    let child = tokio::process::Command::from(world.command())
        .args(["--bare", "-p", prompt])
        .args(args)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("the CLI did not start")?;
    let output = tokio::time::timeout(Duration::from_secs(60), child.wait_with_output())
        .await
        .context("the CLI did not end within a minute")??;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok((output.status.success(), text))
}

/// The CLI's folder for a directory is the one that the library names.
pub(crate) async fn keys() -> Result<Figure> {
    let (world, library) = world().await?;
    let base = world.project();
    let long = "a long name, cut and hashed".repeat(5);
    let mut dirs: Vec<PathBuf> = [
        "plain",
        "dots.and_more",
        "ünï",
        "e\u{301}",
        "日本語",
        "🦀 crab",
    ]
    .iter()
    .map(|name| base.join(name))
    .collect();
    dirs.push(base.join(&long).join(&long));
    for dir in &dirs {
        std::fs::create_dir_all(dir)?;
    }
    let link = base.join("link");
    std::os::unix::fs::symlink(base.join("plain"), &link)?;
    dirs.push(link);

    let mut wrong = Vec::new();
    for dir in &dirs {
        let project = library.project_of(dir);
        let before = sessions_in(&project.path);
        let (succeeded, output) = prompt(&world, dir, "hello", &[]).await?;
        ensure!(succeeded, "no answer in {}: {output}", dir.display());
        if sessions_in(&project.path) != before + 1 {
            wrong.push(format!("{}: not in {}", dir.display(), project.key));
        }
    }
    let right = dirs.len() - wrong.len();
    Ok(Figure::new(
        "folder keys: the real CLI's folder is the one we name",
        "all",
    )
    .measured(format!("{right} of {}", dirs.len()), wrong.is_empty())
    .list("wrong", wrong))
}

fn sessions_in(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .count()
}

/// The CLI resumes sessions that the library changed or made, and the model sees the history.
pub(crate) async fn resumed() -> Figure {
    let mut checks = Checks::default();
    if let Err(error) = resume_all(&mut checks).await {
        checks.that(&format!("{error:#}"), false);
    }
    checks.figure(
        "sessions renamed, tagged, archived, forked, deleted: resumed by the real CLI, history seen by the model",
        10,
    )
}

async fn resume_all(checks: &mut Checks) -> Result<()> {
    const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";
    let (world, library) = world().await?;
    let project = world.project();
    // Sends a prompt; returns whether the model sees the first and the second turn.
    let history = async |cwd: &Path, text: &str, args: &[&str]| -> Result<(bool, bool)> {
        prompt(&world, cwd, text, args).await?;
        let request = world.last_request();
        Ok((request.contains("walnut"), request.contains("quince")))
    };
    let first = "the first word is walnut";
    history(&project, first, &["--session-id", ID]).await?;
    let second = "the second word is quince";
    let seen = history(&project, second, &["--resume", ID]).await?;
    ensure!(seen.0, "the CLI itself does not resume");

    library.rename(ID, "Fruit and nuts")?;
    library.tag(ID, Some("pantry"))?;
    library.archive(ID)?;
    let info = library.info(ID)?.context("the session is not listed")?;
    let is_archived = info.archived == Some(true);
    checks.that("archived before the next prompt", is_archived);
    let seen = history(&project, "what were they?", &["--resume", ID]).await?;
    let info = library.info(ID)?.context("the session is not listed")?;
    for (name, holds) in [
        (
            "renamed, tagged and archived: the model sees both turns",
            seen == (true, true),
        ),
        (
            "the title is kept",
            info.custom_title.as_deref() == Some("Fruit and nuts"),
        ),
        ("the tag is kept", info.tag.as_deref() == Some("pantry")),
        (
            "the prompt took it out of the archive",
            info.archived == Some(false),
        ),
    ] {
        checks.that(name, holds);
    }

    let before = std::fs::read(&info.path)?;
    let whole = library.fork(ID, &ForkOptions::new())?;
    let seen = history(&project, "and in the fork?", &["--resume", &whole]).await?;
    let sees_both = seen == (true, true);
    checks.that("a fork: the model sees both turns", sees_both);
    let messages = library.messages(ID, &MessageFilter::new())?;
    let reply = messages.iter().find(|it| it.role == Role::Assistant);
    let reply = reply.context("no reply in the session")?.uuid.clone();
    let part = library.fork(ID, &ForkOptions::new().up_to(reply).title("Part"))?;
    let seen = history(&project, "and in this one?", &["--resume", &part]).await?;
    checks.that(
        "a fork up to a message: the model sees the first turn alone",
        seen == (true, false),
    );
    // The CLI searches the folders of other directories for the file.
    let elsewhere = world.folder().join("elsewhere");
    std::fs::create_dir(&elsewhere)?;
    let seen = history(&elsewhere, "and from elsewhere?", &["--resume", &whole]).await?;
    checks.that("a fork is found from another directory", seen.0);
    let is_same = std::fs::read(&info.path)? == before;
    checks.that("the original is as it was", is_same);

    library.delete(ID)?;
    let resume = ["--resume", ID];
    let (succeeded, output) = prompt(&world, &project, "still there?", &resume).await?;
    checks.that(
        "deleted: the CLI finds no conversation",
        !succeeded && output.contains("No conversation found"),
    );
    Ok(())
}
