//! Transports without a process.

use std::time::Duration;

use rusty_claw::transport::{Connection, Exit, InMemory, InMemoryCli, Launch, Stop};
use rusty_claw::transport::{Streams, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn open() -> (Connection, InMemoryCli) {
    let (host, cli) = InMemory::pair();
    let connection = Box::new(host).open(Launch::default()).await.unwrap();
    (connection, cli)
}

#[tokio::test]
async fn more_than_the_pipe_holds_goes_through_in_both_directions() {
    let (mut connection, mut cli) = open().await;
    let sent: Vec<u8> = (0..1_000_000_u32).map(|at| (at % 251) as u8).collect();
    let (mut there, mut back) = (Vec::new(), Vec::new());
    let host = async {
        connection.writer.write_all(&sent).await.unwrap();
        connection.writer.shutdown().await.unwrap();
        connection.reader.read_to_end(&mut back).await.unwrap();
    };
    let echo = async {
        cli.read_to_end(&mut there).await.unwrap();
        cli.write_all(&there).await.unwrap();
        drop(cli);
    };
    tokio::join!(host, echo);
    assert!(back == sent);
    assert_eq!(connection.custody.exited().await, Exit::Unknown);
}

#[tokio::test]
async fn a_writer_waits_while_the_pipe_is_full() {
    let (mut connection, mut cli) = open().await;
    let written = tokio::time::timeout(
        Duration::from_millis(100),
        connection.writer.write_all(&[1; 65 << 10]),
    );
    assert!(written.await.is_err());
    let mut read = vec![0; 64 << 10];
    cli.read_exact(&mut read).await.unwrap();
    connection.writer.write_all(&[2]).await.unwrap();
}

#[tokio::test]
async fn the_end_of_the_cli_is_told_and_what_it_said_is_kept() {
    let (mut connection, mut cli) = open().await;
    assert_eq!(cli.launch(), Some(Launch::default()));
    cli.write_all(b"last").await.unwrap();
    cli.exit(Exit::Code(3));
    assert_eq!(connection.custody.exited().await, Exit::Code(3));
    assert_eq!(connection.custody.exited().await, Exit::Code(3));
    let mut text = String::new();
    connection.reader.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "last");
    assert!(connection.writer.write_all(b"x").await.is_err());
}

#[tokio::test]
async fn a_stop_is_seen_and_a_kill_or_a_drop_ends_both_directions() {
    let (mut connection, mut cli) = open().await;
    connection.custody.stop(Stop::Terminate);
    assert_eq!(cli.stopped().await, Stop::Terminate);
    cli.write_all(b"still here").await.unwrap();
    drop(connection.custody);
    assert_eq!(cli.stopped().await, Stop::Kill);
    assert_eq!(cli.read(&mut [0; 8]).await.unwrap(), 0);
    assert!(cli.write_all(b"x").await.is_err());
}

#[tokio::test]
async fn a_released_custody_closes_nothing() {
    let (mut connection, mut cli) = open().await;
    connection.custody.release().unwrap();
    drop(connection.custody);
    cli.write_all(b"x").await.unwrap();
    let mut read = [0];
    connection.reader.read_exact(&mut read).await.unwrap();
}

#[tokio::test]
async fn any_two_streams_will_do() {
    let (host, mut cli) = tokio::io::duplex(64);
    let (reader, writer) = tokio::io::split(host);
    let mut connection = Box::new(Streams::new(reader, writer))
        .open(Launch::default())
        .await
        .unwrap();
    connection.writer.write_all(b"ping").await.unwrap();
    let mut read = [0; 4];
    cli.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"ping");
    let soon = tokio::time::timeout(Duration::from_millis(20), connection.custody.exited());
    assert!(soon.await.is_err());
}
