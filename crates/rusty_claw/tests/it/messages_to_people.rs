//! Every message to a user, as it is printed, in one table for review.
//!
//! Messages are provoked where possible, and constructed otherwise. Each should state what
//! happened, where, and what to do.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use claw_testkit::{
    ControlAnswers, FakeScript, FakeTurn, InitializeAnswer, Step, fake_claude_path,
};
use rusty_claw::messages::Message;
use rusty_claw::store::StoreError;
use rusty_claw::transport::Exit;
use rusty_claw::{
    ClosedBy, Options, Prompt, QueryAsError, Received, Session, SessionError, StartError,
    TurnLimit, TurnOutcome, TurnReport,
};
use serde_json::json;

use crate::transport_child::Script;

/// A folder that exists on no machine.
const NOWHERE: &str = "/nowhere/at/all";

/// Options that start the stand-in with a script.
fn fake(script: &FakeScript) -> Options {
    let (name, value) = script.env().unwrap();
    Options::new()
        .cli_path(fake_claude_path().unwrap())
        .env(name, value)
        .persist_session(false)
}

/// Starts a session that must not start.
async fn refused(options: Options) -> StartError {
    match Session::start(options).await {
        Ok(_) => panic!("it started"),
        Err(error) => error,
    }
}

/// Collects messages, with paths of this machine replaced.
#[derive(Default)]
struct Table(String);

impl Table {
    fn row(&mut self, when: &str, message: impl std::fmt::Display) {
        let program = fake_claude_path().unwrap().display().to_string();
        let message = message
            .to_string()
            .replace(&program, "/usr/local/bin/claude");
        writeln!(self.0, "{when}:\n  {message}").unwrap();
    }

    /// As `main` prints it, with its causes.
    fn start(&mut self, when: &str, error: &StartError) {
        self.row(when, format!("{error:?}"));
    }
}

#[tokio::test]
async fn why_a_session_does_not_start() {
    let mut table = Table::default();
    let searched = ["/usr/bin/claude", "/home/me/.local/bin/claude"];
    table.start(
        "no CLI",
        &StartError::CliNotFound {
            searched: searched.map(Into::into).to_vec(),
        },
    );
    let named = Options::new().cli_path(format!("{NOWHERE}/claude"));
    table.start("a CLI that is not there", &refused(named).await);

    let old = Script::new("echo '1.0.98 (Claude Code)'");
    let path = old.path();
    let error = refused(Options::new().cli_path(&path)).await;
    let text = format!("{error:?}").replace(&path.display().to_string(), "/usr/bin/claude");
    table.row("a CLI that is too old", text);

    let plain = fake(&FakeScript::new());
    let flag = plain.clone().extra_flag("--no-such-flag", None::<&str>);
    table.start("a flag that it does not know", &refused(flag).await);
    let both = plain.clone().resume("5e5e").continue_latest(true);
    table.start("options that contradict", &refused(both).await);
    table.start("no such folder", &refused(plain.cwd(NOWHERE)).await);
    table.start(
        "the system refuses",
        &StartError::Spawn {
            program: "/usr/bin/claude".into(),
            source: std::io::Error::from_raw_os_error(11),
        },
    );
    let slow = StoreError::TimedOut {
        operation: "load",
        after: Duration::from_secs(60),
    };
    table.start("the store is slow", &StartError::Store { source: slow });

    let mut dies = FakeScript::new();
    dies.exit_at_start = Some(1);
    table.start("it ends at once", &refused(fake(&dies)).await);
    table.start(
        "it ends and says why",
        &StartError::Ended {
            exit: Exit::Code(1),
            said: Some("No conversation found with session ID: 5e5e".to_owned()),
            stderr_tail: String::new(),
        },
    );
    table.start(
        "it ends and says why on standard error",
        &StartError::Ended {
            exit: Exit::Signal(9),
            said: None,
            stderr_tail: "FATAL: out of memory\n".to_owned(),
        },
    );
    let rude = FakeScript::new().initialize(InitializeAnswer::Error("not today".to_owned()));
    table.start("it refuses", &refused(fake(&rude)).await);
    let silent = FakeScript::new().initialize(InitializeAnswer::Never);
    let hasty = fake(&silent).start_timeout(Duration::from_millis(400));
    table.start("it says nothing", &refused(hasty).await);
    table.start("a blocking call in async code", &StartError::InsideAsync);
    insta::assert_snapshot!(table.0);
}

#[tokio::test]
async fn why_a_request_fails() {
    let mut table = Table::default();
    let mut script = FakeScript::new().turn(FakeTurn::new().step(Step::Kill(9)));
    script.control = ControlAnswers {
        silent: vec!["get_settings".to_owned()],
        errors: [("set_model".to_owned(), "no such model".to_owned())].into(),
        payloads: [("get_usage".to_owned(), json!("a word"))].into(),
    };
    let options = fake(&script).control_timeout(Duration::from_millis(500));
    let (session, messages) = Session::start(options).await.unwrap();
    drop(messages);
    table.row("refused", session.set_model(Some("x")).await.unwrap_err());
    table.row("no answer", session.get_settings().await.unwrap_err());
    table.row("no answer to it", session.get_usage().await.unwrap_err());
    let image = Prompt::text("What is this?").image_bytes(b"not an image");
    table.row("not an image", image.unwrap_err());

    let outcome = session.send("Die").await.unwrap().await;
    table.row("killed in mid-turn", &outcome);
    table.row("as an error", outcome.into_text().unwrap_err());
    table.row("a prompt after that", session.send("?").await.unwrap_err());

    let dying = FakeTurn::new()
        .step(Step::Stderr("cannot go on\n".to_owned()))
        .step(Step::Exit(1));
    let (session, messages) = Session::start(fake(&FakeScript::new().turn(dying)))
        .await
        .unwrap();
    drop(messages);
    table.row("it gives up", session.send("Go").await.unwrap().await);

    let (session, messages) = Session::start(fake(&FakeScript::new())).await.unwrap();
    drop(messages);
    session.close().await;
    let after = session.send("?").await.unwrap_err();
    assert!(matches!(after, SessionError::Over { .. }));
    table.row("a prompt after the close", after);
    insta::assert_snapshot!(table.0);
}

/// The recorded report of the real CLI.
fn recorded(scenario: &str) -> TurnReport {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/cli/2.1.325");
    let lines = std::fs::read_to_string(format!("{folder}/{scenario}/stdout.ndjson")).unwrap();
    let result = lines
        .lines()
        .rev()
        .find_map(|line| match Received::decode(line).ok()?.message {
            Message::Result(result) => Some(result),
            _ => None,
        });
    let mut report = TurnReport::default();
    report.result = Some(Arc::new(result.expect("a result")));
    report
}

#[test]
fn what_becomes_of_a_prompt() {
    let mut table = Table::default();
    let failed = |scenario| TurnOutcome::Failed(recorded(scenario));
    let mut unanswered = TurnReport::default();
    unanswered.note = Some("the CLI gave no result for it".into());
    for (when, outcome) in [
        ("answered", TurnOutcome::Succeeded(recorded("text_basic"))),
        ("not logged in", failed("err_no_key")),
        ("overloaded", failed("err_529_exhausted")),
        ("too many turns", failed("res_max_turns")),
        ("stopped", TurnOutcome::Interrupted { report: None }),
        (
            "too slow",
            TurnOutcome::TimedOut {
                limit: TurnLimit::Turn,
                after: Duration::from_millis(90_500),
            },
        ),
        (
            "too quiet",
            TurnOutcome::TimedOut {
                limit: TurnLimit::Idle,
                after: Duration::from_secs(15 * 60),
            },
        ),
        (
            "not read",
            TurnOutcome::TimedOut {
                limit: TurnLimit::Unread,
                after: Duration::from_secs(15 * 60),
            },
        ),
        ("without a result", TurnOutcome::Succeeded(unanswered)),
        ("let go of", TurnOutcome::Detached),
    ] {
        table.row(when, &outcome);
    }
    for by in [
        ClosedBy::AlreadyOver,
        ClosedBy::EndSession,
        ClosedBy::EndOfInput,
        ClosedBy::Terminate,
        ClosedBy::Kill,
    ] {
        table.row("closed by", by);
    }
    for error in [
        QueryAsError::GaveUp {
            error: "Failed to provide valid structured output after 5 attempts".to_owned(),
        },
        QueryAsError::OnlyText {
            text: "I would rather tell you a story.".to_owned(),
        },
        QueryAsError::DoesNotFit {
            field: "items[2].price".to_owned(),
            why: "invalid type: string \"12\", expected f64".to_owned(),
            answer: r#"{"items":[{},{},{"price":"12"}]}"#.to_owned(),
        },
    ] {
        table.row("no value", error);
    }
    insta::assert_snapshot!(table.0);
}

/// People search for the variant in a log or a failed test that prints `{:?}`.
#[test]
fn the_debug_form_of_an_error_begins_with_its_variant() {
    let ended = StartError::Ended {
        exit: Exit::Code(1),
        said: None,
        stderr_tail: String::new(),
    };
    assert_eq!(format!("{ended:?}"), format!("Ended: {ended}"));
    let folder = StartError::FolderMissing {
        path: NOWHERE.into(),
    };
    assert_eq!(format!("{folder:?}"), format!("FolderMissing: {folder}"));
    let store = StoreError::TimedOut {
        operation: "load",
        after: Duration::from_secs(60),
    };
    let source = store.to_string();
    let store = StartError::Store { source: store };
    assert_eq!(format!("{store:?}"), format!("Store: {store}: {source}"));
    let unanswered = TurnOutcome::Detached.into_text().unwrap_err();
    assert_eq!(
        format!("{unanswered:?}"),
        format!("NotAnswered(Detached): {unanswered}")
    );
    let start = QueryAsError::Start(folder);
    assert_eq!(format!("{start:?}"), format!("FolderMissing: {start}"));
    let text = QueryAsError::OnlyText {
        text: "no".to_owned(),
    };
    assert_eq!(format!("{text:?}"), format!("OnlyText: {text}"));
}
