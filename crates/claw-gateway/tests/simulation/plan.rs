//! What happens in a run, drawn from its seed.

use std::time::Duration;

use crate::dice::Dice;

/// The settings of a run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// How many gateways run at the same time, on one machine.
    pub(crate) nodes: usize,
    pub(crate) sessions: usize,
    pub(crate) inputs: u64,
    /// How long faults are injected.
    pub(crate) faulty_for: Duration,
    pub(crate) idle: Duration,
    pub(crate) interaction_timeout: Duration,
    pub(crate) faults: Faults,
    /// How long a person takes to answer, at most.
    pub(crate) answer_within: Duration,
    /// The output that a holder keeps in memory; the rest is in a file.
    pub(crate) spool_memory: usize,
}

/// How often faults occur, out of a thousand.
#[derive(Debug, Clone)]
pub(crate) struct Faults {
    /// A call of the store fails without effect.
    pub(crate) unavailable: u64,
    /// A call of the store takes effect, and its acknowledgement is lost.
    pub(crate) lost_ack: u64,
    /// A call of the store is late.
    pub(crate) late: u64,
    pub(crate) full: u64,
    /// The gateway crashes before or after a call of the store takes effect.
    pub(crate) crash: u64,
    /// The gateway is suspended for longer than its lease.
    pub(crate) stall: u64,
    /// A stream of the store ends.
    pub(crate) stream: u64,
    /// The response to a client is lost.
    pub(crate) response: u64,
    /// Per second: a CLI, a holder, or a gateway crashes.
    pub(crate) cli_crash: u64,
    pub(crate) holder_crash: u64,
    pub(crate) node_crash: u64,
    /// Per second: the clock jumps.
    pub(crate) clock_jump: u64,
}

impl Plan {
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let rare = [0, 0, 2, 10];
        let seconds = Duration::from_secs;
        Self {
            nodes: dice.pick(&[1, 1, 2]),
            sessions: dice.pick(&[1, 1, 1, 2]),
            inputs: 1 + dice.below(4),
            faulty_for: seconds(dice.pick(&[10, 40, 120])),
            idle: seconds(dice.pick(&[2, 15, 60])),
            interaction_timeout: seconds(dice.pick(&[20, 60, 200])),
            faults: Faults {
                unavailable: dice.pick(&[0, 5, 30, 120]),
                lost_ack: dice.pick(&[0, 5, 30, 120]),
                late: dice.pick(&[0, 20, 100]),
                full: dice.pick(&rare),
                crash: dice.pick(&[0, 5, 15, 40]),
                stall: dice.pick(&rare),
                stream: dice.pick(&[0, 5, 30]),
                response: dice.pick(&[0, 50, 200]),
                cli_crash: dice.pick(&[0, 0, 20, 60]),
                holder_crash: dice.pick(&[0, 0, 20, 60]),
                node_crash: dice.pick(&[0, 20, 60]),
                clock_jump: dice.pick(&[0, 0, 20]),
            },
            answer_within: seconds(dice.pick(&[1, 20, 100, 300])),
            spool_memory: dice.pick(&[1 << 20, 2048]),
        }
    }
}
