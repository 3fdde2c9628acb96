//! A CLI behind another program.

use rusty_claw::transport::{ChildProcess, Connection, Exit, Stop, Transport as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::transport_child::{Script, TIMEOUT, gone, number_in};

/// Starts a child and waits for it, as programs that isolate do.
async fn open(script: &Script) -> Connection {
    let transport = ChildProcess::new().unchecked().launcher(|program, launch| {
        assert_eq!(launch.program.as_deref(), Some(program.path()));
        ["setsid", "--fork", "--wait"].map(Into::into).to_vec()
    });
    Box::new(transport).open(script.launch()).await.unwrap()
}

async fn rest(connection: &mut Connection) -> String {
    let mut text = String::new();
    let reading = connection.reader.read_to_string(&mut text);
    let read = tokio::time::timeout(TIMEOUT, reading).await;
    read.expect("the output ends").unwrap();
    text
}

async fn exit(connection: &mut Connection) -> Exit {
    let exited = tokio::time::timeout(TIMEOUT, connection.custody.exited()).await;
    exited.expect("the launcher ends")
}

#[tokio::test]
async fn the_streams_are_the_clis_and_no_process_can_open_them() {
    let script = Script::new("read line; echo \"got $line\"; (: > /proc/$$/fd/0) 2>&1; exit 7");
    let mut connection = open(&script).await;
    connection.writer.write_all(b"hello\n").await.unwrap();
    let text = rest(&mut connection).await;
    assert!(text.starts_with("got hello\n"), "{text}");
    assert!(text.contains("No such device or address"), "{text}");
    assert_eq!(exit(&mut connection).await, Exit::Code(7));
}

#[tokio::test]
async fn the_end_of_the_input_reaches_the_cli() {
    let script = Script::new("cat");
    let mut connection = open(&script).await;
    connection.writer.write_all(b"all").await.unwrap();
    connection.writer = Box::new(tokio::io::sink());
    assert_eq!(rest(&mut connection).await, "all");
    assert_eq!(exit(&mut connection).await, Exit::Code(0));
}

#[tokio::test]
async fn a_stop_asks_the_cli_and_a_kill_ends_it() {
    let script =
        Script::new("trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    let mut connection = open(&script).await;
    let mut ready = [0; 6];
    connection.reader.read_exact(&mut ready).await.unwrap();
    connection.custody.stop(Stop::Terminate);
    assert_eq!(rest(&mut connection).await, "asked\n");
    assert_eq!(exit(&mut connection).await, Exit::Code(3));

    let script = Script::new("echo $$ > pid; while :; do sleep 0.05; done");
    let mut launch = script.launch();
    launch.cwd = Some(script.at("."));
    let transport = ChildProcess::new().unchecked();
    let transport =
        transport.launcher(|_, _| ["setsid", "--fork", "--wait"].map(Into::into).to_vec());
    let mut connection = Box::new(transport).open(launch).await.unwrap();
    let pid = number_in(&script.at("pid"));
    connection.custody.stop(Stop::Kill);
    exit(&mut connection).await;
    gone(pid);
}
