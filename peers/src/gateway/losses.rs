//! Events that a client misses when it reconnects, or when the gateway is killed.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use claw_bench::gateway::served::Served;
use claw_gateway::DialectName;
use claw_gateway::client::{EventsMessage, Followed};
use claw_server::SessionId;
use claw_testkit::fake_claude::{FakeTurn, Flood, FloodKind};
use tokio::time::{Instant, sleep, timeout};

const RECONNECTS: usize = 50;
/// How many events a connection receives.
const EACH: u64 = 2;
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reconnects while a turn runs, kills the gateway in the turn, and follows the session on another.
/// Returns what was lost and doubled, and whether nothing was.
pub(super) async fn losses() -> Result<(String, bool)> {
    let flood = Flood::new(60_000).bytes(100).per_second(100);
    let turn = FakeTurn::new().step(flood.kind(FloodKind::Streamed));
    let mut served = Served::start([turn])?;
    let session = served.session().await?;
    served.prompt(session).await?;
    let mut received = Vec::new();
    for _ in 0..=RECONNECTS {
        timeout(TIMEOUT, read(&served, session, &mut received, EACH)).await??;
    }
    served.restart()?;
    // The session is taken over, and the turn that died gets its outcome.
    let (start, mut before, mut last) = (Instant::now(), 0, cursor(&received));
    while last == cursor(&received) || last != before {
        let is_in_time = start.elapsed() < TIMEOUT;
        ensure!(is_in_time, "the session does not rest: {last}");
        before = last;
        sleep(Duration::from_secs(2)).await;
        last = served.last(session).await?;
    }
    let rest = last.saturating_sub(cursor(&received));
    timeout(TIMEOUT, read(&served, session, &mut received, rest)).await??;
    let seen = received.iter().collect::<BTreeSet<_>>().len();
    let (lost, doubled) = (last.saturating_sub(seen as u64), received.len() - seen);
    let text = format!(
        "{lost} lost and {doubled} doubled of {last} events over {RECONNECTS} reconnects and one restart"
    );
    Ok((text, lost == 0 && doubled == 0))
}

fn cursor(received: &[u64]) -> u64 {
    received.last().copied().unwrap_or_default()
}

/// Reads `count` events from the cursor on.
async fn read(
    served: &Served,
    session: SessionId,
    received: &mut Vec<u64>,
    count: u64,
) -> Result<()> {
    let after = cursor(received);
    let mut frames = served.client().follow(session, DialectName::Events, after);
    let enough = received.len() + usize::try_from(count)?;
    while received.len() < enough {
        let item = frames.next().await.context("the stream has ended")??;
        let Followed::Frame(frame) = item else {
            bail!("the stream was interrupted");
        };
        if let EventsMessage::Event(event) = serde_json::from_str(frame.message.get())? {
            received.push(event.sequence);
        }
    }
    Ok(())
}
