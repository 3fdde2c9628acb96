//! Latency, memory and lost events of the gateway, beside those of other programs.

mod acp;
mod reconnecting;

use std::time::Duration;

use claw_testkit::figure::{Figure, quick};
use tokio::time::sleep;

use crate::Failure;
use crate::client::{Clients, Window};
use crate::latency::start_sessions;
use crate::percentiles::Percentiles;
use crate::processors::resident_mib;
use crate::served::{DELTAS, EVENTS, Served, steady};

/// Programs for which there is no driver here, with what runs by hand have shown.
const BY_HAND: [&str; 2] = [
    "@cloudcli-ai/cloudcli 1.37: not in this run, which has no driver for its accounts and pages; by hand, with the real CLI in a browser: no text while it is written, CLI line → client p50 10 / p95 428 / max 638 ms of 30, 99 MB idle, 101 MB with 5 sessions; 20 cuts lost nothing, a restart lost the turn and the open request",
    "@twsxtd/hapi 0.30: not in this run, which has no driver for its hub and runner; by hand, with the real CLI in a browser: no text while it is written, CLI line → client p50 50 / p95 801 / max 1,021 ms of 30, 300 MB idle, 810 MB with 5 sessions; 20 cuts and a restart lost nothing",
];

fn window() -> Duration {
    Duration::from_secs(if quick() { 2 } else { 15 })
}

pub(crate) async fn figures() -> Result<Vec<Figure>, Failure> {
    let (durable, deltas, memory) = ours().await?;
    let losses = reconnecting::losses().await?;
    let mut figure = Figure::new(
        "one session beside peers: latency of deltas, memory, events lost over 50 reconnects and one restart",
        "ours: 0 lost, 0 doubled; peers printed",
    )
    .measured(
        format!(
            "p50 {:.2} / p99 {:.2} ms, {memory:.0} MiB; {losses}",
            deltas.p50, deltas.p99
        ),
        losses.is_none(),
    )
    .note(format!("ours: durable {durable}"))
    .note(format!("ours: deltas {deltas}; the memory is that of the gateway"))
    .note(format!(
        "one session with {EVENTS} durable events/s and {DELTAS} deltas/s from fake-claude, {:?}",
        window()
    ));
    figure = figure.note(match acp::measure(window()).await {
        Ok(peer) => format!("claude-agent-acp 0.99 on node 22, same lines: {peer}"),
        Err(error) => format!("claude-agent-acp 0.99 was not measured: {error}"),
    });
    for note in BY_HAND {
        figure = figure.note(note);
    }
    Ok(vec![figure])
}

/// The latencies and the memory with one session.
async fn ours() -> Result<(Percentiles, Percentiles, f64), Failure> {
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    start_sessions(&served, &mut clients, 1).await?;
    sleep(Duration::from_secs(1)).await;
    let window = Window::wait(window()).await;
    clients.check()?;
    let (durable, deltas) = (
        window.durable(&clients, None),
        window.deltas(&clients, None),
    );
    Ok((durable, deltas, resident_mib(served.process())?.0))
}
