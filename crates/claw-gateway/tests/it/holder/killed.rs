//! Holders and gateways that are killed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use claw_gateway::{CliHost as _, Gateway, Scope};
use claw_server::SessionId;
use claw_store::{MemoryStore, NodeId};
use claw_testkit::{FakeScript, FakeTurn, Step};
use rusty_claw::transport::{Exit, custody};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;

use super::raw::{Held, TIMEOUT, alive, holders, prompt, stat};
use crate::gateway::{is_kind, key, send};
use crate::host::{Host, settings};
use crate::owner::{self, Done, Owner, Point, report};
use crate::owning::stage::{events, outcomes};

#[tokio::test]
async fn a_cli_ends_with_its_holder() {
    let held = Held::new(&FakeScript::new().stubborn());
    let mut cli = held.start(1).await;
    let (pid, holder) = (cli.pid(), cli.holder());
    claw_testkit::processes::kill(&[holder.into()]).unwrap();
    assert_eq!(cli.connection.custody.exited().await, Exit::Unknown);
    let mut rest = Vec::new();
    let read = cli.connection.reader.read_to_end(&mut rest);
    tokio::time::timeout(TIMEOUT, read).await.unwrap().unwrap();
    assert!(cli.try_send(&prompt("u1")).await.is_err());
    // This one ignores SIGTERM, so it is ended by the sweep.
    cli.connection.custody.clean_up().await;
    assert!(!alive(pid));
    assert!(held.find(2).await.is_none());
    held.holders.end(&held.session(2)).await;
    assert!(held.is_empty());
}

#[tokio::test]
async fn the_holder_of_a_killed_gateway_is_found_and_not_swept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let setup = Setup {
        folder: folder.path().to_owned(),
        session: SessionId::random().to_string(),
    };
    let test = "holder::killed::a_gateway_runs_until_it_is_killed";
    let killing = tokio::task::spawn_blocking({
        let setup = setup.clone();
        move || {
            let mut owner = Owner::start(test, &setup);
            let Done::Prompted { id } = owner.next() else {
                panic!("the process reports its CLI");
            };
            owner.kill(Point::Time(Duration::ZERO));
            id
        }
    });
    let pid: u32 = killing.await.unwrap().parse().unwrap();
    let swept = custody::sweep().await;
    assert!(swept.iter().all(|orphan| orphan.pid != pid), "{swept:?}");
    assert!(alive(pid));
    let session = setup.session.parse().unwrap();
    let held = Held::of(&script(), folder, session);
    let mut cli = held.attach(2, 0).await;
    assert_eq!(cli.pid(), pid);
    let holder = cli.holder();
    assert_eq!(stat(holder)[3], holder.to_string(), "it leads a session");
    // The turn ended while no gateway was attached, or ends now.
    let output = String::from_utf8(cli.until_result().await).unwrap();
    assert!(
        output.contains("before") && output.contains("after"),
        "{output}"
    );
    cli.leave();
    held.end(2).await;
    assert!(!alive(pid) && !alive(holder));
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Setup {
    folder: PathBuf,
    session: String,
}

fn script() -> FakeScript {
    let turn = FakeTurn::new().step(Step::text("before"));
    let turn = turn.step(Step::SleepMs(1_000)).step(Step::text("after"));
    FakeScript::new().turn(turn)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_waits_while_its_cli_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let turn = FakeTurn::new().step(Step::SleepMs(1_000));
    let ends = FakeScript::new().turn(turn.step(Step::Exit(3)));
    let [ends, answers] = [ends, FakeScript::new()].map(|script| settings(folder.path(), &script));
    let is_second = Arc::new(AtomicBool::new(false));
    let mut settings = settings(folder.path(), &FakeScript::new());
    settings.host = Some(Arc::new(holders(folder.path().join("holders"))));
    settings.options = Box::new({
        let is_second = Arc::clone(&is_second);
        move || match is_second.load(Ordering::SeqCst) {
            true => (answers.options)(),
            false => (ends.options)(),
        }
    });
    let store = Arc::new(MemoryStore::new());
    let gateway = Gateway::start(store, NodeId::new("one").unwrap(), settings).await;
    let gateway = gateway.unwrap();
    let host = Host { gateway, folder };
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    send(&phone, session, "One", "in-1").await;
    events(&phone, session, is_kind("turn_started")).await;
    is_second.store(true, Ordering::SeqCst);
    send(&phone, session, "Two", "in-2").await;
    let is_second = |message: &Value| message["event"]["kind"] == "input_processed";
    let events = events(&phone, session, is_second).await;
    let [one, two] = ["in-1", "in-2"].map(|name| outcomes(&events, name));
    assert_eq!(one, ["input_accepted", "input_delivered", "input_failed"]);
    assert_eq!(
        two,
        ["input_accepted", "input_delivered", "input_processed"]
    );
    let Host { gateway, folder } = host;
    gateway.shutdown(TIMEOUT).await;
    let held = Held::of(&FakeScript::new(), folder, session);
    held.end(u64::MAX).await;
}

/// The process that is killed.
#[tokio::test]
async fn a_gateway_runs_until_it_is_killed() {
    let Some(setup) = owner::setup::<Setup>() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut held = Held::of(&script(), folder, setup.session.parse().unwrap());
    held.holders = holders(setup.folder.join("holders"));
    let mut launch = held.launch();
    launch.cwd = Some(setup.folder.join("work"));
    launch.env.push(("HOME".into(), Some(setup.folder.into())));
    let mut cli = held.start_with(1, launch).await;
    cli.send(&prompt("u1")).await;
    // The turn runs.
    cli.bytes(1).await;
    let id = cli.pid().to_string();
    report(&Done::Prompted { id });
    std::future::pending::<()>().await;
}
