//! Several front ends and several calls.

use claw_server::interactions::AnswerRefused;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{Resolution, UiMessage};
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;

use crate::front_end::FrontEnd;
use crate::permissions::yes;
use crate::phone::{Phone, is, same};
use crate::stage::{GRACE, Prepared, Stage, id};
use crate::stops::{COUNTING, slow_text};

/// The number of permissions that two front ends answer at once.
const ROUNDS: usize = 20;

pub(crate) async fn at_once() -> String {
    let calls = (0..ROUNDS).map(|round| bash(&format!("r{round}"), &format!("touch r{round}")));
    let mut stage = Stage::start(calls.chain([Turn::text("Done.")])).await;
    let mut wins = [0, 0];
    for round in 0..ROUNDS {
        let call = format!("r{round}");
        stage.phone.asked(&call).await;
        stage.desktop.asked(&call).await;
        let answer = |response: PermissionResponse| {
            let (controller, call, session) = (stage.controller.clone(), id(&call), stage.session);
            tokio::spawn(async move {
                let registry = controller.permissions();
                registry.respond(session, &call, response).await
            })
        };
        let no = PermissionResponse::deny("The desktop says no").by("desktop");
        // Each is the first every other time.
        let (phone, desktop) = if round % 2 == 0 {
            let phone = answer(yes("phone"));
            (phone, answer(no))
        } else {
            let desktop = answer(no);
            (answer(yes("phone")), desktop)
        };
        let (winner, refused) = match (phone.await.unwrap(), desktop.await.unwrap()) {
            (Ok(()), Err(refused)) => ("phone", refused),
            (Err(refused), Ok(())) => ("desktop", refused),
            both => panic!("{both:?}"),
        };
        wins[usize::from(winner == "desktop")] += 1;
        let winner_is_named = Some(winner.to_owned());
        let by = winner_is_named.clone();
        assert_eq!(refused, AnswerRefused::AlreadyAnswered { by });
        for front in [&mut stage.phone, &mut stage.desktop] {
            let resolved = front.resolved(&call).await;
            assert!(
                matches!(&resolved, UiMessage::InteractionResolved { resolution: Resolution::Answered, by, .. }
                    if *by == winner_is_named),
                "{winner} was faster, and a front end saw {resolved:?}"
            );
        }
        let ends = |message: &UiMessage| matches!(message, UiMessage::ToolCompleted { tool_use_id, .. } if *tool_use_id == id(&call));
        stage.phone.find(ends).await;
        assert_eq!(stage.world.has_file(&call), winner == "phone");
    }
    stage.ended(1, "EndTurn").await;
    for call in (0..ROUNDS).map(|round| format!("r{round}")) {
        match stage.world.has_file(&call) {
            true => stage.succeeded(&call, ""),
            false => stage.failed(&call, "The desktop says no"),
        }
    }
    stage.shut(GRACE).await;
    let [phone, desktop] = wins;
    format!(
        "{ROUNDS} interactions: the phone was faster {phone} times, the desktop {desktop} times; the \
         other always learned the outcome, and the tool followed the faster answer"
    )
}

pub(crate) async fn remembered() -> String {
    let commands = [
        ("a", "touch made"),
        ("b", "touch made"),
        ("c", "touch other"),
        ("d", "touch made && touch other"),
    ];
    let calls = commands.map(|(call, command)| bash(call, command));
    let mut stage = Stage::start(calls.into_iter().chain([Turn::text("Done.")])).await;
    stage
        .answer("a", yes("phone").remember(Remember::Session))
        .await;
    for call in ["c", "d"] {
        let no = PermissionResponse::deny("Only the first").by("phone");
        stage.answer(call, no).await;
    }
    stage.ended(1, "EndTurn").await;
    stage.succeeded("b", "");
    assert!(!stage.world.has_file("other"), "more ran than was granted");
    let grants = stage.controller.permissions().grants("").await;
    assert_eq!(grants.len(), 1, "{grants:?}");
    stage.saw(
        "runs a, may a?, Answered a by phone, ran a, \
         runs b, Answered b by policy: grant of touch made, ran b, \
         runs c, may c?, Answered c by phone, ran c, runs d, may d?, Answered d by phone, ran d, \
         text Done., complete 1 EndTurn",
    );
    let controller = stage.controller.clone();
    stage
        .end_as(
            "turn 1 began, called a, asked a, answered a by phone, result a, \
             called b, answered b by policy: grant of touch made, result b, \
             called c, asked c, answered c by phone, result c, \
             called d, asked d, answered d by phone, result d, turn 1 ended: Succeeded",
        )
        .await;
    let grants = controller.permissions().grants("").await;
    assert!(grants.is_empty(), "{grants:?}");
    "the same command ran again without a question; another, and more than it, did not".to_owned()
}

pub(crate) async fn joined_late() -> String {
    let turns = [
        Turn::text("Hello."),
        bash("a", "touch made"),
        Turn::text("Done."),
    ];
    let mut stage = Stage::open(turns).await;
    stage.send("hello").await;
    stage.ended(1, "EndTurn").await;
    stage.send("go").await;
    stage.phone.asked("a").await;
    let (mut tablet, sink) = FrontEnd::holding(1024);
    stage.controller.watch(stage.session, sink).await.unwrap();
    tablet.asked("a").await;
    stage.respond("a", yes("tablet")).await.unwrap();
    stage.ended(2, "EndTurn").await;
    assert!(stage.world.has_file("made"));
    stage.shut(GRACE).await;
    tablet.rest().await;
    assert_eq!(tablet.seen(), stage.phone.seen());
    "saw all that came before, answered what was open, and saw the rest".to_owned()
}

pub(crate) async fn same_call_again() -> String {
    let turns = [
        bash("a", "touch first"),
        bash("a", "touch second"),
        Turn::text("Done."),
    ];
    let mut stage = Stage::start(turns).await;
    stage.answer("a", yes("phone")).await;
    let again = |message: &UiMessage| matches!(message, UiMessage::PermissionRequired { request, .. } if request.target == "touch second");
    let asked = stage.phone.find(again).await;
    let UiMessage::PermissionRequired { tool_use_id, .. } = asked else {
        panic!("{asked:?}");
    };
    let registry = stage.controller.permissions();
    let answered = registry.respond(stage.session, &tool_use_id, yes("phone"));
    answered.await.unwrap();
    stage.ended(1, "EndTurn").await;
    assert!(stage.world.has_file("first") && stage.world.has_file("second"));
    let pending = stage.controller.permissions().pending(stage.session).await;
    assert!(pending.is_empty(), "{pending:?}");
    stage.shut(GRACE).await;
    let interactions = stage.interactions().await;
    assert_eq!(interactions.matches("asked").count(), 2, "{interactions}");
    format!("two prompts, the second was asked {tool_use_id}; both ran")
}

/// A front end that never reads.
pub(crate) async fn slow_reader() -> String {
    let mut prepared = Prepared::new([bash("a", "touch made"), Turn::text("Done.")]).await;
    let (stuck, unread) = tokio::sync::mpsc::channel(1);
    prepared.sinks.push(stuck);
    let mut stage = prepared.open().await;
    stage.send("go").await;
    stage.answer("a", yes("phone")).await;
    stage.ended(1, "EndTurn").await;
    assert!(stage.world.has_file("made"));
    let closed = stage.controller.shutdown(GRACE).await;
    let behind: Vec<usize> = closed.iter().map(|closed| closed.sinks_behind).collect();
    assert_eq!(behind, [1]);
    stage.check().await;
    drop(unread);
    "one front end took nothing; the others saw all, and the report names it".to_owned()
}

/// A front end that is cut off in a text and in a tool, and resumes.
pub(crate) async fn cut_off() -> String {
    let waits = "touch began; while [ ! -e go ]; do sleep 0.1; done";
    let turns = [
        slow_text(COUNTING, 150),
        bash("a", waits),
        Turn::text("Done."),
    ];
    let mut stage = Stage::open(turns).await;
    let mut tablet = Phone::new(stage.session);
    tablet.connect(&stage.controller).await;
    stage.send("count").await;
    tablet.until(is("TextChunk")).await;
    tablet.until(is("TextChunk")).await;
    let received = tablet.client.messages().count();
    tablet.connect(&stage.controller).await;
    let dropped = received - tablet.client.messages().count();
    assert!(dropped >= 2, "it was not cut off in the middle of a text");
    tablet.until(is("Complete")).await;

    stage.send("work").await;
    stage.answer("a", yes("phone")).await;
    stage.until_file("began").await;
    tablet.until(is("InteractionResolved")).await;
    tablet.disconnect();
    std::fs::write(stage.world.project().join("go"), "").unwrap();
    stage.ended(2, "EndTurn").await;
    tablet.connect(&stage.controller).await;
    tablet.until(is("ToolCompleted")).await;
    stage.shut(GRACE).await;
    let is_closed = |message: &UiMessage| matches!(message, UiMessage::SessionState { state, .. } if state.as_str() == "Closed");
    tablet.until(is_closed).await;
    let stayed: Vec<&UiMessage> = stage.phone.received.iter().collect();
    same(&tablet.client, &stayed).unwrap();
    format!(
        "cut off in a text and in a tool, it threw {dropped} messages away, came again twice, and \
         shows what one shows who stayed"
    )
}
