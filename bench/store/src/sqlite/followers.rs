//! Many followers of one session on one node.

use std::sync::Arc;
use std::time::{Duration, Instant};

use claw_store::{Batch, Live, MemoryStore, Store};
use claw_testkit::figure::{Figure, quick};
use claw_testkit::processes::cpu_time;
use futures_util::StreamExt as _;

use super::{body, open, owned, resident_kib};
use crate::Failure;

const FOLLOWERS: usize = 1_000;

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let dir = tempfile::tempdir()?;
    let sqlite = open(&dir.path().join("store.db")).await?;
    let memory = MemoryStore::new();
    let (store, handle) = (Arc::new(sqlite.clone()), sqlite);
    let first = measure("SQLite", true, store, move |key| handle.subscriptions(key)).await?;
    let (store, handle) = (Arc::new(memory.clone()), memory);
    let second = measure("memory", false, store, move |_| handle.subscriptions()).await?;
    Ok(vec![first, second])
}

async fn measure(
    engine: &str,
    is_first: bool,
    store: Arc<dyn Store>,
    subscriptions: impl Fn(&claw_store::SessionKey) -> usize,
) -> Result<Figure, Failure> {
    let events = if quick() { 20 } else { 300 };
    let claim = owned(&*store).await?;
    let key = claim.key().clone();
    // The first follower attaches the engine.
    let _kept = store.follow(&key, 0).await?;
    let before = resident_kib()?;
    let mut streams = Vec::new();
    for _ in 0..FOLLOWERS {
        streams.push(store.follow(&key, 0).await?);
    }
    let kib = resident_kib()?.saturating_sub(before) as f64 / FOLLOWERS as f64;
    let count = subscriptions(&key);
    let tasks = streams.into_iter().map(|mut stream| {
        tokio::spawn(async move {
            let mut last = 0;
            while last < events {
                let live = stream.next().await.ok_or("a stream has ended")??;
                if let Live::Event(event) = live {
                    if event.sequence != last + 1 {
                        return Err(format!("{} follows {last}", event.sequence).into());
                    }
                    last = event.sequence;
                }
            }
            Ok::<_, Failure>(Instant::now())
        })
    });
    let tasks: Vec<_> = tasks.collect();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let (start, cpu) = (Instant::now(), cpu_time());
    let batch = Batch::from(vec![body()]);
    for after in 0..events {
        store.append(&claim, after, &batch).await?;
    }
    let mut end = start;
    for task in tasks {
        end = end.max(task.await??);
    }
    let deliveries = events as f64 * FOLLOWERS as f64;
    let micros = (cpu_time() - cpu).as_secs_f64() * 1e6 / deliveries;
    let rate = deliveries / (end - start).as_secs_f64();
    let count_after = subscriptions(&key);
    let name = format!("{FOLLOWERS} followers of one session on one node: {engine}");
    let figure = Figure::new(name, "one engine subscription; cost per follower printed");
    // The second engine would use the memory that the first one has freed.
    let memory = match is_first {
        true => format!("{kib:.1} KiB and "),
        false => String::new(),
    };
    let text = format!(
        "{count} subscription; {memory}{micros:.2} µs of processor time an event for each follower"
    );
    Ok(figure.measured(text, count == 1 && count_after == 1).note(format!(
        "{events} events of 1 KB, each delivered to all followers in order: {rate:.0} deliveries/s, appends included"
    )))
}
