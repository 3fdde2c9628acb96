//! A holder in the process of its gateways.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use rusty_claw::transport::Connection;
use tokio::sync::mpsc;

use super::client::{self, Client};
use super::{Holder, own_pid};
use crate::holder::frames::{FrameReader, Sink, Source};
use crate::holder::protocol::{Frame, Limits, Welcome, own_version};
use crate::holder::spool::Spool;

/// Holds a CLI until it is no longer needed, as [`serve`](super::serve) does. The first connection
/// is that of the gateway that starts the CLI.
pub(in crate::holder) async fn serve(
    connection: Connection,
    config_dir: Option<OsString>,
    (source, sink): (Source, Sink),
    mut connections: mpsc::UnboundedReceiver<(Source, Sink)>,
    spool: PathBuf,
    limits: Limits,
) -> io::Result<()> {
    let (events, received) = mpsc::channel(8);
    let mut frames = FrameReader::new(source);
    let Some(Frame::Hello(hello)) = frames.next().await? else {
        return Ok(());
    };
    let version = own_version();
    let reading = tokio::spawn(client::read(0, frames, events.clone()));
    let mut client = Client::new(0, version, sink, reading.abort_handle());
    client.queue(&Frame::Welcome(Welcome {
        version,
        holder: own_pid(),
        pid: None,
        first: 0,
        end: 0,
        has_exited: false,
        config_dir: config_dir.clone(),
    }));
    let spool = Spool::new(spool, limits.memory, limits.file);
    let mut holder = Holder::new(connection, client, received, spool, limits);
    holder.epoch = hello.epoch;
    holder.config_dir = config_dir;
    let accepting = async {
        let mut number = 0;
        while let Some(halves) = connections.recv().await {
            number += 1;
            client::spawn_on(number, halves, version, events.clone());
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        ended = holder.run() => ended,
        () = accepting => {}
    }
    Ok(())
}
