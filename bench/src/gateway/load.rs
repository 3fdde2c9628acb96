//! How many sessions a gateway serves at the rate of the figures.

use anyhow::Result;
use claw_testkit::figure::{Figure, quick};

use super::attempts::Attempts;
use super::clients::{Clients, DELIVERED, Measured, window};
use super::served::{DELTAS, EVENTS, Served, steady};

/// The least number of sessions.
const BAR: usize = 300;
/// The most that a line may take, p99, in milliseconds.
const P99_BAR: f64 = 100.0;

impl Measured {
    fn p99(&self) -> f64 {
        self.durable.p99.max(self.deltas.p99)
    }

    fn is_fast(&self) -> bool {
        self.p99() <= P99_BAR && self.delivered >= DELIVERED
    }
}

/// Whether the last number of sessions was slow twice. A quick run measures no times.
fn is_too_slow(steps: &[Measured]) -> bool {
    let slow = steps.iter().rev().take_while(|step| !step.is_fast());
    slow.count() == 2 && !quick()
}

pub(super) async fn figures() -> Result<Vec<Figure>> {
    // A quick run has more sessions than a gateway keeps awake by default.
    let (step, most) = if quick() { (20, 40) } else { (100, 1000) };
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    let mut steps = Attempts::new();
    while clients.count() < most && !is_too_slow(&steps.done) {
        // A slow step is measured again, because something else may have run beside it.
        let goes_on = steps.done.last().is_none_or(Measured::is_fast) || quick();
        let next = async {
            if goes_on {
                clients.start_sessions(&served, step).await?;
            }
            clients.measure(&served, window()).await
        };
        if !steps.add(next).await {
            break;
        }
    }
    steps.check()?;
    let slow = steps.done.last().filter(|step| !step.is_fast());
    let fast = steps.done.iter().rfind(|step| step.is_fast());
    let limit = match (&steps.problem, slow) {
        (Some(problem), _) => format!("the next {step} sessions: {problem}"),
        (None, Some(slow)) => format!(
            "with {} sessions, p99 is {:.1} ms, {:.0} % of the lines arrive and {:.0} % of the processors are idle",
            slow.clients,
            slow.p99(),
            slow.delivered * 100.0,
            slow.processors.idle * 100.0
        ),
        (None, None) => format!("not found: at most {most} sessions are started"),
    };
    let measured = match fast {
        Some(fast) => format!("{} sessions, p99 {:.1} ms", fast.clients, fast.p99()),
        None => format!("fewer than {step} sessions"),
    };
    let is_enough = fast.is_some_and(|fast| fast.clients >= BAR);
    let is_shown = quick() && clients.count() == most && steps.problem.is_none();
    let name = format!(
        "load: sessions with {EVENTS} durable events/s, {DELTAS} deltas/s and one client each, p99 ≤ 100 ms, CLIs and clients included"
    );
    let mut figure = Figure::new(name, "≥ 300").measured(measured, is_enough || is_shown);
    figure = figure.note(format!("what limits it: {limit}"));
    for step in &steps.done {
        figure = figure.note(format!("{} sessions: {step}", step.clients));
    }
    Ok(vec![figure.note(format!(
        "{:?} with each number of sessions, half of the clients on SSE, half on WebSocket",
        window()
    ))])
}
