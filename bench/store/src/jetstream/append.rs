//! Append throughput beside a raw client that publishes the same frames.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Republish};
use async_nats::jetstream::{self, Context, ErrorCode};
use bytes::Bytes;
use claw_store::{Batch, Claim, JetStreamStore, Log as _};
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::future::try_join_all;

use super::{EVENT, LOG, claim, events, load, open, open_at, spread, sync_rate};
use crate::Failure;

const ROUNDS: usize = 7;
/// The sessions that append at the same time, each one frame after the other.
const WRITERS: usize = 64;
/// The events of a frame.
const EVENTS: usize = 4;
const BAR: f64 = 0.8;
/// The stream of the raw client.
pub(super) const RAW: &str = "raw";
/// The server refuses a frame because the one before is still being stored. It must be repeated,
/// although the one before was acknowledged.
const IN_PROCESS: ErrorCode = ErrorCode(10164);
/// What a frame has besides its events: header, marker, lengths and checksum.
const OVERHEAD: usize = 37 + 4 * EVENTS;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let mut figures = Vec::new();
    for (servers, name) in [(1, "one replica"), (3, "three replicas")] {
        figures.push(figure(servers, name).await?);
    }
    Ok(figures)
}

async fn figure(count: usize, name: &str) -> Result<Figure, Failure> {
    let servers = NatsServers::start(&NatsOptions::new(count))?;
    let syncs = sync_rate()?;
    // At the leader, as the raw client.
    open(&servers).await?;
    let leader = servers.leader_of(LOG)?;
    let store = open_at(&servers, vec![servers.urls().swap_remove(leader)]).await?;
    let mut sessions = Vec::new();
    for index in 0..WRITERS {
        let claim = claim(&store, index).await?;
        sessions.push((claim, 0));
    }
    let mut raw = Raw::new(&servers).await?;
    let batch = events(EVENTS);
    let time = Duration::from_millis(if quick() { 300 } else { 3000 });
    let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    // The first round is not counted: connections and caches are new.
    for round in 0..=ROUNDS {
        let (one, other) = match round % 2 {
            0 => {
                let one = append(&store, &mut sessions, &batch, time).await?;
                (one, raw.append(time).await?)
            }
            _ => {
                let other = raw.append(time).await?;
                (append(&store, &mut sessions, &batch, time).await?, other)
            }
        };
        if round > 0 {
            ours.push(one);
            theirs.push(other);
            ratios.push(one / other);
        }
    }
    let (ours, theirs, ratio) = (spread(&ours)?, spread(&theirs)?, spread(&ratios)?);
    let title = format!("append throughput on JetStream against a raw client: {name}");
    let measured = format!(
        "{:.2}× ({:.2}–{:.2}): {:.0} events/s, raw {:.0}",
        ratio.median, ratio.min, ratio.max, ours.median, theirs.median
    );
    Ok(Figure::new(title, "≥ 0.8×")
        .judged(measured, ratio, Bar::AtLeast(BAR))
        .note(format!("{WRITERS} sessions append at the same time, each one frame of {EVENTS} events of {EVENT} bytes after the other, over one connection; {ROUNDS} rounds of {time:?} each, in turn; `sync_interval: always`, republish on"))
        .note(format!("events/s: {:.0}–{:.0}, raw {:.0}–{:.0}", ours.min, ours.max, theirs.min, theirs.max))
        .note(format!("the raw client repeated {} frames that the server refused because the one before was still being stored (10164)", raw.refusals.load(Ordering::Relaxed)))
        .note(format!("the disk syncs {syncs:.0} writes of 4 KiB a second (fdatasync)"))
        .note(load()))
}

/// Appends for a time with all sessions. Returns the events per second.
async fn append(
    store: &JetStreamStore,
    sessions: &mut [(Claim, u64)],
    batch: &Batch,
    time: Duration,
) -> Result<f64, Failure> {
    let start = Instant::now();
    let before: u64 = sessions.iter().map(|(_, last)| *last).sum();
    let writers = sessions.iter_mut().map(|(claim, last)| async {
        while start.elapsed() < time {
            *last = store.append(claim, *last, batch).await?.last;
        }
        Ok::<_, Failure>(())
    });
    try_join_all(writers).await?;
    let after: u64 = sessions.iter().map(|(_, last)| *last).sum();
    Ok((after - before) as f64 / start.elapsed().as_secs_f64())
}

/// A plain client with a stream like that of the log.
pub(super) struct Raw {
    context: Context,
    lasts: Vec<u64>,
    frame: Bytes,
    refusals: AtomicU64,
}

impl Raw {
    /// Connects to the leader of the stream.
    pub(super) async fn new(servers: &NatsServers) -> Result<Self, Failure> {
        let context = jetstream::new(async_nats::connect(servers.urls()).await?);
        let config = Config {
            name: RAW.to_owned(),
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
        let leader = servers.urls().swap_remove(servers.leader_of(RAW)?);
        let context = jetstream::new(async_nats::connect(leader).await?);
        let frame = events(EVENTS).events.concat();
        let frame = [frame, vec![0; OVERHEAD]].concat();
        Ok(Self {
            context,
            lasts: vec![0; WRITERS],
            frame: frame.into(),
            refusals: AtomicU64::new(0),
        })
    }

    async fn append(&mut self, time: Duration) -> Result<f64, Failure> {
        let start = Instant::now();
        let Self {
            context,
            lasts,
            frame,
            refusals,
        } = self;
        let (context, frame, refusals) = (&*context, &*frame, &*refusals);
        let writers = lasts
            .iter_mut()
            .enumerate()
            .map(|(writer, last)| async move {
                let mut count = 0;
                while start.elapsed() < time {
                    *last = publish(context, writer, *last, frame, refusals).await?;
                    count += EVENTS;
                }
                Ok::<_, Failure>(count)
            });
        let counts = try_join_all(writers).await?;
        Ok(counts.iter().sum::<usize>() as f64 / start.elapsed().as_secs_f64())
    }

    /// Publishes a frame of the first writer.
    pub(super) async fn append_one(&mut self) -> Result<u64, Failure> {
        let last = self.lasts[0];
        self.lasts[0] = publish(&self.context, 0, last, &self.frame, &self.refusals).await?;
        Ok(self.lasts[0])
    }
}

async fn publish(
    context: &Context,
    writer: usize,
    last: u64,
    frame: &Bytes,
    refusals: &AtomicU64,
) -> Result<u64, Failure> {
    let subject = format!("raw.l.0.0.tenant.session-{writer:06}.ev");
    loop {
        let message = PublishMessage::build()
            .payload(frame.clone())
            .expected_last_subject_sequence(last);
        let sent = context.send_publish(subject.clone(), message).await?;
        match sent.await {
            Ok(ack) => return Ok(ack.sequence),
            Err(error) if is_in_process(&error) => refusals.fetch_add(1, Ordering::Relaxed),
            Err(error) => return Err(error.into()),
        };
    }
}

fn is_in_process(error: &PublishError) -> bool {
    let source = std::error::Error::source(error);
    let source = source.and_then(|source| source.downcast_ref::<jetstream::Error>());
    source.is_some_and(|error| error.error_code() == IN_PROCESS)
}
