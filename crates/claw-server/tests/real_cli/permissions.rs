//! Permissions: allowed, denied, edited, in batches, and not answered at all.

use std::time::Duration;

use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{BatchPlace, Json, UiMessage};
use claw_testkit::Turn;
use claw_testkit::real_cli::bash;
use serde_json::json;

use crate::stage::{GRACE, Prepared, Stage, eventually, id};

pub(crate) fn yes(who: &str) -> PermissionResponse {
    PermissionResponse::allow().by(who)
}

pub(crate) async fn allowed() -> String {
    let mut stage = Stage::start([bash("a", "touch made"), Turn::text("Done.")]).await;
    let asked = stage.desktop.asked("a").await;
    let UiMessage::PermissionRequired { request, .. } = &asked else {
        panic!("{asked:?}");
    };
    assert_eq!(request.target, "touch made");
    let pending = stage.controller.permissions().pending(stage.session).await;
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].tool_use_id, id("a"));
    let ran = stage.world.has_file("made");
    assert!(!ran, "it ran before it was allowed");
    stage.answer("a", yes("phone")).await;
    stage.ended(1, "EndTurn").await;
    assert!(stage.world.has_file("made"));
    stage.succeeded("a", "");
    let pending = stage.controller.permissions().pending(stage.session).await;
    assert!(pending.is_empty(), "{pending:?}");
    stage.saw("runs a, may a?, Answered a by phone, ran a, text Done., complete 1 EndTurn");
    stage.end_with_one_call("a", "phone").await;
    "asked once, ran when allowed, the model read the result".to_owned()
}

/// The number of tries until the CLI asks for three reads at once. It asks for each when it has
/// read the call; on a busy machine that takes longer than a group grows.
const ROUNDS: u64 = 8;

pub(crate) async fn batch() -> String {
    let outside = tempfile::tempdir().unwrap();
    let mut stage = Stage::open([]).await;
    let mut sizes = Vec::new();
    for round in 1..=ROUNDS {
        let names = ["z", "a", "m"].map(|name| format!("{round}{name}"));
        let mut reads = Turn::empty();
        for name in &names {
            let path = outside.path().join(name);
            std::fs::write(&path, format!("content of {name}")).unwrap();
            reads = reads.tool_use(id(name), "Read", json!({"file_path": path}));
        }
        stage.world.api.turn(reads).turn(Turn::text("Read."));
        stage.send("go").await;
        let groups = all_pending(&stage, &names).await;
        let wanted = [0, 1, 2].map(|index| Some(place(&names[0], index)));
        if groups == wanted {
            mixed_answers(&mut stage, round, &names).await;
            stage.shut(GRACE).await;
            in_one_group(&stage.interactions().await, &names);
            return format!(
                "three in one group, at try {round}; yes, no and yes; the model read two files \
                 and why not the third"
            );
        }
        sizes.push(groups.iter().flatten().count());
        for name in &names {
            let yes = PermissionResponse::allow();
            stage.respond(name, yes).await.unwrap();
        }
        stage.ended(round, "EndTurn").await;
    }
    panic!("of three reads at most {sizes:?} were asked for at once, try by try")
}

fn place(first: &str, index: u32) -> BatchPlace {
    let batch_id = id(first);
    BatchPlace { batch_id, index }
}

/// Waits until all three are pending. Returns their places in groups.
async fn all_pending(stage: &Stage, names: &[String; 3]) -> Vec<Option<BatchPlace>> {
    let registry = stage.controller.permissions();
    let pending = eventually("three reads are pending", || async {
        let pending = registry.pending(stage.session).await;
        (pending.len() == 3).then_some(pending)
    })
    .await;
    let calls: Vec<&str> = pending.iter().map(|one| one.tool_use_id.as_str()).collect();
    assert_eq!(calls, names.each_ref().map(|name| id(name)));
    pending.into_iter().map(|one| one.batch).collect()
}

/// Yes, no and yes, from two front ends.
async fn mixed_answers(stage: &mut Stage, round: u64, names: &[String; 3]) {
    let [first, second, third] = names;
    let whole = |message: &UiMessage| matches!(message, UiMessage::BatchPermissionRequired { batch_id, requests, .. } if *batch_id == id(first) && requests.len() == 3);
    for front in [&mut stage.phone, &mut stage.desktop] {
        let UiMessage::BatchPermissionRequired { requests, .. } = front.find(whole).await else {
            unreachable!("it is a batch");
        };
        for (request, name) in requests.iter().zip(names) {
            assert!(request.target.ends_with(name), "{requests:?}");
        }
    }
    let no = PermissionResponse::deny("not this one").by("phone");
    let unknown = PermissionResponse::allow();
    let answers = vec![(0, yes("phone")), (1, no), (9, unknown)];
    let registry = stage.controller.permissions();
    let taken = registry.respond_to_batch(stage.session, &id(first), answers);
    assert_eq!(taken.await, [Ok(()), Ok(()), Err(AnswerRefused::Unknown)]);
    stage.desktop.resolved(second).await;
    let pending = registry.pending(stage.session).await;
    assert_eq!(pending.len(), 1, "{pending:?}");
    assert_eq!(pending[0].batch, Some(place(first, 2)));
    // The last of them by its call, from the other front end.
    stage.respond(third, yes("desktop")).await.unwrap();
    stage.ended(round, "EndTurn").await;
    stage.succeeded(first, &format!("content of {first}"));
    stage.failed(second, "not this one");
    stage.succeeded(third, &format!("content of {third}"));
}

/// The number of calls known when each was asked for depends on timing, and so does whether the
/// first was alone.
fn in_one_group(interactions: &str, [first, second, third]: &[String; 3]) {
    let untimed = interactions
        .replace(" of 2", "")
        .replace(" of 3", "")
        .replace(&format!(", 1 in {first}"), "");
    let wanted = format!(
        "asked {first}, asked {second}, 2 in {first}, asked {third}, 3 in {first}, \
         answered {first} by phone, answered {second} by phone, answered {third} by desktop"
    );
    assert!(untimed.ends_with(&wanted), "{interactions}");
}

pub(crate) async fn edited() -> String {
    let mut stage = Stage::start([bash("a", "touch original"), Turn::text("Done.")]).await;
    let edited = json!({"command": "touch changed && echo by hand"});
    let edited = yes("phone").with_input(Json::from_value(&edited));
    stage.answer("a", edited).await;
    stage.ended(1, "EndTurn").await;
    assert!(stage.world.has_file("changed") && !stage.world.has_file("original"));
    stage.succeeded("a", "by hand");
    stage.end_with_one_call("a", "phone").await;
    "the edited command ran, the original did not, the model read its output".to_owned()
}

pub(crate) async fn denied() -> String {
    let mut stage = Stage::start([bash("a", "touch forbidden"), Turn::text("I see.")]).await;
    let no = PermissionResponse::deny("Not on a Friday").by("desktop");
    stage.answer("a", no).await;
    stage.ended(1, "EndTurn").await;
    assert!(!stage.world.has_file("forbidden"));
    stage.failed("a", "Not on a Friday");
    stage.saw("runs a, may a?, Answered a by desktop, ran a, text I see., complete 1 EndTurn");
    stage.end_with_one_call("a", "desktop").await;
    "it did not run, the model read why and went on".to_owned()
}

pub(crate) async fn denied_and_stopped() -> String {
    let mut stage = Stage::start([bash("a", "touch forbidden"), Turn::text("Hello.")]).await;
    let no = PermissionResponse::deny("Stop").and_interrupt().by("phone");
    stage.answer("a", no).await;
    stage.ended(1, "Interrupted").await;
    assert!(!stage.world.has_file("forbidden"));
    assert_eq!(stage.requests().len(), 1, "the turn went on");
    stage.send("and now?").await;
    stage.ended(2, "EndTurn").await;
    stage.failed("a", "");
    stage.model_received(&["[Request interrupted by user for tool use]"]);
    stage.saw("runs a, may a?, Answered a by phone, ran a, complete 1 Interrupted, text Hello., complete 2 EndTurn");
    stage.end_as(INTERRUPTED_AFTER_AN_ANSWER).await;
    "it did not run, the turn was interrupted, the next one was answered".to_owned()
}

/// The log of a turn that was interrupted after its one call was answered, and of the next.
pub(crate) const INTERRUPTED_AFTER_AN_ANSWER: &str = "turn 1 began, called a, asked a, \
     answered a by phone, result a, turn 1 ended: Interrupted, turn 2 began, \
     turn 2 ended: Succeeded";

pub(crate) async fn timed_out() -> String {
    let mut prepared = Prepared::new([bash("a", "touch late"), Turn::text("I see.")]).await;
    let limit = Duration::from_millis(400);
    prepared.builder = prepared.builder.interaction_timeout(limit);
    let mut stage = prepared.open().await;
    stage.send("go").await;
    stage.phone.asked("a").await;
    stage.ended(1, "EndTurn").await;
    let late = stage.respond("a", yes("phone")).await;
    assert_eq!(late, Err(AnswerRefused::Expired));
    assert!(!stage.world.has_file("late"));
    stage.failed("a", "Nobody answered in time");
    let events = stage.events().await;
    let time_of = |kind: &str| {
        let found = events.iter().find(|event| event.fact.kind() == kind);
        found.expect("the event is there").at_ms
    };
    let took = time_of("interaction_expired") - time_of("interaction_opened");
    stage.saw("runs a, may a?, Expired a, ran a, text I see., complete 1 EndTurn");
    stage
        .end_as("turn 1 began, called a, asked a, expired a, result a, turn 1 ended: Succeeded")
        .await;
    format!("denied {took} ms after it was asked, a late yes was rejected")
}
