//! Latency, memory and lost events of the gateway, beside those of other programs.

mod acp;
mod losses;

use anyhow::Result;
use claw_bench::Group;
use claw_bench::gateway::served::{DELTAS, EVENTS, Served, steady};
use claw_bench::gateway::{Clients, window, with_files};
use claw_testkit::figure::Figure;

/// In the order of the page.
pub(crate) const GROUPS: &[Group] = &[("gateway-peers", || with_files(figures()))];

/// Programs for which there is no driver here, with what runs by hand have shown.
const BY_HAND: [&str; 2] = [
    "@cloudcli-ai/cloudcli 1.37: not in this run, which has no driver for its accounts and pages; by hand, with the real CLI in a browser: no text while it is written, CLI line → client p50 10 / p95 428 / max 638 ms of 30, 99 MB idle, 101 MB with 5 sessions; 20 cuts lost nothing, a restart lost the turn and the open request",
    "@twsxtd/hapi 0.30: not in this run, which has no driver for its hub and runner; by hand, with the real CLI in a browser: no text while it is written, CLI line → client p50 50 / p95 801 / max 1,021 ms of 30, 300 MB idle, 810 MB with 5 sessions; 20 cuts and a restart lost nothing",
];

async fn figures() -> Result<Vec<Figure>> {
    let served = Served::start([steady()])?;
    let mut clients = Clients::default();
    clients.start_sessions(&served, 1).await?;
    let ours = clients.measure(&served, window()).await?;
    drop((clients, served));
    let (durable, deltas, memory) = (ours.durable, ours.deltas, ours.memory);
    let (losses, are_none) = losses::losses().await?;
    let figure = Figure::new(
        "one session beside peers: latency of deltas, memory, events lost over 50 reconnects and one restart",
        "ours: 0 lost, 0 doubled; peers printed",
    );
    let (p50, p99) = (deltas.p50, deltas.p99);
    let text = format!("p50 {p50:.2} / p99 {p99:.2} ms, {memory:.0} MiB; {losses}");
    let peer = acp::measure(window()).await?;
    let figure = figure
        .measured(text, are_none)
        .note(format!("ours: durable {durable}"))
        .note(format!("ours: deltas {deltas}; the memory is that of the gateway"))
        .note(format!("one session with {EVENTS} durable events/s and {DELTAS} deltas/s from fake-claude, {:?}", window()))
        .note(format!("claude-agent-acp 0.99 on node 22, same lines: {peer}"));
    Ok(vec![BY_HAND.into_iter().fold(figure, Figure::note)])
}
