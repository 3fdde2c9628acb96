//! A turn of the real CLI that continues below its holder while no gateway is there.

use std::time::Duration;

use claw_gateway::{CliHost as _, Holders, HostedSession, hold};
use claw_server::SessionId;
use claw_testkit::Turn;
use claw_testkit::real_cli::{World, bash};
use rusty_claw::permission::PermissionAnswer;
use rusty_claw::{Prompt, Session, TurnOutcome};

use crate::killed::Cli;
use crate::place::tenant;

/// The argument that makes the test binary a holder.
const HOLD: &str = "as-holder";
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The holder. A plain run of the tests does not call it.
#[test]
fn a_holder_runs() {
    if std::env::args().any(|arg| arg == HOLD) {
        hold().unwrap();
    }
}

async fn eventually(holds: impl AsyncFn() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, waiting).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_continues_while_no_gateway_is_there() {
    let call = bash(
        "toolu_A1",
        "touch begun; while ! test -e left; do sleep 0.1; done; touch finished",
    );
    let world = World::with([call, Turn::text("All done.")]).await.unwrap();
    let options = || {
        let options = Cli::of(&world).options();
        options.can_use_tool(|_| async { PermissionAnswer::allow() })
    };
    let args = ["--exact", "holder::a_holder_runs", "--nocapture", HOLD];
    let folder = world.folder().join("holders");
    let holders = Holders::new(std::env::current_exe().unwrap(), args, folder);
    let mut hosted = HostedSession {
        tenant: tenant(),
        session_id: SessionId::random(),
        epoch: 1,
    };
    let transport = holders.transport(&hosted);
    let (session, _messages) = Session::start_on(transport, options()).await.unwrap();
    let _turn = session.send(Prompt::text("go")).await.unwrap();
    // The command waits until this host has left.
    eventually(async || world.has_file("begun")).await;
    let detached = session.detach().await.unwrap();
    hosted.epoch = 2;
    std::fs::write(world.project().join("left"), "").unwrap();
    eventually(async || world.message_requests().len() >= 2).await;
    assert!(world.has_file("finished"));
    let found = holders.find(&hosted).await.unwrap();
    assert_eq!(found.config_dir, Some(world.config()));
    let transport = (found.transport)(detached.offset);
    let mut attached = Session::attach(transport, options(), detached)
        .await
        .unwrap();
    let outcome = attached.turns.remove(0).outcome();
    let outcome = tokio::time::timeout(TIMEOUT, outcome).await.unwrap();
    assert!(matches!(outcome, TurnOutcome::Succeeded(_)), "{outcome:?}");
    assert!(world.has_file("finished"));
    attached.session.close().await;
    holders.end(&hosted).await;
    assert!(holders.find(&hosted).await.is_none());
}
