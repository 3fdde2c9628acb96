//! Why a message of a turn costs more than one of a flood: the pause before it.

use anyhow::{Result, ensure};
use claw_testkit::{FakeTurn, Flood};

use super::{Cost, host, play};
use crate::prove::sdk::programs::{Programs, ran};
use crate::prove::sdk::{Inputs, World};

/// How many messages, how many of them a second (0: at once), and how that is said.
const PACES: &[(u64, u64, &str)] = &[
    (10_000, 0, "all at once"),
    (1_000, 1_000, "1,000 a second"),
    (200, 20, "20 a second, as in a turn"),
];
/// Near the length of a real one.
const BYTES: u64 = 600;

/// The same messages at several paces, each of them decoded, and only their bytes read.
pub(super) fn profile(inputs: &Inputs, programs: &Programs) -> Result<Vec<String>> {
    // What a profiler saw once; it is no part of this run.
    let mut lines = vec![
        "the host is woken for nearly every message, since they come one by one; each time it \
         makes two system calls, `epoll_wait` and `read`, on one thread (seen with strace)"
            .to_owned(),
        "with perf: a fifth in the kernel, a quarter in reading messages into types, the rest \
         spread over runtime and session; no function has more than 3 %, arming timers 2 %"
            .to_owned(),
        "a pause leaves the caches to other programs, so what a message costs depends on the \
         pause before it; messages of the stand-in at several paces, own CPU for each:"
            .to_owned(),
    ];
    for &(count, per_second, pace) in PACES {
        let count = if inputs.quick { count / 10 } else { count };
        let decoded = paced(inputs, programs, "messages", count, per_second)?;
        let read = paced(inputs, programs, "bytes", count, per_second)?;
        lines.push(format!(
            "{pace}: {:.1} µs; {:.1} µs where the same runtime reads the bytes and drops them",
            decoded.us_each(),
            read.us_each()
        ));
    }
    Ok(lines)
}

fn paced(
    inputs: &Inputs,
    programs: &Programs,
    what: &str,
    count: u64,
    per_second: u64,
) -> Result<Cost> {
    let folder = tempfile::tempdir()?;
    let flood = Flood {
        per_second,
        ..Flood::new(count).bytes(BYTES)
    };
    let cli = play(folder.path(), &programs.fake, FakeTurn::new().step(flood))?;
    let world = inputs.runtime.block_on(World::new(&inputs.cli))?;
    let mut command = host(&world, &programs.bench("figures"));
    command.arg(what).arg(&cli);
    let cost: Cost = ran(&mut command)?;
    ensure!(
        cost.messages as u64 >= count,
        "{what}: {} of {count} messages",
        cost.messages
    );
    Ok(cost)
}
