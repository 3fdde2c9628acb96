//! Permissions: allowed, denied, edited, in batches, and not answered at all.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{BatchPlace, Json, UiMessage};
use claw_testkit::Turn;
use serde_json::json;

use super::stage::{Stage, asking, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::bash;

pub(super) async fn allowed(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch made"), Turn::text("Done.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let asked = stage.desktop.asked("toolu_a").await?;
    let UiMessage::PermissionRequired { request, .. } = &asked else {
        anyhow::bail!("asked as {asked:?}");
    };
    ensure!(request.target == "touch made", "asked for {request:?}");
    let registry = stage.controller.permissions();
    let pending = registry.pending(stage.session).await;
    ensure!(
        pending.len() == 1 && pending[0].tool_use_id == "toolu_a",
        "{pending:?} wait"
    );
    ensure!(!stage.made("made"), "it ran before it was allowed");
    let yes = PermissionResponse::allow().by("phone");
    stage.answer("toolu_a", yes).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    ensure!(stage.made("made"), "the file is not there");
    ensure!(
        !stage.told("toolu_a")?.failed,
        "the model was told it failed"
    );
    let pending = registry.pending(stage.session).await;
    ensure!(pending.is_empty(), "{pending:?} still wait");
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a by phone",
        "ran toolu_a",
        "text Done.",
        "complete 1 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by phone",
            "result toolu_a",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("asked once, ran when allowed, the model read the result".to_owned())
}

/// How often three reads are called for until the CLI asks for all of them at once. It asks for
/// each when it has read the call, and on a busy machine that takes longer than a group grows.
const ROUNDS: u64 = 8;

pub(super) async fn batch(cli: CliPackage) -> Result<String> {
    let outside = tempfile::tempdir()?;
    let stage = Stage::open(world(&cli, []).await?).await?;
    let mut sizes = Vec::new();
    for round in 1..=ROUNDS {
        let names = ["z", "a", "m"].map(|name| format!("{round}{name}"));
        let mut reads = Turn::empty();
        for name in &names {
            let path = outside.path().join(name);
            std::fs::write(&path, format!("content of {name}"))?;
            reads = reads.tool_use(format!("toolu_{name}"), "Read", json!({"file_path": path}));
        }
        let calls = names.map(|name| format!("toolu_{name}"));
        stage.world.api.turn(reads).turn(Turn::text("Read."));
        stage.say("go").await?;
        let groups = all_wait(&stage, &calls).await?;
        let is_there = |(index, group): (u32, &Option<BatchPlace>)| {
            group.as_ref() == Some(&place(&calls[0], index))
        };
        let whole = (0..).zip(&groups).all(is_there);
        if whole {
            mixed(&stage, round, &calls).await?;
            stage.shut(super::stage::GRACE).await?;
            in_one_group(&stage.story().await?, &calls)?;
            return Ok(format!(
                "three in one group, at try {round}; yes, no and yes; the model read two files \
                 and why not the third"
            ));
        }
        sizes.push(groups.iter().flatten().count());
        let registry = stage.controller.permissions();
        for call in &calls {
            let yes = PermissionResponse::allow();
            registry.respond(stage.session, call, yes).await?;
        }
        stage.completed(round).await?;
    }
    anyhow::bail!("of three reads at most {sizes:?} were asked for at once, try by try")
}

fn place(batch_id: &str, index: u32) -> BatchPlace {
    BatchPlace {
        batch_id: batch_id.to_owned(),
        index,
    }
}

/// Waits until all three wait, and says in which groups.
async fn all_wait(stage: &Stage, calls: &[String; 3]) -> Result<Vec<Option<BatchPlace>>> {
    let registry = stage.controller.permissions();
    let waiting = async {
        loop {
            let pending = registry.pending(stage.session).await;
            if pending.len() == calls.len() {
                return pending;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let pending = tokio::time::timeout(super::stage::PATIENCE, waiting)
        .await
        .context("three reads never waited at once")?;
    let waiting: Vec<&str> = pending.iter().map(|one| one.tool_use_id.as_str()).collect();
    ensure!(waiting == calls, "{waiting:?} wait, in this order");
    Ok(pending.into_iter().map(|one| one.batch).collect())
}

/// Yes, no and yes, from two front ends.
async fn mixed(stage: &Stage, round: u64, calls: &[String; 3]) -> Result<()> {
    let [first, second, third] = calls;
    let is_batch = |message: &UiMessage| matches!(message, UiMessage::BatchPermissionRequired { batch_id, requests, .. } if batch_id == first && requests.len() == 3);
    for front in [&stage.phone, &stage.desktop] {
        let batch = front.until("the batch", is_batch).await?;
        let UiMessage::BatchPermissionRequired { requests, .. } = batch else {
            anyhow::bail!("asked as {batch:?}");
        };
        let targets: Vec<&str> = requests.iter().map(|one| one.target.as_str()).collect();
        let fits =
            |(target, call): (&&str, &String)| target.ends_with(call.trim_start_matches("toolu_"));
        ensure!(
            targets.iter().zip(calls).all(fits),
            "the batch is about {targets:?}"
        );
    }
    let registry = stage.controller.permissions();
    let no = PermissionResponse::deny("not this one").by("phone");
    let answers = vec![
        (0, PermissionResponse::allow().by("phone")),
        (1, no),
        (9, PermissionResponse::allow()),
    ];
    let taken = registry
        .respond_to_batch(stage.session, first, answers)
        .await;
    ensure!(
        taken == [Ok(()), Ok(()), Err(AnswerRefused::Unknown)],
        "the answers were taken as {taken:?}"
    );
    stage.desktop.resolved(second).await?;
    let pending = registry.pending(stage.session).await;
    ensure!(
        pending.len() == 1 && pending[0].batch == Some(place(first, 2)),
        "{pending:?} wait"
    );
    // The last of them by its call, from the other front end.
    let yes = PermissionResponse::allow().by("desktop");
    registry.respond(stage.session, third, yes).await?;
    let stop = stage.completed(round).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    for (call, denied) in calls.iter().zip([false, true, false]) {
        let told = stage.told(call)?;
        let content = format!("content of {}", call.trim_start_matches("toolu_"));
        let wanted = if denied { "not this one" } else { &content };
        ensure!(
            told.text.contains(wanted) && told.failed == denied,
            "of {call} the model was told {:?}",
            told.text
        );
    }
    Ok(())
}

/// The end of the story of the three. How many of them were known when each was asked is a matter
/// of time, and so is whether the first was alone.
fn in_one_group(story: &[String], [first, second, third]: &[String; 3]) -> Result<()> {
    let about = |line: &&String| line.starts_with("asked") || line.starts_with("answered");
    let untimed = |line: &String| {
        let so_far = [" of 2", " of 3"]
            .iter()
            .fold(line.clone(), |line, size| line.replace(size, ""));
        so_far.replace(&format!(", 1 in {first}"), "")
    };
    let prompts: Vec<String> = story.iter().filter(about).map(untimed).collect();
    let wanted = [
        format!("asked {first}"),
        format!("asked {second}, 2 in {first}"),
        format!("asked {third}, 3 in {first}"),
        format!("answered {first} by phone"),
        format!("answered {second} by phone"),
        format!("answered {third} by desktop"),
    ];
    ensure!(prompts.ends_with(&wanted), "the log says {story:?}");
    Ok(())
}

pub(super) async fn edited(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch original"), Turn::text("Done.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let edited = json!({"command": "touch changed && echo by hand"});
    let edited = PermissionResponse::allow().with_input(Json::from_value(&edited));
    stage.answer("toolu_a", edited.by("phone")).await?;
    stage.completed(1).await?;
    ensure!(stage.made("changed"), "the edited command did not run");
    ensure!(!stage.made("original"), "the original command ran");
    let told = stage.told("toolu_a")?.text;
    ensure!(told.contains("by hand"), "the model was told {told:?}");
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by phone",
            "result toolu_a",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("the edited command ran, the original did not, the model read its output".to_owned())
}

pub(super) async fn denied(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch forbidden"), Turn::text("I see.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let no = PermissionResponse::deny("Not on a Friday").by("desktop");
    stage.answer("toolu_a", no).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    ensure!(!stage.made("forbidden"), "it ran");
    let told = stage.told("toolu_a")?;
    ensure!(
        told.failed && told.text.contains("Not on a Friday"),
        "the model was told {:?}",
        told.text
    );
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a by desktop",
        "ran toolu_a",
        "text I see.",
        "complete 1 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by desktop",
            "result toolu_a",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok("it did not run, the model read why and went on".to_owned())
}

pub(super) async fn denied_and_stopped(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch forbidden"), Turn::text("Hello.")]).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let no = PermissionResponse::deny("Stop").and_interrupt().by("phone");
    stage.answer("toolu_a", no).await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "Interrupted", "the turn ended as {stop}");
    ensure!(!stage.made("forbidden"), "it ran");
    ensure!(stage.asked().len() == 1, "the model was asked on");
    stage.say("and now?").await?;
    let stop = stage.completed(2).await?;
    ensure!(stop == "EndTurn", "the next turn ended as {stop}");
    let told = stage.told("toolu_a")?;
    let conversation = stage.last_asked();
    ensure!(
        told.failed && conversation.contains("[Request interrupted by user for tool use]"),
        "the model was told {conversation}"
    );
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a by phone",
        "ran toolu_a",
        "complete 1 Interrupted",
        "text Hello.",
        "complete 2 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by phone",
            "result toolu_a",
            "turn 1 ended: Interrupted",
            "turn 2 began",
            "turn 2 ended: Succeeded",
        ])
        .await?;
    Ok("it did not run, the turn was interrupted, the next one was answered".to_owned())
}

pub(super) async fn timed_out(cli: CliPackage) -> Result<String> {
    let world = world(&cli, [bash("a", "touch late"), Turn::text("I see.")]).await?;
    let options = asking(&world);
    let limit = Duration::from_millis(400);
    let stage = Stage::open_with(
        world,
        options,
        |builder| builder.prompt_timeout(limit),
        |setup| setup,
    )
    .await?;
    stage.say("go").await?;
    stage.phone.asked("toolu_a").await?;
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    let late = PermissionResponse::allow().by("phone");
    let registry = stage.controller.permissions();
    let refused = registry.respond(stage.session, "toolu_a", late).await;
    ensure!(
        refused == Err(AnswerRefused::Expired),
        "a late answer was told {refused:?}"
    );
    ensure!(!stage.made("late"), "it ran");
    let told = stage.told("toolu_a")?;
    ensure!(
        told.failed && told.text.contains("Nobody answered in time"),
        "the model was told {:?}",
        told.text
    );
    let events = stage.events().await?;
    let time_of = |kind: &str| {
        let mut found = events.iter().filter(|event| event.fact.kind() == kind);
        found.next().map(|event| event.at_ms)
    };
    let asked = time_of("prompt_asked").context("it was not asked")?;
    let expired = time_of("prompt_expired").context("it did not expire")?;
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Expired toolu_a",
        "ran toolu_a",
        "text I see.",
        "complete 1 EndTurn",
    ])?;
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "expired toolu_a",
            "result toolu_a",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    Ok(format!(
        "denied {} ms after it was asked, a late yes was told so",
        expired - asked
    ))
}
