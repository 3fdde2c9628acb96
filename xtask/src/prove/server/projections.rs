//! Sessions through both projections.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::{Result, anyhow, ensure};
use claw_server::{MobileProjection, UiProjection};

use super::laws::{Tally, is_whole, phone_shows_what_is_stored, resumes, shows_what_is_stored};
use super::random::Random;
use super::reconnecting::{Resumable, by_the_number_alone, from_the_log, reconnects};
use super::recorded::{self, Item, Session};
use super::{Inputs, generator};
use crate::prove::figure::Figure;

const CASES: u64 = 10_000;
/// At how many places of each session readers are cut off. The tests of the crate do it at all.
const CUTS: usize = 4;

fn sessions(inputs: &Inputs) -> Result<Vec<Session>> {
    let sessions = recorded::all(&inputs.root).map_err(|error| anyhow!(error))?;
    ensure!(sessions.len() > 250, "only {} recordings", sessions.len());
    Ok(sessions)
}

/// The recorded corpus, with exit code and end of stream.
pub(super) fn recordings(inputs: &Inputs) -> Result<Vec<Figure>> {
    let sessions = sessions(inputs)?;
    let (mut events, mut turns, mut tools, mut panics) = (0, 0, 0, 0);
    let (mut unanswered, mut faults) = (Vec::new(), Vec::new());
    for Session { name, items } in &sessions {
        events += items.len();
        match catch_unwind(AssertUnwindSafe(|| is_whole(items))) {
            Err(_) => {
                panics += 1;
                faults.push(format!("{name}: panics"));
            }
            Ok(Err(fault)) => faults.push(format!("{name}: {fault}")),
            Ok(Ok(tally)) => {
                turns += tally.turns;
                tools += tally.tools;
                unanswered.extend(
                    tally
                        .unanswered
                        .iter()
                        .map(|tool| format!("{name}: {tool}")),
                );
            }
        }
    }
    let passed = faults.is_empty() && turns > 250 && tools > 100;
    Ok(vec![
        Figure::new(
            "recorded corpus of the protocol issue, with exit code and end of stream, through both projections: panics / turns of the ledger without exactly one Complete / tool starts without an end",
            "0 / 0 / 0",
        )
        .measured(
            format!(
                "{panics} panics, {} sessions at fault, of {} sessions with {turns} turns and {tools} tools",
                faults.len() - panics,
                sessions.len()
            ),
            passed,
        )
        .note(format!("{events} events and deltas; every law of a session is checked in `ui` and in `mobile`"))
        .list("faults", faults)
        .list("tools that really never answered, and were ended with their turn", unanswered),
    ])
}

/// What the cases had in them.
#[derive(Default)]
struct Seen {
    sessions: u64,
    splits: u64,
    deltas: usize,
    turns: u64,
    tools: u64,
    /// How often a reader who was cut off came again.
    returns: u64,
    /// How many of every tenth session show that a server that only counts is wrong.
    told_apart: u64,
    /// How many responses a phone was told to take back.
    retracted: u64,
}

/// Where sessions differ.
#[derive(Default)]
struct Faults {
    resumption: Vec<String>,
    returns: Vec<String>,
    text: Vec<String>,
}

/// Any split point, any dialect; and whatever became of deltas.
pub(super) fn resumability(inputs: &Inputs) -> Result<Vec<Figure>> {
    let cases = if inputs.quick { CASES / 10 } else { CASES };
    let mut seen = Seen::default();
    let mut faults = Faults::default();
    for Session { name, items } in sessions(inputs)? {
        let mut random = Random::new(seen.sessions);
        // A line with half a character is no JSON to the reader that we compare with.
        let is_json = !name.starts_with("unicode_");
        case(&name, &items, is_json, &mut random, &mut seen, &mut faults);
    }
    let recorded = seen.sessions;
    for seed in 0..cases {
        let items = generator::session(seed);
        let mut random = Random::new(seed);
        let name = format!("seed {seed}");
        case(&name, &items, true, &mut random, &mut seen, &mut faults);
        if let Err(fault) = is_whole(&items).map(|Tally { turns, tools, .. }| {
            seen.turns += turns;
            seen.tools += tools;
        }) {
            faults.text.push(format!("{name}: {fault}"));
        }
        match phone_shows_what_is_stored(&items) {
            Ok(retracted) => seen.retracted += retracted,
            Err(fault) => faults.text.push(format!("{name}: {fault}")),
        }
    }
    let Faults {
        resumption,
        returns,
        text,
    } = faults;
    let what = format!(
        "{recorded} recorded sessions and {cases} by chance with {} turns, {} tools and {} deltas",
        seen.turns, seen.tools, seen.deltas
    );
    Ok(vec![
        Figure::new(
            "resumability property: any split point, any dialect, 10,000 cases",
            "holds",
        )
        .measured(
            format!("{} of {} sessions differ; {} places where a state was put away", resumption.len(), seen.sessions, seen.splits),
            resumption.is_empty() && seen.splits > cases,
        )
        .note(what)
        .note("A state is put away as JSON and taken up again, then sent events that it has seen.")
        .list("faults", resumption),
        Figure::new(
            "cut off at any message, back at any time, any dialect: the same as one who stayed, 10,000 cases",
            "holds",
        )
        .measured(
            format!("{} of {} sessions differ; {} returns", returns.len(), seen.sessions, seen.returns),
            returns.is_empty() && seen.returns > 5 * cases && seen.told_apart > cases / 20,
        )
        .note("A client keeps what has come when the number in its messages rises, throws the rest away when it is cut off, and resumes from that number. In each session readers are cut off behind messages chosen by chance, and one again and again, while text is lost, doubled and late. Compared are the text of every turn, and all other messages in their order.")
        .note(format!("What the law is worth: of a server that goes on by the number alone, without what was before, it finds the fault in {} of {} sessions.", seen.told_apart, seen.sessions / 10))
        .list("faults", returns),
        Figure::new(
            "deltas lost, doubled and late: the text that is shown is the text that is stored",
            "holds",
        )
        .measured(format!("{} of {} sessions differ", text.len(), seen.sessions), text.is_empty() && seen.deltas > cases as usize)
        .note("With all deltas, with none, and with a disturbed choice of them; the stored text is read by serde_json.")
        .note(format!("A phone, which is told whole responses, shows the same; {} of them were taken back.", seen.retracted))
        .list("faults", text),
    ])
}

fn case(
    name: &str,
    items: &[Item],
    is_json: bool,
    random: &mut Random,
    seen: &mut Seen,
    faults: &mut Faults,
) {
    seen.sessions += 1;
    seen.deltas += items
        .iter()
        .filter(|item| matches!(item, Item::Delta(_)))
        .count();
    for resumed in [
        resumes::<UiProjection>(items, random),
        resumes::<MobileProjection>(items, random),
    ] {
        match resumed {
            Ok(splits) => seen.splits += splits,
            Err(fault) => faults.resumption.push(format!("{name}: {fault}")),
        }
    }
    comes_again::<UiProjection>(name, items, random, seen, faults);
    comes_again::<MobileProjection>(name, items, random, seen, faults);
    if seen.sessions.is_multiple_of(10) {
        let random = &mut random.clone();
        let wrong = reconnects::<UiProjection>(items, random, CUTS, by_the_number_alone);
        seen.told_apart += u64::from(wrong.is_err());
    }
    if is_json && let Err(fault) = shows_what_is_stored(items, random) {
        faults.text.push(format!("{name}: {fault}"));
    }
}

fn comes_again<D: Resumable>(
    name: &str,
    items: &[Item],
    random: &mut Random,
    seen: &mut Seen,
    faults: &mut Faults,
) {
    match reconnects::<D>(items, random, CUTS, from_the_log) {
        Ok(returns) => seen.returns += returns,
        Err(fault) => faults.returns.push(format!("{name}: {fault}")),
    }
}
