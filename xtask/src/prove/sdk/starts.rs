//! Many sessions that start at once on a busy machine.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use rusty_claw::{Session, StartLimiter};
use tokio::task::JoinSet;

use super::{Inputs, World};
use crate::cli_package::workspace_root;
use crate::prove::figure::{Figure, Spread};

/// Rebuilds from scratch in a loop, which keeps all processors busy.
const BUILD: &str =
    r#"while cargo build --quiet --locked -p rusty_claw --target-dir "$0"; do rm -r "$0"; done"#;

/// A running build. Dropping it ends it.
struct Build(Child);

impl Build {
    fn start(target: &Path) -> Result<Self> {
        let child = Command::new("sh")
            .args(["-c", BUILD])
            .arg(target)
            .current_dir(workspace_root())
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("sh did not start")?;
        Ok(Self(child))
    }

    fn is_running(&mut self) -> Result<bool> {
        Ok(self.0.try_wait()?.is_none())
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        // The shell, cargo and its compilers.
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["--", &group]).status();
        let _ = self.0.wait();
    }
}

/// Starts real sessions at once beside a build, then closes them.
pub(super) async fn figure(inputs: &Inputs) -> Result<Figure> {
    let count = if inputs.quick { 5 } else { 50 };
    let world = World::new(&inputs.cli).await?;
    let mut build = Build::start(&world.folder().join("build"))?;
    let began = Instant::now();
    let mut starts = JoinSet::new();
    for _ in 0..count {
        let options = world.options();
        starts.spawn(async move {
            let started = Session::start(options).await;
            (started, began.elapsed().as_secs_f64())
        });
    }
    let started = starts.join_all().await;
    let is_busy = build.is_running()?;
    drop(build);
    let mut sessions = Vec::new();
    let mut failed = Vec::new();
    let mut waited = Vec::new();
    for (started, after) in started {
        match started {
            Ok((session, _)) => {
                sessions.push(session);
                waited.push(after);
            }
            Err(error) => failed.push(error),
        }
    }
    let mut closes = JoinSet::new();
    for session in sessions.clone() {
        closes.spawn(async move { session.close().await });
    }
    closes.join_all().await;
    let spread = Spread::of(&waited).context("no session started")?;
    Ok(Figure::new(
        format!("{count} real sessions started at once beside a running build"),
        "all",
    )
    .measured(
        format!("{} of {count}", sessions.len()),
        sessions.len() == count && is_busy,
    )
    .list("not started", failed)
    .note(format!(
        "ready after {:.1} s (median; {:.1}–{:.1}), {} at a time, start_timeout 60 s each",
        spread.median,
        spread.min,
        spread.max,
        StartLimiter::shared().at_once()
    ))
    .note(format!(
        "the build: `cargo build -p rusty_claw` into an empty folder, {} when the last session was ready",
        if is_busy { "running" } else { "OVER" }
    )))
}
