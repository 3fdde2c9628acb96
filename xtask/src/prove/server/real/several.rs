//! Several people, several calls, several agents.

use anyhow::{Context, Result, ensure};
use claw_server::prompts::AnswerRefused;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{Resolution, UiMessage};
use claw_testkit::Turn;

use super::front_end::FrontEnd;
use super::stage::{GRACE, Stage, asking, world};
use crate::cli_package::CliPackage;
use crate::prove::sdk::bash;

/// How often two answer the same prompt.
const ROUNDS: usize = 20;

pub(super) async fn at_once(cli: CliPackage) -> Result<String> {
    let calls = (0..ROUNDS).map(|round| bash(&format!("r{round}"), &format!("touch r{round}")));
    let world = world(&cli, calls.chain([Turn::text("Done.")])).await?;
    let stage = Stage::open(world).await?;
    stage.say("go").await?;
    let mut wins = [0, 0];
    for round in 0..ROUNDS {
        let call = format!("toolu_r{round}");
        stage.phone.asked(&call).await?;
        stage.desktop.asked(&call).await?;
        let answer = |response: PermissionResponse| {
            let (controller, call) = (stage.controller.clone(), call.clone());
            let session = stage.session;
            tokio::spawn(async move {
                let registry = controller.permissions();
                registry.respond(session, &call, response).await
            })
        };
        let yes = PermissionResponse::allow().by("phone");
        let no = PermissionResponse::deny("The desktop says no").by("desktop");
        // Neither is always the first to be heard.
        let (phone, desktop) = if round % 2 == 0 {
            let phone = answer(yes);
            (phone, answer(no))
        } else {
            let desktop = answer(no);
            (answer(yes), desktop)
        };
        let (winner, refused) = match (phone.await?, desktop.await?) {
            (Ok(()), Err(refused)) => ("phone", refused),
            (Err(refused), Ok(())) => ("desktop", refused),
            both => anyhow::bail!("both were told the same: {both:?}"),
        };
        wins[usize::from(winner == "desktop")] += 1;
        let by = Some(winner.to_owned());
        ensure!(
            refused == AnswerRefused::AlreadyAnswered { by: by.clone() },
            "the slower was told {refused:?}"
        );
        for front in [&stage.phone, &stage.desktop] {
            let ends = |message: &UiMessage| matches!(message, UiMessage::PromptResolved { prompt_id, .. } if *prompt_id == call);
            let resolved = front.until("the end of the prompt", ends).await?;
            ensure!(
                matches!(&resolved, UiMessage::PromptResolved { resolution: Resolution::Answered, by: told, .. }
                    if *told == by),
                "{winner} was faster, and a front end saw {resolved:?}"
            );
        }
        let ends = |message: &UiMessage| matches!(message, UiMessage::ToolCompleted { tool_use_id, .. } if *tool_use_id == call);
        stage.phone.until("the end of the call", ends).await?;
        ensure!(
            stage.made(&format!("r{round}")) == (winner == "phone"),
            "{winner} was faster, and the tool did the other thing"
        );
    }
    stage.completed(1).await?;
    for round in 0..ROUNDS {
        let told = stage.told(&format!("toolu_r{round}"))?;
        let ran = stage.made(&format!("r{round}"));
        ensure!(
            told.failed != ran && told.text.contains("The desktop says no") != ran,
            "the model was told {:?}",
            told.text
        );
    }
    stage.shut(GRACE).await?;
    let [phone, desktop] = wins;
    Ok(format!(
        "{ROUNDS} prompts: the phone was faster {phone} times, the desktop {desktop} times; the \
         other was always told, and the tool did what the faster said"
    ))
}

pub(super) async fn remembered(cli: CliPackage) -> Result<String> {
    let turns = [
        bash("a", "touch made"),
        bash("b", "touch made"),
        bash("c", "touch other"),
        bash("d", "touch made && touch other"),
        Turn::text("Done."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("go").await?;
    let always = PermissionResponse::allow()
        .remember(Remember::Session)
        .by("phone");
    stage.answer("toolu_a", always).await?;
    for call in ["toolu_c", "toolu_d"] {
        let no = PermissionResponse::deny("Only the first").by("phone");
        stage.answer(call, no).await?;
    }
    let stop = stage.completed(1).await?;
    ensure!(stop == "EndTurn", "the turn ended as {stop}");
    ensure!(!stage.told("toolu_b")?.failed, "the second did not run");
    ensure!(!stage.made("other"), "more ran than was granted");
    let grants = stage.controller.permissions().grants("").await;
    ensure!(grants.len() == 1, "granted were {grants:?}");
    stage.saw(&[
        "runs toolu_a",
        "may toolu_a?",
        "Answered toolu_a by phone",
        "ran toolu_a",
        "runs toolu_b",
        "Answered toolu_b by policy",
        "ran toolu_b",
        "runs toolu_c",
        "may toolu_c?",
        "Answered toolu_c by phone",
        "ran toolu_c",
        "runs toolu_d",
        "may toolu_d?",
        "Answered toolu_d by phone",
        "ran toolu_d",
        "text Done.",
        "complete 1 EndTurn",
    ])?;
    let controller = stage.controller.clone();
    stage
        .end_as(&[
            "turn 1 began",
            "called toolu_a",
            "asked toolu_a",
            "answered toolu_a by phone",
            "result toolu_a",
            "called toolu_b",
            "answered toolu_b by policy",
            "result toolu_b",
            "called toolu_c",
            "asked toolu_c",
            "answered toolu_c by phone",
            "result toolu_c",
            "called toolu_d",
            "asked toolu_d",
            "answered toolu_d by phone",
            "result toolu_d",
            "turn 1 ended: Succeeded",
        ])
        .await?;
    let grants = controller.permissions().grants("").await;
    ensure!(grants.is_empty(), "granted after the session: {grants:?}");
    Ok("the same command ran again without a question; another, and more than it, did not".into())
}

pub(super) async fn joined_late(cli: CliPackage) -> Result<String> {
    let turns = [
        Turn::text("Hello."),
        bash("a", "touch made"),
        Turn::text("Done."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("hello").await?;
    stage.completed(1).await?;
    stage.say("go").await?;
    stage.phone.asked("toolu_a").await?;
    let (tablet, sink) = FrontEnd::new();
    stage.controller.watch(stage.session, sink).await?;
    tablet.asked("toolu_a").await?;
    let yes = PermissionResponse::allow().by("tablet");
    let registry = stage.controller.permissions();
    registry.respond(stage.session, "toolu_a", yes).await?;
    stage.completed(2).await?;
    tablet.completed(2).await?;
    ensure!(stage.made("made"), "it did not run");
    stage.shut(GRACE).await?;
    tablet.over().await?;
    let (late, early) = (tablet.seen(), stage.phone.seen());
    ensure!(late == early, "one who came late saw {late:?}");
    Ok("saw all that came before, answered what was open, and saw the rest".to_owned())
}

pub(super) async fn same_call_again(cli: CliPackage) -> Result<String> {
    let turns = [
        bash("a", "touch first"),
        bash("a", "touch second"),
        Turn::text("Done."),
    ];
    let stage = Stage::open(world(&cli, turns).await?).await?;
    stage.say("go").await?;
    let yes = || PermissionResponse::allow().by("phone");
    stage.answer("toolu_a", yes()).await?;
    let again = |message: &UiMessage| {
        matches!(message, UiMessage::PermissionRequired { request, .. }
            if request.target == "touch second")
    };
    let asked = stage.phone.until("the second question", again).await?;
    let UiMessage::PermissionRequired { tool_use_id, .. } = asked else {
        anyhow::bail!("asked as {asked:?}");
    };
    let registry = stage.controller.permissions();
    registry.respond(stage.session, &tool_use_id, yes()).await?;
    stage.completed(1).await?;
    ensure!(
        stage.made("first") && stage.made("second"),
        "one did not run"
    );
    let waits = registry.pending(stage.session).await;
    ensure!(waits.is_empty(), "{waits:?} wait");
    stage.shut(GRACE).await?;
    let story = stage.story().await?;
    let asked: Vec<&String> = story
        .iter()
        .filter(|line| line.starts_with("asked"))
        .collect();
    let second = asked.get(1).context("it was asked once")?;
    Ok(format!("two prompts, the second was {second}; both ran"))
}

pub(super) async fn slow_reader(cli: CliPackage) -> Result<String> {
    let turns = [bash("a", "touch made"), Turn::text("Done.")];
    let world = world(&cli, turns).await?;
    let options = asking(&world);
    // Nobody reads what is sent here.
    let (stuck, unread) = tokio::sync::mpsc::channel(1);
    let stage =
        Stage::open_with(world, options, |builder| builder, |setup| setup.sink(stuck)).await?;
    stage.say("go").await?;
    stage
        .answer("toolu_a", PermissionResponse::allow().by("phone"))
        .await?;
    stage.completed(1).await?;
    ensure!(stage.made("made"), "it did not run");
    let closed = stage.controller.shutdown(GRACE).await;
    let behind: Vec<usize> = closed.iter().map(|closed| closed.sinks_behind).collect();
    ensure!(behind == [1], "behind are {behind:?}");
    stage.lawful().await?;
    drop(unread);
    Ok("one front end took nothing; the others saw all, and the report names it".to_owned())
}
