//! Many sessions that start at once on a busy machine.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use claw_testkit::figure::{Figure, Spread, quick};
use claw_testkit::processes;
use claw_testkit::real_cli::World;
use rusty_claw::{Session, StartLimiter};
use tokio::task::JoinSet;

use crate::stage::options;

/// Rebuilds from scratch in a loop, which keeps all processors busy.
const BUILD: &str =
    r#"while cargo build --quiet --locked -p rusty_claw --target-dir "$0"; do rm -r "$0"; done"#;

/// A running build. Dropping it kills it.
struct Build(Child);

impl Build {
    fn start(target: &Path) -> Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", BUILD])
            .arg(target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        Ok(Self(command.spawn().context("sh did not start")?))
    }
}

impl Drop for Build {
    fn drop(&mut self) {
        // The shell, cargo and its compilers.
        let _ = processes::kill(&[-i64::from(self.0.id())]);
        let _ = self.0.wait();
    }
}

/// Starts sessions at once beside a build, then closes them.
pub(crate) async fn figure() -> Result<Figure> {
    let count = if quick() { 5 } else { 50 };
    let world = World::new().await?;
    let mut build = Build::start(&world.folder().join("build"))?;
    let began = Instant::now();
    let mut starts = JoinSet::new();
    for _ in 0..count {
        let options = options(&world);
        starts.spawn(async move {
            let started = Session::start(options).await;
            (started, began.elapsed().as_secs_f64())
        });
    }
    let started = starts.join_all().await;
    let is_busy = build.0.try_wait()?.is_none();
    drop(build);
    let (mut sessions, mut failed, mut waited) = (Vec::new(), Vec::new(), Vec::new());
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
    for session in sessions {
        closes.spawn(async move { session.close().await });
    }
    closes.join_all().await;
    let spread = Spread::of(&waited).context("no session started")?;
    Ok(Figure::new(
        format!("{count} real sessions started at once beside a running build"),
        "all",
    )
    .measured(
        format!("{} of {count}", waited.len()),
        waited.len() == count && is_busy,
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
