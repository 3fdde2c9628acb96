//! How many sessions a gateway serves at the rate of the figures.

use std::time::Duration;

use claw_testkit::figure::{Figure, quick};
use tokio::time::sleep;

use crate::Failure;
use crate::client::{Clients, Window};
use crate::latency::start_sessions;
use crate::percentiles::Percentiles;
use crate::processors::{Shares, Snapshot, resident_mib};
use crate::served::{DELTAS, EVENTS, Served, steady};

/// The least number of sessions.
const BAR: usize = 300;
/// The most that a line may take, p99, in milliseconds.
const P99_BAR: f64 = 100.0;
/// How many sessions are added at a time, and the most in all.
const STEP: usize = 100;
const MOST: usize = 1000;
/// Below this share of idle processors, they are the limit.
const IDLE: f64 = 0.1;

fn window() -> Duration {
    Duration::from_secs(if quick() { 2 } else { 10 })
}

/// What was measured with some sessions.
struct Step {
    sessions: usize,
    durable: Percentiles,
    deltas: Percentiles,
    /// The share of the lines that the CLIs were to write and clients received.
    rate: f64,
    shares: Shares,
    memory: f64,
}

impl Step {
    fn is_enough(&self) -> bool {
        self.durable.p99 <= P99_BAR && self.deltas.p99 <= P99_BAR && self.rate >= 0.95
    }

    fn note(&self) -> String {
        format!(
            "{} sessions: durable p50 {:.1} / p99 {:.1} ms, deltas p50 {:.1} / p99 {:.1} ms, {:.0} % of the rate, gateway {:.0} MiB; {}",
            self.sessions,
            self.durable.p50,
            self.durable.p99,
            self.deltas.p50,
            self.deltas.p99,
            self.rate * 100.0,
            self.memory,
            self.shares
        )
    }

    fn limit(&self) -> String {
        let (idle, sessions) = (self.shares.idle, self.sessions);
        match idle < IDLE {
            true => format!(
                "the processors are the limit: {:.0} % idle with {sessions} sessions",
                idle * 100.0
            ),
            false => format!(
                "{:.0} % of the processors are idle with {sessions} sessions",
                idle * 100.0
            ),
        }
    }
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    let mut steps: Vec<Step> = Vec::new();
    let most = if quick() { STEP } else { MOST };
    let mut limit = format!("not found: at most {most} sessions are started");
    while clients.count() < most {
        // The sessions up to the bar are started together.
        let first = if quick() { STEP } else { BAR };
        let count = if clients.count() == 0 { first } else { STEP };
        if let Err(error) = start_sessions(&served, &mut clients, count).await {
            limit = format!("starting the next {count} sessions: {error}");
            break;
        }
        sleep(Duration::from_secs(1)).await;
        let step = measure(&served, &mut clients).await?;
        let is_enough = step.is_enough();
        limit = match is_enough {
            true => limit,
            false => step.limit(),
        };
        steps.push(step);
        if !is_enough {
            break;
        }
    }
    let passed = steps.iter().rev().find(|step| step.is_enough());
    let sessions = passed.map_or(0, |step| step.sessions);
    let figure = Figure::new(
        format!(
            "load: sessions with {EVENTS} durable events/s, {DELTAS} deltas/s and one client each, p99 ≤ 100 ms, CLIs and clients included"
        ),
        "≥ 300",
    );
    let figure = figure.measured(
        match passed {
            Some(step) => format!(
                "{sessions} sessions, p99 {:.1} ms",
                step.durable.p99.max(step.deltas.p99)
            ),
            None => format!("p99 above 100 ms with {} sessions", clients.count()),
        },
        sessions >= BAR || quick(),
    );
    let figure = figure.note(format!("what limits it: {limit}"));
    let figure = steps
        .iter()
        .fold(figure, |figure, step| figure.note(step.note()));
    Ok(vec![figure.note(format!(
        "{:?} with each number of sessions, half of the clients on SSE, half on WebSocket",
        window()
    ))])
}

async fn measure(served: &Served, clients: &mut Clients) -> Result<Step, Failure> {
    let before = Snapshot::take(served.process())?;
    let window = Window::wait(window()).await;
    let shares = before.until(Snapshot::take(served.process())?);
    clients.check()?;
    let (durable, deltas) = (window.durable(clients, None), window.deltas(clients, None));
    let expected = window.seconds() * f64::from(EVENTS + DELTAS) * clients.count() as f64;
    Ok(Step {
        sessions: clients.count(),
        durable,
        deltas,
        rate: (durable.count + deltas.count) as f64 / expected,
        shares,
        memory: resident_mib(served.process())?.0,
    })
}
