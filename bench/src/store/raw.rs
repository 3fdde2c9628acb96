//! A plain client of NATS, with a stream like that of the log.

use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use async_nats::Client;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Republish};
use async_nats::jetstream::{self, Context, ErrorCode};
use bytes::Bytes;
use claw_testkit::nats::NatsServers;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::sessions::{Append, BODY, TENANT, events};

/// The stream.
const STREAM: &str = "raw";
/// The server refuses a frame because the one before is still being stored. It must be repeated,
/// although the one before was acknowledged.
const IN_PROCESS: ErrorCode = ErrorCode(10164);
/// The events of a frame of JetStream.
pub(super) const FRAME: usize = 4;
/// The sequences that a follower receives.
pub(super) type Sequences = BoxStream<'static, u64>;
/// What a frame has besides its events: header, marker, lengths and checksum.
const OVERHEAD: usize = 37 + 4 * FRAME;

/// A client at the leader of the stream.
#[derive(Clone)]
pub(super) struct Raw {
    context: Context,
    /// A client at another server.
    reader: Client,
    frame: Bytes,
    refusals: Arc<AtomicU64>,
}

impl Raw {
    pub(super) async fn new(servers: &NatsServers) -> Result<Self> {
        let context = jetstream::new(async_nats::connect(servers.urls()).await?);
        let config = Config {
            name: STREAM.to_owned(),
            subjects: vec!["raw.l.>".to_owned()],
            discard: DiscardPolicy::New,
            num_replicas: servers.count(),
            allow_direct: true,
            republish: Some(Republish {
                source: "raw.l.>".to_owned(),
                destination: "raw.v.>".to_owned(),
                headers_only: false,
            }),
            ..Config::default()
        };
        context.create_stream(config).await?;
        let (urls, leader) = (servers.urls(), servers.leader_of(STREAM)?);
        let frame = events(FRAME, BODY).events.concat();
        Ok(Self {
            context: jetstream::new(async_nats::connect(&urls[leader]).await?),
            reader: async_nats::connect(&urls[(leader + 1) % urls.len()]).await?,
            frame: [frame, vec![0; OVERHEAD]].concat().into(),
            refusals: Arc::default(),
        })
    }

    /// What appends a frame to the subject of a session.
    pub(super) fn appending(&self, index: usize) -> Append {
        let raw = self.clone();
        Box::new(move |last| {
            let raw = raw.clone();
            Box::pin(async move { raw.publish(index, last).await })
        })
    }

    /// Follows what the stream republishes of a session.
    pub(super) async fn following(&self, index: usize) -> Result<Sequences> {
        let messages = self.reader.subscribe(subject('v', index)).await?;
        self.reader.flush().await?;
        Ok(Box::pin(messages.filter_map(|message| {
            let headers = message.headers.unwrap_or_default();
            let sequence = headers.get("Nats-Sequence");
            ready(sequence.and_then(|sequence| sequence.as_str().parse().ok()))
        })))
    }

    async fn publish(&self, index: usize, last: u64) -> Result<u64> {
        loop {
            let message = PublishMessage::build()
                .payload(self.frame.clone())
                .expected_last_subject_sequence(last);
            let sent = self.context.send_publish(subject('l', index), message);
            let error = match sent.await?.await {
                Ok(ack) => return Ok(ack.sequence),
                Err(error) => anyhow::Error::from(error),
            };
            let refusal = error.chain().find_map(|error| error.downcast_ref());
            if refusal.map(jetstream::Error::error_code) != Some(IN_PROCESS) {
                return Err(error);
            }
            self.refusals.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many frames were refused and repeated.
    pub(super) fn refusals(&self) -> u64 {
        self.refusals.load(Ordering::Relaxed)
    }
}

fn subject(kind: char, index: usize) -> String {
    format!("raw.{kind}.0.0.{TENANT}.session-{index:06}.ev")
}
