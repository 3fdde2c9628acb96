//! Holders of one version with gateways of another, in one process.

use claw_testkit::{FakeScript, fake_claude_path};
use rusty_claw::transport::{Exit, Stop};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

fn start(folder: &Path) -> Start {
    let (name, value) = FakeScript::new().env().unwrap();
    let mut launch = Launch::default();
    launch.program = Some(fake_claude_path().unwrap());
    launch.args = [
        "-p",
        "--input-format=stream-json",
        "--output-format=stream-json",
        "--verbose",
    ]
    .map(OsString::from)
    .into();
    launch.env_clear = true;
    launch.env = vec![
        (name.into(), Some(value.into())),
        ("HOME".into(), Some(folder.into())),
        (
            "CLAUDE_CONFIG_DIR".into(),
            Some("/home/user/.claude".into()),
        ),
    ];
    launch.die_with_parent = true;
    Start {
        socket: folder.join("x.sock"),
        launch: launch.into(),
        files: Vec::new(),
        runner: None,
        relay: None,
        limits: Limits::default(),
    }
}

/// Sends a prompt and returns the output up to its result.
async fn turn(connection: &mut Connection, id: &str) -> Vec<u8> {
    let prompt = json!({"type": "user", "uuid": id, "message": {"role": "user", "content": "Hi"}});
    let line = format!("{prompt}\n");
    connection.writer.write_all(line.as_bytes()).await.unwrap();
    connection.writer.flush().await.unwrap();
    let mut output = Vec::new();
    while !String::from_utf8_lossy(&output).contains(r#""type":"result""#)
        || !output.ends_with(b"\n")
    {
        assert_ne!(connection.reader.read_buf(&mut output).await.unwrap(), 0);
    }
    output
}

/// Two turns, the second by another connection, and the end.
async fn run(held: u16, gateway: u16) {
    let folder = tempfile::tempdir().unwrap();
    let start = start(folder.path());
    let (ours, theirs) = UnixStream::pair().unwrap();
    let holder = tokio::spawn(process::serve(theirs, held));
    let hello = |epoch| Hello {
        version: gateway,
        epoch,
    };
    let link = Link::open(split(ours), hello(1), Some(&start))
        .await
        .unwrap();
    let spoken = held.min(gateway);
    assert_eq!(link.welcome.version, spoken);
    assert_eq!(link.welcome.config_dir.is_some(), spoken >= 2);
    let (mut connection, sender) = link.read_from(0).await.unwrap();
    let first = turn(&mut connection, "one").await;
    let offset = first.len() as u64;
    sender
        .upgrade()
        .unwrap()
        .send(Frame::Done { offset })
        .unwrap();
    connection.custody.release().unwrap();
    drop(connection);

    let stream = connect(&start.socket).await.unwrap();
    let link = Link::open(split(stream), hello(2), None).await.unwrap();
    assert_eq!(link.welcome.config_dir.is_some(), spoken >= 2);
    let (mut connection, _) = link.read_from(offset).await.unwrap();
    turn(&mut connection, "two").await;
    connection.custody.stop(Stop::Kill);
    assert_eq!(connection.custody.exited().await, Exit::Signal(9));
    drop(connection);

    let stream = connect(&start.socket).await.unwrap();
    let link = Link::open(split(stream), hello(2), None).await.unwrap();
    assert!(link.welcome.has_exited && link.welcome.first <= offset);
    link.end().await.unwrap();
    holder.await.unwrap().unwrap();
    assert!(!start.socket.exists());
}

#[tokio::test]
async fn holders_and_gateways_of_neighbouring_versions_work_together() {
    for (held, gateway) in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (1, 3)] {
        let ran = timeout(TIMEOUT, run(held, gateway)).await;
        ran.unwrap_or_else(|_| panic!("a holder of {held} with a gateway of {gateway}"));
    }
}
