//! Many followers of one session on one node.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use claw_store::{Live, MemoryStore, SessionKey, Store};
use claw_testkit::figure::{Figure, quick};
use claw_testkit::processes::cpu_time;
use futures_util::StreamExt as _;

use super::sessions::{BODY, events, key, owned, sqlite};
use crate::process::resident_kib;
use crate::tasks::in_tasks;

const FOLLOWERS: usize = 1_000;

pub(super) async fn figures() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let sqlite = sqlite(&folder.path().join("store.db")).await?;
    let memory = MemoryStore::new();
    let (first, second) = (Arc::new(sqlite.clone()), Arc::new(memory.clone()));
    let (mut first, kib) = measure("SQLite", first, |key| sqlite.subscriptions(key)).await?;
    // The second engine would use the memory that the first one has freed.
    let (second, _) = measure("memory", second, |_| memory.subscriptions()).await?;
    first.measured += &format!(" and {kib:.1} KiB");
    Ok(vec![first, second])
}

/// Returns the figure of an engine, and the memory of a follower.
async fn measure(
    engine: &str,
    store: Arc<dyn Store>,
    subscriptions: impl Fn(&SessionKey) -> usize,
) -> Result<(Figure, f64)> {
    let count = if quick() { 20 } else { 300 };
    let key = key(0)?;
    let claim = owned(&*store, &key).await?;
    // The first follower attaches the engine.
    let _kept = store.follow(&key, 0).await?;
    let memory = || resident_kib(std::process::id());
    let before = memory()?;
    let mut streams = Vec::new();
    for _ in 0..FOLLOWERS {
        streams.push(store.follow(&key, 0).await?);
    }
    let kib = memory()?.saturating_sub(before) as f64 / FOLLOWERS as f64;
    let subscribed = subscriptions(&key);
    let following = in_tasks(streams.into_iter().map(move |mut stream| async move {
        let mut last = 0;
        while last < count {
            let live = stream.next().await.context("a stream has ended")??;
            if let Live::Event(event) = live {
                let sequence = event.sequence;
                ensure!(sequence == last + 1, "{sequence} follows {last}");
                last = sequence;
            }
        }
        Ok(Instant::now())
    }));
    let following = tokio::spawn(following);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (start, cpu, batch) = (Instant::now(), cpu_time(), events(1, BODY));
    for after in 0..count {
        store.append(&claim, after, &batch).await?;
    }
    let end = following
        .await??
        .into_iter()
        .max()
        .context("no followers")?;
    let deliveries = count as f64 * FOLLOWERS as f64;
    let micros = (cpu_time() - cpu).as_secs_f64() * 1e6 / deliveries;
    let rate = deliveries / (end - start).as_secs_f64();
    let is_one = [subscribed, subscriptions(&key)] == [1, 1];
    let name = format!("{FOLLOWERS} followers of one session on one node: {engine}");
    let figure = Figure::new(name, "one engine subscription; cost per follower printed");
    let text = format!(
        "{subscribed} subscription; for each follower {micros:.2} µs of processor time an event"
    );
    let note = format!(
        "{count} events of 1 KB, each delivered to all followers in order: {rate:.0} deliveries/s, appends included"
    );
    Ok((figure.measured(text, is_one).note(note), kib))
}
