//! Events that a client misses when it reconnects, or when the gateway is killed.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use claw_testkit::fake_claude::{FakeTurn, Flood, FloodKind};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::time::{Instant, timeout};

use crate::Failure;
use crate::client::{Transport, connect};
use crate::served::Served;

const RECONNECTS: usize = 50;
/// How many events a connection receives at least.
const EACH: usize = 2;
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(30);

/// What a client received that reconnects from its cursor.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// The events that were received, and how often.
    seen: BTreeMap<u64, usize>,
    last: u64,
}

impl Losses {
    fn lost(&self) -> usize {
        let all = usize::try_from(self.last).unwrap_or_default();
        all - self.seen.range(..=self.last).count()
    }

    fn doubled(&self) -> usize {
        self.seen.values().filter(|times| **times > 1).count()
    }

    /// Whether nothing was lost or doubled.
    pub(crate) fn is_none(&self) -> bool {
        self.lost() == 0 && self.doubled() == 0 && self.last > 0
    }

    fn cursor(&self) -> u64 {
        self.seen
            .last_key_value()
            .map_or(0, |(sequence, _)| *sequence)
    }

    /// Reads from the cursor until some events have arrived, or an event with this sequence.
    async fn read(
        &mut self,
        served: &Served,
        session: &str,
        count: usize,
        until: u64,
    ) -> Result<(), Failure> {
        let after = self.cursor();
        let opened = connect(served, Transport::Sse, session, after, None);
        let (mut stream, mut buffer) = opened.await?;
        let (mut received, start) = (0, Instant::now());
        // A stream that has nothing but deltas must not keep this running.
        while start.elapsed() < TIMEOUT {
            while let Some((text, length, _)) = Transport::Sse.frame(&buffer) {
                if let Some(sequence) = sequence(std::str::from_utf8(text)?)? {
                    *self.seen.entry(sequence).or_default() += 1;
                    received += 1;
                }
                buffer.drain(..length);
            }
            if received >= count || self.cursor() >= until {
                return Ok(());
            }
            let read = timeout(TIMEOUT, stream.read_buf(&mut buffer)).await;
            if read.map_err(|_| "nothing is received")?? == 0 {
                return Err("a stream has ended".into());
            }
        }
        Err(format!("{received} events were received in {TIMEOUT:?}").into())
    }
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (lost, doubled) = (self.lost(), self.doubled());
        write!(
            f,
            "{lost} lost and {doubled} doubled of {} events over {RECONNECTS} reconnects and one restart",
            self.last
        )
    }
}

/// Returns the sequence of the event in a frame, if it is not a delta.
fn sequence(frame: &str) -> Result<Option<u64>, Failure> {
    let data = frame.lines().find_map(|line| line.strip_prefix("data: "));
    let Some(data) = data else { return Ok(None) };
    let data: Value = serde_json::from_str(data)?;
    Ok(data["message"]["event"]["seq"].as_u64())
}

/// Reconnects while a turn runs, kills the gateway in the turn, and follows the session on another.
pub(crate) async fn losses() -> Result<Losses, Failure> {
    let flood = Flood::new(60_000).bytes(100).per_second(100);
    let turn = FakeTurn::new().step(flood.kind(FloodKind::Streamed));
    let mut served = Served::start([turn])?;
    let session = served.session().await?;
    served.prompt(&session).await?;
    let mut losses = Losses::default();
    for _ in 0..=RECONNECTS {
        losses.read(&served, &session, EACH, u64::MAX).await?;
    }
    let before = losses.cursor();
    served.restart()?;
    // The session is taken over, and the turn that died gets its outcome.
    let start = Instant::now();
    let mut last = served.last(&session).await?;
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let now = served.last(&session).await?;
        if now == last && now > before {
            break;
        }
        if start.elapsed() > TIMEOUT {
            return Err(format!("the session did not rest after the restart: {now}").into());
        }
        last = now;
    }
    losses.last = last;
    if losses.cursor() < last {
        losses.read(&served, &session, usize::MAX, last).await?;
    }
    Ok(losses)
}
