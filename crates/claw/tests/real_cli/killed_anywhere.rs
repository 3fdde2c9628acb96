//! The CLI, the holder and the gateway, killed at every step of a turn, alone and two at once.

use std::collections::BTreeMap;

use claw_testkit::figure::Figure;
use rustix::process::Signal;

use crate::place::Place;
use crate::processes::Role::{self, Cli, Gateway, Holder};
use crate::served::Host;
use crate::session::{Script, Tally, run};

const VICTIMS: [&[Role]; 6] = [
    &[Gateway],
    &[Holder],
    &[Cli],
    &[Gateway, Holder],
    &[Gateway, Cli],
    &[Holder, Cli],
];
/// The kills of a session: each step with all victims.
const ROUND: usize = 42;

/// Kills processes of sessions on SQLite, or on servers.
pub(crate) async fn figure(servers: Option<&Place>, kills: usize) -> Figure {
    let (mut tallies, mut faults) = (Vec::new(), Vec::new());
    let mut store = "";
    for from in (0..kills).step_by(ROUND) {
        let host = Host::new(servers, &[]).await;
        store = host.store();
        let script = Script {
            victims: &VICTIMS,
            signal: Signal::KILL,
            versions: &["2"],
            kills: from..kills.min(from + ROUND),
        };
        match tokio::spawn(async move { run(&host, script).await }).await {
            Ok(mut tally) => {
                faults.append(&mut tally.faults);
                tallies.push(tally);
            }
            Err(error) => faults.push(error.to_string()),
        }
    }
    let sum = |count: fn(&Tally) -> usize| tallies.iter().map(count).sum::<usize>();
    let done = sum(|one| one.kills.len());
    let (mut victims, mut steps) = (BTreeMap::new(), BTreeMap::new());
    for kill in tallies.iter().flat_map(|one| &one.kills) {
        let (names, step) = (format!("{:?}", kill.victims), format!("{:?}", kill.step));
        *victims.entry(names).or_insert(0) += 1;
        *steps.entry(step).or_insert(0) += 1;
    }
    let name = format!(
        "SIGKILL at every step (input stored, delivered, streaming, tool running, interaction \
         open, answered, result) of CLI, holder and gateway, and of two at once, on {store}"
    );
    let bar = "0 accepted inputs lost or doubled; 0 events missing or reordered for any cursor \
               unless the holder died, then one gap event that is true; 0 decisions applied \
               twice; 0 processes alive 10 s after restart that should not be; each turn ends \
               with one truthful outcome";
    let (turns, lost) = (
        sum(|one| one.outcomes.turns),
        sum(|one| one.outcomes.lost.len()),
    );
    let inputs = sum(|one| one.inputs);
    let unsent = inputs - sum(|one| one.outcomes.processed + one.outcomes.indeterminate);
    Figure::new(name, bar)
        .measured(
            format!(
                "{} faults; {done} kills, {} of them in a turn; {} events, {inputs} inputs",
                faults.len(),
                sum(|one| one.truth.in_turn),
                sum(|one| one.outcomes.events),
            ),
            faults.is_empty() && done >= kills,
        )
        .note(format!("Kills: {victims:?}, at {steps:?}."))
        .note(format!(
            "8 clients in four dialects on SSE and WebSocket lost {} connections and resumed from \
             their cursors; in the end each has what a new client reads, except for deltas, and {} \
             random cursors yield the rest.",
            sum(|one| one.losses as usize),
            sum(|one| one.cursors),
        ))
        .note(format!(
            "{turns} turns: {} completed, {lost} ended with the process; {} inputs were processed, \
             {} failed as possibly seen by the agent, {unsent} failed while they waited for a turn; \
             {} interactions were answered, {} withdrawn, and calls waited {} times without a \
             process; {} calls ran, each once.",
            turns - lost,
            sum(|one| one.outcomes.processed),
            sum(|one| one.outcomes.indeterminate),
            sum(|one| one.outcomes.answered),
            sum(|one| one.outcomes.withdrawn),
            sum(|one| one.truth.parked),
            sum(|one| one.truth.calls),
        ))
        .note(format!(
            "{} gaps after dead holders, with {} messages from session files; all messages of the \
             session files are in the log once.",
            sum(|one| one.truth.gaps),
            sum(|one| one.truth.recovered as usize),
        ))
        .list("faults", faults)
}
