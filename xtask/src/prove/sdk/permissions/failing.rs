//! Nobody answers, or nobody wants the answer any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use rusty_claw::Options;
use rusty_claw::hook::{Hook, HookOutput, PermissionRequestDecision};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use tokio::sync::mpsc;

use super::super::World;
use super::super::stage::{PATIENCE, Stage, bash};
use super::{Asked, asking};
use crate::cli_package::CliPackage;

/// Tells when it is dropped.
struct OnDrop(mpsc::UnboundedSender<&'static str>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// A handler that never answers, and tells what becomes of its question and of its future.
fn parked(options: Options, asked: &Asked) -> (Options, mpsc::UnboundedReceiver<&'static str>) {
    let (tell, told) = mpsc::unbounded_channel();
    let asked = asked.clone();
    let options = options.can_use_tool(move |ask: PermissionAsk| {
        asked.note(&ask);
        let (watching, dropped) = (tell.clone(), OnDrop(tell.clone()));
        tokio::spawn(async move {
            ask.cancelled().await;
            let _ = watching.send("cancelled");
        });
        async move {
            let _dropped = dropped;
            std::future::pending::<()>().await;
            PermissionAnswer::allow()
        }
    });
    (options, told)
}

/// Both the signal and the drop must come.
async fn let_go(told: &mut mpsc::UnboundedReceiver<&'static str>) -> Result<()> {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let next = tokio::time::timeout(PATIENCE, told.recv()).await;
        seen.extend(next.ok().flatten());
    }
    seen.sort_unstable();
    ensure!(
        seen == ["cancelled", "dropped"],
        "of the handler was heard {seen:?}"
    );
    Ok(())
}

pub(super) async fn interrupted(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch forbidden"))
        .turn(Turn::text("Hello again."));
    let asked = Asked::default();
    let (options, mut told) = parked(asking(&world), &asked);
    let stage = Stage::start(world, options).await?;
    let turn = stage.session.send("go").await?;
    tokio::time::timeout(PATIENCE, asked.came.notified())
        .await
        .context("nothing was asked")?;
    ensure!(
        told.try_recv().is_err(),
        "the handler was let go before the interrupt"
    );
    stage.session.interrupt().await?;
    let_go(&mut told).await?;
    let outcome = tokio::time::timeout(PATIENCE, turn.outcome())
        .await
        .context("the turn has no outcome")?;
    ensure!(outcome.name() == "interrupted", "the turn {outcome}");
    ensure!(!stage.made("forbidden"), "the tool ran");
    let next = stage.ask("and now?").await?;
    ensure!(next.text() == Some("Hello again."), "the next turn {next}");
    stage.end().await;
    Ok("signal fired, future dropped, tool did not run, session usable".to_owned())
}

pub(super) async fn hook_first(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    world
        .api
        .turn(bash("a", "touch yes"))
        .turn(bash("b", "touch no"))
        .turn(Turn::text("Done."));
    let asked = Asked::default();
    let (options, mut told) = parked(asking(&world), &asked);
    let calls = Arc::new(AtomicUsize::new(0));
    let came = Arc::clone(&asked.came);
    let options = options.hook(Hook::permission_request(move |_, _| {
        let first = calls.fetch_add(1, Ordering::Relaxed) == 0;
        let came = Arc::clone(&came);
        async move {
            // Only when the question is open can it be withdrawn.
            came.notified().await;
            HookOutput::permission(if first {
                PermissionRequestDecision::allow()
            } else {
                PermissionRequestDecision::deny("the hook says no")
            })
        }
    }));
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.is_success(), "the turn {outcome}");
    ensure!(
        asked.ids() == ["toolu_a", "toolu_b"],
        "asked for {:?}",
        asked.ids()
    );
    let_go(&mut told).await.context("the first question")?;
    let_go(&mut told).await.context("the second question")?;
    ensure!(stage.made("yes"), "what the hook allowed did not run");
    ensure!(!stage.made("no"), "what the hook denied ran");
    let told = stage.tool_result("b")?.text;
    ensure!(
        told.contains("the hook says no"),
        "the model was told {told:?}"
    );
    stage.end().await;
    Ok("two questions withdrawn; what the hook allowed ran, what it denied did not".to_owned())
}

/// Runs one call that must be denied, and gives what the model was told.
async fn denied(world: World, options: Options) -> Result<String> {
    world
        .api
        .turn(bash("a", "touch forbidden"))
        .turn(Turn::text("Oh well."));
    let stage = Stage::start(world, options).await?;
    let outcome = stage.ask("go").await?;
    ensure!(outcome.text() == Some("Oh well."), "the turn {outcome}");
    ensure!(!stage.made("forbidden"), "the tool ran");
    let told = stage.tool_result("a")?;
    ensure!(told.failed, "the model was told {:?}", told.text);
    stage.end().await;
    Ok(told.text)
}

pub(super) async fn no_handler(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let options = asking(&world);
    denied(world, options).await?;
    Ok("denied by the CLI, the tool did not run".to_owned())
}

/// The CLI is told that somebody answers, and nobody does.
pub(super) async fn asked_without_handler(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let options = asking(&world).extra_flag("--permission-prompt-tool", Some("stdio"));
    let told = denied(world, options).await?;
    ensure!(
        told.contains("no permission handler"),
        "the model was told {told:?}"
    );
    Ok("denied by the SDK, and the model read why".to_owned())
}

pub(super) async fn panics(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let options = asking(&world).can_use_tool(|ask: PermissionAsk| async move {
        if ask.tool_name() == "Bash" {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        PermissionAnswer::allow()
    });
    let told = denied(world, options).await?;
    ensure!(told.contains("panicked"), "the model was told {told:?}");
    Ok("denied, and the model read why".to_owned())
}

pub(super) async fn never_answers(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let asked = Asked::default();
    let options = asking(&world).permission_timeout(Duration::from_millis(300));
    let (options, mut told) = parked(options, &asked);
    let read = denied(world, options).await?;
    ensure!(
        read.contains("did not answer within"),
        "the model was told {read:?}"
    );
    let_go(&mut told).await?;
    Ok("denied in time, signal fired, future dropped".to_owned())
}

pub(super) async fn ends_in_error(cli: CliPackage) -> Result<String> {
    let world = World::new(&cli).await?;
    let options = asking(&world).can_use_tool(|_: PermissionAsk| async {
        // Whoever should have answered is gone.
        let (answer, told) = tokio::sync::oneshot::channel::<PermissionAnswer>();
        drop(answer);
        told.await
    });
    let read = denied(world, options).await?;
    ensure!(
        read.contains("nobody could decide"),
        "the model was told {read:?}"
    );
    Ok("denied, and the model read why".to_owned())
}
