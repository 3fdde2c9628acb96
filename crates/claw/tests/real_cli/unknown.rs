//! Calls that were allowed, and killed before their result.

use anyhow::{Context as _, Result, ensure};
use claw_gateway::Answer;
use claw_server::SessionEvent;
use claw_server::event::Fact;
use claw_server::registry::PermissionResponse;
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::{Variants, bash};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parked::CALL;
use crate::serving::{Stage, story};
use crate::{LIMIT, pause_of};

/// Never ends, so that it has no result when it is killed.
const COMMAND: &str = "echo ran >> runs; sleep 600";
/// In the reason with which the gateway denies the call when it comes back.
const REFUSED: &str = "may have run already";
/// The longest time from the delivery of the answer to the kill, in milliseconds.
const BEFORE_KILL: u64 = 400;

pub(crate) async fn figure(count: usize) -> Figure {
    let begun = Arc::new(AtomicUsize::new(0));
    let mut variants = Variants::new().limit(LIMIT);
    for number in 0..count {
        let name = match was_parked(number) {
            true => "parked before",
            false => "asked once",
        };
        let begun = Arc::clone(&begun);
        variants = variants.add(name, async move {
            let mut stage = Stage::new().await?;
            let ran = run(&mut stage, number, &begun).await;
            stage.explain(ran)
        });
    }
    let name =
        format!("killed between the delivery of an allow and the tool's result, {count} times");
    let bar = "never run twice; reported as unknown";
    let figure = variants.figure(&name, bar).await;
    let begun = begun.load(Ordering::Relaxed);
    figure.note(format!(
        "Killed 0 to {BEFORE_KILL} ms after the answer was recorded. {begun} of {count} commands had \
         run by then. In every second case, the session file brings the call back, and it is denied."
    ))
}

/// Whether the call waited without a process before it was allowed.
fn was_parked(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// How often the command ran.
fn runs(stage: &Stage) -> usize {
    let text = std::fs::read_to_string(stage.world.project().join("runs"));
    text.unwrap_or_default().lines().count()
}

async fn run(stage: &mut Stage, number: usize, begun: &AtomicUsize) -> Result<String> {
    stage.world.api.turn(bash("a", COMMAND));
    stage.world.api.fallback(Turn::text("Done."));
    stage.serve()?;
    let session = stage.begin(|_| {}).await?;
    let asked = stage.asked(session, 1).await?.remove(0);
    stage.written(&[CALL]).await?;
    if was_parked(number) {
        stage.kill_all(number).await?;
        stage.serve()?;
        stage.sleeps(session).await?;
    }
    let allow = Answer::Permission(PermissionResponse::allow());
    stage.answer(&asked, &allow).await?;
    let is_answer = |event: &SessionEvent| matches!(event.fact, Fact::InteractionAnswered(_));
    let is_answered = |events: &[SessionEvent]| events.iter().any(is_answer);
    stage.until(session, "the delivery", is_answered).await?;
    tokio::time::sleep(pause_of(number, BEFORE_KILL)).await;
    stage.kill_all(number).await?;
    let before = runs(stage);
    begun.fetch_add(before, Ordering::Relaxed);

    stage.serve()?;
    stage.input(session, "Go on.").await?;
    let events = stage.done(session, 2).await?;
    check(stage, number, &events).with_context(|| story(&events))?;
    stage.end(session).await?;
    let after = runs(stage);
    ensure!(after == before && after <= 1, "{before}, then {after} runs");
    Ok("reported as unknown, not run again".to_owned())
}

fn check(stage: &Stage, number: usize, events: &[SessionEvent]) -> Result<()> {
    let unknown = events.iter().filter_map(|event| match &event.fact {
        Fact::Lifecycle(now) => Some(&now.unknown_calls),
        _ => None,
    });
    let unknown: Vec<&String> = unknown.flatten().collect();
    ensure!(unknown == [CALL], "unknown calls: {unknown:?}");
    let count = |is_it: fn(&Fact) -> bool| events.iter().filter(|one| is_it(&one.fact)).count();
    ensure!(count(|fact| matches!(fact, Fact::InputFailed(_))) == 1);
    ensure!(count(|fact| matches!(fact, Fact::InputProcessed(_))) == 1);
    ensure!(
        count(|fact| matches!(fact, Fact::InteractionOpened(_))) == 1,
        "asked again"
    );
    if was_parked(number) {
        let result = stage.world.tool_result(CALL)?;
        ensure!(result.failed && result.text.contains(REFUSED), "{result:?}");
    }
    Ok(())
}
