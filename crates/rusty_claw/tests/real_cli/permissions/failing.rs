//! Requests without an answer, and requests that are withdrawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;
use rusty_claw::Options;
use rusty_claw::hook::{Hook, HookOutput, PermissionRequestDecision};
use rusty_claw::permission::{PermissionAnswer, PermissionAsk};
use tokio::sync::mpsc;

use super::{Asked, asking};
use crate::stage::{Stage, done, soon};

/// Sends a message when it is dropped.
struct OnDrop(mpsc::UnboundedSender<&'static str>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        let _ = self.0.send("dropped");
    }
}

/// A handler that never answers; the sender reports the end of its request and of its future.
fn parked(options: Options, asked: &Asked, sender: mpsc::UnboundedSender<&'static str>) -> Options {
    let asked = asked.clone();
    asking(options).can_use_tool(move |ask: PermissionAsk| {
        asked.note(&ask);
        let (sender, dropped) = (sender.clone(), OnDrop(sender.clone()));
        tokio::spawn(async move {
            ask.cancelled().await;
            let _ = sender.send("cancelled");
        });
        async move {
            let _dropped = dropped;
            std::future::pending::<PermissionAnswer>().await
        }
    })
}

/// Both the signal and the drop must come.
async fn let_go(ended: &mut mpsc::UnboundedReceiver<&'static str>) -> Result<()> {
    let mut seen = Vec::new();
    for _ in 0..2 {
        seen.extend(soon("the end of a handler", ended.recv()).await?);
    }
    seen.sort_unstable();
    ensure!(seen == ["cancelled", "dropped"]);
    Ok(())
}

pub(super) async fn interrupted() -> Result<String> {
    let asked = Asked::default();
    let (sender, mut ended) = mpsc::unbounded_channel();
    let turns = [bash("a", "touch forbidden"), Turn::text("Hello again.")];
    let stage = Stage::open(turns, |o| parked(o, &asked, sender)).await?;
    let turn = stage.session.send("go").await?;
    soon("a request", asked.came.notified()).await?;
    ensure!(ended.try_recv().is_err(), "withdrawn before the interrupt");
    stage.session.interrupt().await?;
    let_go(&mut ended).await?;
    let outcome = soon("the outcome", turn.outcome()).await?;
    ensure!(outcome.name() == "interrupted");
    stage.files(&[], &["forbidden"])?;
    stage.ask_again().await?;
    stage.end().await;
    Ok("signal fired, future dropped, tool did not run, session usable".to_owned())
}

pub(super) async fn hook_first() -> Result<String> {
    let asked = Asked::default();
    let (sender, mut ended) = mpsc::unbounded_channel();
    let calls = AtomicUsize::new(0);
    let came = Arc::clone(&asked.came);
    let hook = Hook::permission_request(move |_, _| {
        let first = calls.fetch_add(1, Ordering::Relaxed) == 0;
        let came = Arc::clone(&came);
        async move {
            // Only an open request can be withdrawn.
            came.notified().await;
            HookOutput::permission(if first {
                PermissionRequestDecision::allow()
            } else {
                PermissionRequestDecision::deny("the hook says no")
            })
        }
    });
    let turns = [bash("a", "touch yes"), bash("b", "touch no"), done()];
    let stage = Stage::play(turns, |o| parked(o, &asked, sender).hook(hook)).await?;
    ensure!(asked.ids() == ["toolu_a", "toolu_b"]);
    let_go(&mut ended).await.context("the first request")?;
    let_go(&mut ended).await.context("the second request")?;
    stage.files(&["yes"], &["no"])?;
    stage.told("b", "the hook says no")?;
    stage.end().await;
    Ok("two questions withdrawn; what the hook allowed ran, what it denied did not".to_owned())
}

/// Runs one call that must be denied, and checks why.
async fn denied(set: impl FnOnce(Options) -> Options, why: &str) -> Result<()> {
    let turns = [bash("a", "touch forbidden"), done()];
    let stage = Stage::play(turns, |o| set(asking(o))).await?;
    stage.files(&[], &["forbidden"])?;
    ensure!(stage.tool_result("a")?.failed);
    stage.told("a", why)?;
    stage.end().await;
    Ok(())
}

pub(super) async fn no_handler() -> Result<String> {
    denied(|o| o, "").await?;
    Ok("denied by the CLI, the tool did not run".to_owned())
}

/// The CLI asks the SDK, which has no handler.
pub(super) async fn asked_without_handler() -> Result<String> {
    let set = |o: Options| o.extra_flag("--permission-prompt-tool", Some("stdio"));
    denied(set, "no permission handler").await?;
    Ok("denied by the SDK, and the model read why".to_owned())
}

pub(super) async fn panics() -> Result<String> {
    let handler = |ask: PermissionAsk| async move {
        if ask.tool_name() == "Bash" {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        PermissionAnswer::allow()
    };
    denied(|o| o.can_use_tool(handler), "panicked").await?;
    Ok("denied, and the model read why".to_owned())
}

pub(super) async fn never_answers() -> Result<String> {
    let (sender, mut ended) = mpsc::unbounded_channel();
    let set = |o: Options| {
        let options = o.permission_timeout(Duration::from_millis(300));
        parked(options, &Asked::default(), sender)
    };
    denied(set, "did not answer within").await?;
    let_go(&mut ended).await?;
    Ok("denied in time, signal fired, future dropped".to_owned())
}

pub(super) async fn ends_in_error() -> Result<String> {
    let handler = |_: PermissionAsk| async {
        let (answer, answered) = tokio::sync::oneshot::channel::<PermissionAnswer>();
        drop(answer);
        answered.await
    };
    denied(|o| o.can_use_tool(handler), "permission handler returned").await?;
    Ok("denied, and the model read why".to_owned())
}
