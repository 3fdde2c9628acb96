//! How long an event takes to a follower on another node.

use std::time::{Duration, Instant};

use async_nats::Subscriber;
use claw_store::{BoxStream, JetStreamStore, Live, Log as _};
use claw_testkit::figure::{Bar, Figure, quick};
use claw_testkit::nats::{NatsOptions, NatsServers};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::append::{RAW, Raw};
use super::{LOG, claim, events, load, open, open_at, p99, spread};
use crate::Failure;

const ROUNDS: usize = 7;
const BAR_MS: f64 = 5.0;

type Arrivals = mpsc::UnboundedReceiver<(u64, Instant)>;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let appends = if quick() { 50 } else { 500 };
    let servers = NatsServers::start(&NatsOptions::new(3))?;
    // Writers at the leaders of their streams, readers at other servers.
    open(&servers).await?;
    let at = |index: usize| vec![servers.urls().swap_remove(index % 3)];
    let leader = servers.leader_of(LOG)?;
    let writer = open_at(&servers, at(leader)).await?;
    let reader = open_at(&servers, at(leader + 1)).await?;
    let claim = claim(&writer, 0).await?;
    let live = reader.follow(claim.key(), 0).await?;
    let (mut arrivals, _following) = follow(live);
    let mut raw = Raw::new(&servers).await?;
    let client = async_nats::connect(at(servers.leader_of(RAW)? + 1)).await?;
    let messages = client.subscribe("raw.v.>").await?;
    client.flush().await?;
    let (mut raw_arrivals, _subscribed) = subscribe(messages);
    let batch = events(4);
    let (mut last, mut extra) = (0, Vec::new());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // The first round is not counted.
    for round in 0..=ROUNDS {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        for _ in 0..appends {
            tokio::time::sleep(Duration::from_millis(1)).await;
            last = append(&writer, &claim, last, &batch).await?;
            one.push(wait(&mut arrivals, last).await?);
            let sequence = raw.append_one().await?;
            other.push(wait(&mut raw_arrivals, sequence).await?);
        }
        let (one, other) = (p99(&mut one)?, p99(&mut other)?);
        if round > 0 {
            ours.push(one);
            theirs.push(other);
            extra.push(one - other);
        }
    }
    let (ours, theirs, extra) = (spread(&ours)?, spread(&theirs)?, spread(&extra)?);
    let measured = format!(
        "{:+.2} ms ({:+.2} to {:+.2})",
        extra.median, extra.min, extra.max
    );
    let title = "event visible to a follower on another node of JetStream after the ack, p99, over a raw subscription";
    Ok(vec![Figure::new(title, "≤ +5 ms")
        .judged(measured, extra, Bar::AtMost(BAR_MS))
        .note(format!("p99 {:.2} ms ({:.2} to {:.2}), raw {:.2} ms ({:.2} to {:.2}); negative if the event arrives before the ack", ours.median, ours.min, ours.max, theirs.median, theirs.min, theirs.max))
        .note(format!("three replicas, `sync_interval: always`; {ROUNDS} rounds of {appends} frames of 4 events, in turn with the raw client; the follower is another handle, connected to another server than the leader, and so is the raw subscriber, on the subject to which the stream republishes"))
        .note(load())])
}

async fn append(
    store: &JetStreamStore,
    claim: &claw_store::Claim,
    last: u64,
    batch: &claw_store::Batch,
) -> Result<u64, Failure> {
    Ok(store.append(claim, last, batch).await?.last)
}

/// Waits for an arrival. Returns the milliseconds from now, which is the time of the ack.
async fn wait(arrivals: &mut Arrivals, wanted: u64) -> Result<f64, Failure> {
    let acked = Instant::now();
    loop {
        let arrival = tokio::time::timeout(Duration::from_secs(30), arrivals.recv()).await?;
        let (number, at) = arrival.ok_or("the follower has ended")?;
        if number >= wanted {
            let late = at.saturating_duration_since(acked);
            let early = acked.saturating_duration_since(at);
            return Ok((late.as_secs_f64() - early.as_secs_f64()) * 1e3);
        }
    }
}

fn follow(mut live: BoxStream<'static, claw_store::Result<Live>>) -> (Arrivals, JoinHandle<()>) {
    let (sender, arrivals) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        while let Some(Ok(live)) = live.next().await {
            if let Live::Event(event) = live {
                let _ = sender.send((event.sequence, Instant::now()));
            }
        }
    });
    (arrivals, task)
}

fn subscribe(mut messages: Subscriber) -> (Arrivals, JoinHandle<()>) {
    let (sender, arrivals) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        while let Some(message) = messages.next().await {
            let headers = message.headers.unwrap_or_default();
            let sequence = headers.get("Nats-Sequence").map(|value| value.as_str());
            if let Some(sequence) = sequence.and_then(|value| value.parse().ok()) {
                let _ = sender.send((sequence, Instant::now()));
            }
        }
    });
    (arrivals, task)
}
