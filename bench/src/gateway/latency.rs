//! The time from the CLI's write to the client's read, over the bare commit.

use anyhow::Result;
use claw_testkit::figure::{Bar, Figure, quick};

use super::attempts::Attempts;
use super::bare;
use super::clients::{Clients, Measured, if_delivered, window};
use super::served::{DELTAS, EVENTS, Served, steady};
use crate::percentiles::Percentiles;
use crate::verdicts::{judged, more_ms};

pub(super) async fn figures() -> Result<Vec<Figure>> {
    let (sessions, count) = if quick() { (10, 1) } else { (100, 5) };
    let mut rounds = Attempts::new();
    while rounds.done.len() < count && rounds.add(round(sessions)).await {}
    rounds.check()?;
    let name = |which: &str| {
        format!(
            "latency, CLI line → client's socket, over the bare commit, 100 sessions with {EVENTS} durable events/s and {DELTAS} deltas/s each: {which}"
        )
    };
    let over = |of: fn(&Percentiles) -> f64| {
        rounds.spread(|(bare, measured)| of(&measured.durable) - of(bare))
    };
    let bar = ("≤ +2 ms", Bar::AtMost(2.0));
    let p50 = judged(name("durable, p50"), bar, more_ms, over(|times| times.p50));
    let bar = ("≤ +15 ms", Bar::AtMost(15.0));
    let mut p99 = judged(name("durable, p99"), bar, more_ms, over(|times| times.p99));
    let of_deltas = |of: fn(&Percentiles) -> f64| {
        let spread = rounds.spread(|(_, measured)| of(&measured.deltas));
        spread.map_or(f64::NAN, |spread| spread.median)
    };
    let (p50_ms, p99_ms) = (of_deltas(|times| times.p50), of_deltas(|times| times.p99));
    let text = format!("p50 {p50_ms:.2} ms, p99 {p99_ms:.2} ms");
    let deltas = Figure::new(name("deltas, not over anything"), "printed");
    for (number, (bare, measured)) in (1..).zip(&rounds.done) {
        let [sse, socket] = &measured.by_transport;
        p99 = p99
            .note(format!("round {number}: {measured}"))
            .note(format!("round {number}: bare commit {bare}"))
            .note(format!(
                "round {number}: durable over SSE {sse}, over WebSocket {socket}"
            ));
    }
    let p50 = p50
        .note(format!("{sessions} sessions with one client each, half on SSE, half on WebSocket; {count} rounds of {:?}; the gateway, the CLIs (fake-claude) and the clients share the processors", window()))
        .note("bare commit: the store appends events of the same size to as many sessions at the same rate, in turns with the gateway");
    let figures = [p50, p99, deltas.measured(text, true)].into_iter();
    let delivered = || rounds.done.iter().map(|(_, measured)| measured.delivered);
    let figures = figures.map(|figure| rounds.judge(if_delivered(figure, delivered())));
    Ok(figures.collect())
}

async fn round(sessions: usize) -> Result<(Percentiles, Measured)> {
    let bare = bare::commits(sessions, EVENTS, window()).await?;
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    clients.start_sessions(&served, sessions).await?;
    Ok((bare, clients.measure(&served, window()).await?))
}
