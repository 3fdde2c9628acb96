//! CLIs below holders, which are processes of their own: the test binary again.

mod killed;
mod raw;

use std::time::Duration;

use claw_gateway::{CliHost as _, hold};
use claw_testkit::fake_claude::{FakeScript, FakeTurn, Flood, Permission, Step};
use rusty_claw::permission::PermissionAnswer;
use rusty_claw::transport::{Exit, Stop};
use rusty_claw::{Prompt, Session, TurnOutcome};
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use raw::{Held, TIMEOUT, alive, eventually, prompt};

/// The holder. A plain run of the tests does not call it.
#[test]
fn a_holder_runs() {
    if std::env::args().any(|arg| arg == raw::HOLD) {
        hold().unwrap();
    }
}

fn talk() -> FakeScript {
    let turn = FakeTurn::new()
        .step(Step::text("one"))
        .step(Step::text("two"));
    FakeScript::new().turn(turn).repeat_last()
}

#[tokio::test]
async fn output_is_neither_lost_nor_doubled_at_any_offset() {
    let held = Held::new(&talk());
    let mut cli = held.start(1).await;
    cli.send(&prompt("u1")).await;
    let all = cli.until_result().await;
    cli.leave();
    for offset in (0..=all.len()).step_by(3) {
        let mut cli = held.attach(2, offset as u64).await;
        assert!(
            cli.bytes(all.len() - offset).await == all[offset..],
            "{offset}"
        );
        cli.leave();
    }
    // Output goes on where it ended.
    let mut cli = held.attach(3, all.len() as u64).await;
    cli.send(&prompt("u2")).await;
    let more = cli.until_result().await;
    assert!(more.starts_with(b"{"));
    cli.leave();
    let mut cli = held.attach(4, 0).await;
    assert!(cli.bytes(all.len() + more.len()).await == [all, more].concat());
    cli.leave();
    held.end(4).await;
}

#[tokio::test]
async fn a_repeated_input_is_written_once() {
    let held = Held::recording(&talk());
    let mut cli = held.start(1).await;
    cli.send(&prompt("u1")).await;
    cli.send(&prompt("u1")).await;
    let all = cli.until_result().await;
    cli.leave();
    let mut cli = held.attach(2, all.len() as u64).await;
    cli.send(&prompt("u1")).await;
    cli.send(&prompt("u2")).await;
    cli.until_result().await;
    assert_eq!(held.recorded(), ["u1", "u2"]);
    cli.leave();
    held.end(2).await;
}

#[tokio::test]
async fn only_the_highest_epoch_is_obeyed() {
    let held = Held::recording(&talk());
    let mut old = held.start(5).await;
    assert!(held.find(4).await.is_none(), "a lower epoch is refused");
    old.send(&prompt("u1")).await;
    let all = old.until_result().await;
    let mut new = held.attach(6, all.len() as u64).await;
    assert_eq!(old.connection.custody.exited().await, Exit::Unknown);
    assert!(old.try_send(&prompt("u2")).await.is_err());
    // The replaced gateway cannot end the CLI of the new one either.
    held.holders.end(&held.session(5)).await;
    drop(old);
    new.send(&prompt("u3")).await;
    new.until_result().await;
    assert_eq!(held.recorded(), ["u1", "u3"]);
    new.leave();
    held.end(6).await;
}

#[tokio::test]
async fn a_cli_waits_while_the_spool_is_full() {
    const FILE: u64 = 256 << 10;
    /// Memory, file, and the pieces in between.
    const MOST: u64 = (1 << 20) + FILE + (128 << 10);
    let flood = Flood::new(4_000).bytes(2_000);
    let script = FakeScript::new().turn(FakeTurn::new().step(Step::Flood(flood)));
    let held = Held::with(&script, |holders| holders.spool_bytes(FILE));
    let mut cli = held.start(1).await;
    cli.send(&prompt("u1")).await;
    cli.leave();
    let end = async || held.find(1).await.unwrap().end;
    // A piece that does not fit into the memory goes to the file.
    let full = (1 << 20) + FILE - (64 << 10);
    eventually(async || end().await >= full).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(end().await <= MOST);
    // It continues when output is stored.
    let mut cli = held.attach(1, 0).await;
    let (mut all, mut text) = (0_u64, Vec::new());
    while !String::from_utf8_lossy(&text).contains(r#""type":"result""#) {
        text.drain(..text.len().saturating_sub(64));
        let read = cli.connection.reader.read_buf(&mut text);
        all += tokio::time::timeout(TIMEOUT, read).await.unwrap().unwrap() as u64;
        held.holders.handled(&held.session(1), all);
    }
    assert!(all > 4_000 * 2_000);
    cli.leave();
    held.end(1).await;
}

#[tokio::test]
async fn the_exit_is_read_after_the_output() {
    let turn = FakeTurn::new()
        .step(Step::Stderr("last words".into()))
        .step(Step::Exit(3));
    let held = Held::new(&FakeScript::new().turn(turn));
    let mut cli = held.start(1).await;
    let holder = cli.holder();
    cli.send(&prompt("u1")).await;
    cli.leave();
    eventually(async || held.find(1).await.unwrap().has_exited).await;
    let end = held.find(1).await.unwrap().end;
    let mut cli = held.attach(1, 0).await;
    let mut output = Vec::new();
    cli.connection
        .reader
        .read_to_end(&mut output)
        .await
        .unwrap();
    assert_eq!(output.len() as u64, end);
    assert_eq!(cli.connection.custody.exited().await, Exit::Code(3));
    assert!(cli.connection.custody.stderr_tail().contains("last words"));
    held.holders.handled(&held.session(1), end);
    drop(cli);
    // The next gateway needs the exit if this one crashes before it has stored it.
    let found = held.find(2).await.unwrap();
    assert!(found.has_exited && found.end == end);
    held.end(2).await;
    eventually(async || !alive(holder)).await;
    assert!(held.find(3).await.is_none());
}

#[tokio::test]
async fn a_dropped_connection_that_was_not_released_ends_the_cli() {
    let held = Held::new(&talk());
    let cli = held.start(1).await;
    let pid = cli.pid();
    drop(cli);
    eventually(async || !alive(pid)).await;
    held.end(1).await;
}

#[tokio::test]
async fn a_cli_without_a_gateway_ends_at_last() {
    let held = Held::with(&talk(), |holders| {
        holders.orphan_time(Duration::from_millis(200))
    });
    let cli = held.start(1).await;
    let (pid, holder) = (cli.pid(), cli.holder());
    cli.leave();
    eventually(async || !alive(pid) && !alive(holder)).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn a_new_cli_replaces_the_old_one() {
    let held = Held::new(&talk());
    let old = held.start(1).await;
    let pid = old.pid();
    old.leave();
    let new = held.start(2).await;
    assert!(!alive(pid) && alive(new.pid()));
    new.leave();
    held.end(2).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn a_cli_that_does_not_start_leaves_nothing() {
    let held = Held::new(&talk());
    let mut launch = held.launch();
    launch.program = Some("/nowhere/claude".into());
    let opened = held.holders.transport(&held.session(1)).open(launch).await;
    let error = std::error::Error::source(&opened.unwrap_err())
        .unwrap()
        .to_string();
    assert!(error.contains("/nowhere/claude"), "{error}");
    eventually(async || held.is_empty()).await;
}

#[tokio::test]
async fn the_files_of_a_launch_live_as_long_as_the_cli() {
    let held = Held::new(&talk());
    let mut launch = held.launch();
    let file = held.folder.path().join("settings.json");
    std::fs::write(&file, "{}").unwrap();
    launch
        .args
        .push(format!("--settings={}", file.display()).into());
    launch.files = vec![file.clone()];
    let cli = held.start_with(1, launch).await;
    std::fs::remove_file(&file).unwrap();
    let command = std::fs::read_to_string(format!("/proc/{}/cmdline", cli.pid())).unwrap();
    let mut args = command.split('\0');
    let copy = args.find_map(|arg| arg.strip_prefix("--settings="));
    let copy = std::path::PathBuf::from(copy.unwrap());
    assert_ne!(copy, file);
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), "{}");
    cli.leave();
    held.end(1).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn a_session_continues_while_its_host_is_away() {
    let permission = Permission::new("Bash", json!({"command": "touch x"}));
    let turn = FakeTurn::new()
        .step(Step::Permission(permission))
        .step(Step::text("done"));
    let held = Held::new(&FakeScript::new().turn(turn));
    let transport = held.holders.transport(&held.session(1));
    let (asking, mut asked) = mpsc::unbounded_channel();
    let never = held.options().can_use_tool(move |_| {
        let _ = asking.send(());
        std::future::pending::<PermissionAnswer>()
    });
    let (session, _messages) = Session::start_on(transport, never).await.unwrap();
    let _turn = session.send(Prompt::text("Hi")).await.unwrap();
    asked.recv().await.unwrap();
    let detached = session.detach().await.unwrap();
    assert_eq!(detached.open_turns.len(), 1);

    let found = held.find(2).await.unwrap();
    let transport = (found.transport)(detached.offset);
    let allow = held
        .options()
        .can_use_tool(|_| async { PermissionAnswer::allow() });
    let mut attached = Session::attach(transport, allow, detached).await.unwrap();
    let outcome = attached.turns.remove(0).outcome().await;
    assert!(matches!(outcome, TurnOutcome::Succeeded(_)), "{outcome:?}");
    attached.session.close().await;
    held.end(2).await;
}

#[tokio::test]
async fn several_sessions_have_holders_of_their_own() {
    let held = Held::new(&talk());
    let other = Held::new(&talk());
    let (one, two) = (held.start(1).await, other.start(1).await);
    assert_ne!(one.holder(), two.holder());
    let mut one = one;
    one.connection.custody.stop(Stop::Kill);
    assert_eq!(one.connection.custody.exited().await, Exit::Signal(9));
    assert!(alive(two.pid()));
    two.leave();
    drop(one);
    held.end(1).await;
    other.end(1).await;
}
