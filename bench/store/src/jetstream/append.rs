//! Append throughput beside a raw client that publishes the same frames.

use std::time::{Duration, Instant};

use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, Republish};
use async_nats::jetstream::{self, Context};
use bytes::Bytes;
use claw_store::{Batch, Claim, JetStreamStore, Log as _};
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::future::try_join_all;

use super::{EVENT, claim, events, load, open, spread, sync_rate};
use crate::Failure;

const ROUNDS: usize = 7;
/// The sessions that append at the same time, each one frame after the other.
const WRITERS: usize = 64;
/// The events of a frame.
const EVENTS: usize = 4;
const BAR: f64 = 0.8;
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
    let store = open(&servers).await?;
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
}

impl Raw {
    pub(super) async fn new(servers: &NatsServers) -> Result<Self, Failure> {
        let context = jetstream::new(async_nats::connect(servers.urls()).await?);
        let config = Config {
            name: "raw".to_owned(),
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
        let frame = events(EVENTS).events.concat();
        let frame = [frame, vec![0; OVERHEAD]].concat();
        Ok(Self {
            context,
            lasts: vec![0; WRITERS],
            frame: frame.into(),
        })
    }

    async fn append(&mut self, time: Duration) -> Result<f64, Failure> {
        let start = Instant::now();
        let (context, frame) = (&self.context, &self.frame);
        let writers = self
            .lasts
            .iter_mut()
            .enumerate()
            .map(|(writer, last)| async move {
                let mut count = 0;
                while start.elapsed() < time {
                    *last = publish(context, writer, *last, frame)
                        .await?
                        .await?
                        .sequence;
                    count += EVENTS;
                }
                Ok::<_, Failure>(count)
            });
        let counts = try_join_all(writers).await?;
        Ok(counts.iter().sum::<usize>() as f64 / start.elapsed().as_secs_f64())
    }

    /// Publishes a frame of the first writer.
    pub(super) async fn append_one(&mut self) -> Result<u64, Failure> {
        let sent = publish(&self.context, 0, self.lasts[0], &self.frame).await?;
        self.lasts[0] = sent.await?.sequence;
        Ok(self.lasts[0])
    }
}

async fn publish(
    context: &Context,
    writer: usize,
    last: u64,
    frame: &Bytes,
) -> Result<PublishAckFuture, Failure> {
    let subject = format!("raw.l.0.0.tenant.session-{writer:06}.ev");
    let message = PublishMessage::build()
        .payload(frame.clone())
        .expected_last_subject_sequence(last);
    Ok(context.send_publish(subject, message).await?)
}
