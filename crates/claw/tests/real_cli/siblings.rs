//! Parallel calls of one reply whose answers are stored, and killed before they are delivered.

use anyhow::{Context as _, Result, ensure};
use claw_gateway::Pending;
use claw_server::SessionEvent;
use claw_server::event::Fact;
use claw_store::{IdempotencyKey, InteractionAnswer, InteractionId, Verdict};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::Variants;
use serde_json::{Value, json};

use crate::LIMIT;
use crate::serving::{Stage, key_of, story};

const CALLS: [&str; 3] = ["toolu_p1", "toolu_p2", "toolu_p3"];
const DENIED: &str = "Not this one";

pub(crate) async fn figure(count: usize) -> Figure {
    let mut variants = Variants::new().limit(LIMIT);
    for number in 0..count {
        let name = match (allows_first(number), is_stopped(number)) {
            (true, true) => "first allowed, third denied, gateway stopped",
            (true, false) => "first allowed, third denied, all killed before",
            (false, true) => "first denied, third allowed, gateway stopped",
            (false, false) => "first denied, third allowed, all killed before",
        };
        variants = variants.add(name, async move {
            let mut stage = Stage::new().await?;
            let ran = run(&mut stage, number).await;
            stage.explain(ran)
        });
    }
    let name = format!(
        "three parallel calls open, answers to the first and third stored but not delivered, then \
         killed, {count} times"
    );
    let bar = "the first is answered, the others withdrawn and reported; no stored answer reaches \
               another call";
    let figure = variants.figure(&name, bar).await;
    figure.note(
        "The answers are written to the store by the test, while the gateway is stopped by SIGSTOP, \
         or after everything was killed.",
    )
}

fn allows_first(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// Whether the answers are stored while the processes exist.
fn is_stopped(number: usize) -> bool {
    (number / 2).is_multiple_of(2)
}

async fn run(stage: &mut Stage, number: usize) -> Result<String> {
    // Calls that only read are asked for at once. The files are outside of the project.
    let folder = stage.world.folder().join("outside");
    std::fs::create_dir(&folder)?;
    let mut asking = Turn::empty();
    for call in CALLS {
        let path = folder.join(call);
        std::fs::write(&path, format!("text of {call}"))?;
        asking = asking.tool_use(call, "Read", json!({"file_path": path}));
    }
    stage.world.api.turn(asking).turn(Turn::text("Done."));
    stage.serve()?;
    let session = stage.begin(|_| {}).await?;
    let asked = stage.asked(session, 3).await?;
    stage.written(&CALLS).await?;
    if is_stopped(number) {
        stage.stop_gateway()?;
    } else {
        stage.kill_all(number).await?;
    }
    let deny = json!({"choice": "Deny", "reason": DENIED});
    let allow = json!({"choice": "Allow"});
    let (first, third) = match allows_first(number) {
        true => (allow, deny),
        false => (deny, allow),
    };
    store(stage, &asked[0], &first).await?;
    store(stage, &asked[2], &third).await?;
    if is_stopped(number) {
        stage.kill_all(number).await?;
    }
    ensure!(stage.world.message_requests().len() == 1);
    stage.serve()?;
    let events = stage.done(session, 1).await?;
    check(stage, allows_first(number), &events).with_context(|| story(&events))?;
    stage.end(session).await?;
    Ok("the first has its answer, the others are withdrawn with the reason".to_owned())
}

/// Stores an answer as a gateway does, without a command for the owner.
async fn store(stage: &Stage, asked: &Pending, response: &Value) -> Result<()> {
    let id = asked.interaction.id.as_str();
    let answer = InteractionAnswer {
        key: IdempotencyKey::new(&format!("answer to {id}"))?,
        body: json!({"answer": {"permission": response}, "by": "test"})
            .to_string()
            .into(),
    };
    let (key, id) = (key_of(asked.session)?, InteractionId::new(id)?);
    let stored = stage.store().await?.answer(&key, &id, answer).await?;
    ensure!(stored == Verdict::Won, "{stored:?}");
    Ok(())
}

fn check(stage: &Stage, is_allowed: bool, events: &[SessionEvent]) -> Result<()> {
    let (mut answered, mut withdrawn) = (Vec::new(), Vec::new());
    for event in events {
        match &event.fact {
            Fact::InteractionAnswered(answer) => {
                ensure!(answer.by.as_deref() == Some("test"), "{answer:?}");
                answered.push(answer.id.as_str());
            }
            Fact::InteractionWithdrawn(id) => {
                ensure!(event.extra.contains_key("reason"), "{event:?}");
                withdrawn.push(id.as_str());
            }
            Fact::InputFailed(failure) => anyhow::bail!("{failure:?}"),
            _ => {}
        }
    }
    withdrawn.sort_unstable();
    ensure!(answered == CALLS[..1], "answered: {answered:?}");
    ensure!(withdrawn == CALLS[1..], "withdrawn: {withdrawn:?}");
    ensure!(stage.world.message_requests().len() == 2);
    let result = stage.world.tool_result(CALLS[0])?;
    let wanted = match is_allowed {
        true => format!("text of {}", CALLS[0]),
        false => DENIED.to_owned(),
    };
    ensure!(
        result.failed != is_allowed && result.text.contains(&wanted),
        "{result:?}"
    );
    for other in &CALLS[1..] {
        ensure!(
            stage.world.tool_result(other).is_err(),
            "{other} has a result"
        );
    }
    ensure!(!stage.world.last_request().contains("text of toolu_p3"));
    Ok(())
}
