//! What the kills of owners showed.

use std::collections::BTreeMap;
use std::sync::Arc;

use claw_server::SessionEvent;
use claw_testkit::figure::Figure;

use crate::history::History;
use crate::owner::Done;

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: u64,
    events: usize,
    turns: usize,
    inputs: usize,
    answers: usize,
    grants: usize,
    pub(crate) redelivered: usize,
    pub(crate) withdrawn: usize,
    /// Kills before the session was opened.
    pub(crate) early: u64,
    /// Inputs that two processes have received.
    pub(crate) prompted_twice: usize,
}

impl Tally {
    /// Checks the log of a session, and counts what was done.
    pub(crate) fn count(&mut self, events: &[Arc<SessionEvent>], done: &[Done]) {
        let history = History::read(events);
        history.has(done);
        self.events += events.len();
        self.turns += history.turns;
        let mut prompted = BTreeMap::<&str, usize>::new();
        for done in done {
            match done {
                Done::Input { .. } => self.inputs += 1,
                Done::Answer { .. } => self.answers += 1,
                Done::Granted(_) => self.grants += 1,
                Done::Prompted { id } => *prompted.entry(id).or_default() += 1,
                _ => {}
            }
        }
        self.prompted_twice += prompted.values().filter(|count| **count > 1).count();
    }

    fn add(&mut self, other: &Self) {
        self.kills += other.kills;
        self.events += other.events;
        self.turns += other.turns;
        self.inputs += other.inputs;
        self.answers += other.answers;
        self.grants += other.grants;
        self.redelivered += other.redelivered;
        self.withdrawn += other.withdrawn;
        self.early += other.early;
        self.prompted_twice += other.prompted_twice;
    }

    /// The figure of sessions, each a tally or what is wrong with it.
    pub(crate) fn figure(name: String, kills: u64, runs: Vec<Result<Self, String>>) -> Figure {
        let (mut tally, mut faults) = (Self::default(), Vec::new());
        for run in runs {
            match run {
                Ok(run) => tally.add(&run),
                Err(fault) => faults.push(fault),
            }
        }
        let is_enough = tally.kills >= kills && tally.inputs > 0 && tally.answers > 0;
        Figure::new(
            name,
            "0 lost, 0 doubled; grants, keys, interactions and the CLI's id survive",
        )
        .measured(
            format!(
                "{} sessions at fault, {} kills; acknowledged: {} inputs, {} answers, {} grants",
                faults.len(),
                tally.kills,
                tally.inputs,
                tally.answers,
                tally.grants
            ),
            faults.is_empty() && is_enough,
        )
        .note(format!(
            "{} events in {} turns; after each kill, another owner gets the keys, the answers and \
             the grants again; {} inputs that waited were delivered by it, {} interactions that \
             were open were withdrawn, {} kills came before the session was open",
            tally.events, tally.turns, tally.redelivered, tally.withdrawn, tally.early
        ))
        .note(format!(
            "{} inputs reached two processes of the CLI: the owner was killed after it had sent \
             them and before that was stored. Both received the same id.",
            tally.prompted_twice
        ))
        .list("faults", faults)
    }
}
