//! The laws of sessions, in every dialect, for recorded sessions and for generated ones.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use claw_server::{MobileProjection, UiProjection};
use claw_testkit::figure::{Figure, record};

use crate::laws::{is_whole, phone_shows_what_is_stored, resumes, shows_what_is_stored};
use crate::random::Random;
use crate::reconnecting::{by_the_number_alone, from_the_log, reconnects};
use crate::recorded::{self, Item, Session};
use crate::{cases, generator};

/// The places of each session at which readers are cut off.
const CUTS: usize = 4;

#[test]
fn every_recorded_turn_and_tool_ends_once() {
    let sessions = recorded::all();
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
                let named = tally
                    .unanswered
                    .iter()
                    .map(|tool| format!("{name}: {tool}"));
                unanswered.extend(named);
            }
        }
    }
    insta::assert_snapshot!("tools_that_never_answered", unanswered.join("\n"));
    let passed = faults.is_empty() && turns > 250 && tools > 100;
    let figure = Figure::new(
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
    .list("tools that really never answered, and were ended with their turn", unanswered);
    record("server-recordings", vec![figure]);
}

/// What the cases contain, and where sessions differ.
#[derive(Default)]
struct Seen {
    sessions: u64,
    splits: u64,
    deltas: usize,
    turns: u64,
    tools: u64,
    unanswered: usize,
    /// How often a client that was cut off came again.
    returns: u64,
    /// In how many of every tenth session a server breaks the law that resumes by the number alone.
    told_apart: u64,
    /// How many responses a phone took back.
    retracted: u64,
    faults: Faults,
}

#[derive(Default)]
struct Faults {
    resumption: Vec<String>,
    returns: Vec<String>,
    text: Vec<String>,
}

#[test]
fn clients_resume_anywhere_and_show_what_is_stored() {
    let cases = cases();
    let recorded = recorded::all();
    let count = recorded.len() as u64;
    let (seen, next) = (Mutex::new(Seen::default()), AtomicU64::new(0));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            match recorded.get(number as usize) {
                Some(session) => check_recorded(number, session, &seen),
                None if number < count + cases => check_generated(number, number - count, &seen),
                None => return,
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let seen = seen.into_inner().unwrap();
    assert!(seen.tools > cases / 2 && seen.unanswered as u64 > cases / 20);
    assert!(seen.retracted > cases / 50 && seen.turns > cases);
    record("resumability", figures(seen, count, cases));
}

fn check_recorded(number: u64, Session { name, items }: &Session, seen: &Mutex<Seen>) {
    // A line with half a character is no JSON to the reader that we compare with.
    let is_json = !name.starts_with("unicode_");
    check(name, number, items, is_json, Random::new(number), seen);
}

fn check_generated(number: u64, seed: u64, seen: &Mutex<Seen>) {
    let items = generator::session(seed);
    let name = format!("seed {seed}");
    check(&name, number, &items, true, Random::new(seed), seen);
    let (whole, phone) = (is_whole(&items), phone_shows_what_is_stored(&items));
    let mut seen = seen.lock().unwrap();
    match whole {
        Ok(tally) => {
            seen.turns += tally.turns;
            seen.tools += tally.tools;
            seen.unanswered += tally.unanswered.len();
        }
        Err(fault) => seen.faults.text.push(format!("{name}: {fault}")),
    }
    match phone {
        Ok(retracted) => seen.retracted += retracted,
        Err(fault) => seen.faults.text.push(format!("{name}: {fault}")),
    }
}

fn check(
    name: &str,
    number: u64,
    items: &[Item],
    is_json: bool,
    mut random: Random,
    seen: &Mutex<Seen>,
) {
    let random = &mut random;
    let resumed = [
        resumes::<UiProjection>(items, random),
        resumes::<MobileProjection>(items, random),
    ];
    let returned = [
        reconnects::<UiProjection>(items, random, CUTS, from_the_log),
        reconnects::<MobileProjection>(items, random, CUTS, from_the_log),
    ];
    let is_told_apart = number % 10 == 9
        && reconnects::<UiProjection>(items, &mut random.clone(), CUTS, by_the_number_alone)
            .is_err();
    let text = match is_json {
        true => shows_what_is_stored(items, random),
        false => Ok(()),
    };
    let mut seen = seen.lock().unwrap();
    seen.sessions += 1;
    seen.deltas += items.iter().filter(|item| item.event().is_none()).count();
    seen.told_apart += u64::from(is_told_apart);
    for resumed in resumed {
        match resumed {
            Ok(splits) => seen.splits += splits,
            Err(fault) => seen.faults.resumption.push(format!("{name}: {fault}")),
        }
    }
    for returned in returned {
        match returned {
            Ok(returns) => seen.returns += returns,
            Err(fault) => seen.faults.returns.push(format!("{name}: {fault}")),
        }
    }
    if let Err(fault) = text {
        seen.faults.text.push(format!("{name}: {fault}"));
    }
}

fn figures(seen: Seen, recorded: u64, cases: u64) -> Vec<Figure> {
    let (sessions, faults) = (seen.sessions, seen.faults);
    let differ = |faults: &[String]| format!("{} of {sessions} sessions differ", faults.len());
    vec![
        Figure::new(
            "resumability property: any split point, any dialect, 10,000 cases",
            "holds",
        )
        .measured(
            format!("{}; {} places where a state was put away", differ(&faults.resumption), seen.splits),
            faults.resumption.is_empty() && seen.splits > cases,
        )
        .note(format!(
            "{recorded} recorded sessions and {cases} by chance with {} turns, {} tools and {} deltas",
            seen.turns, seen.tools, seen.deltas
        ))
        .note("A state is put away as JSON and taken up again, then sent events that it has seen.")
        .list("faults", faults.resumption),
        Figure::new(
            "cut off at any message, back at any time, any dialect: the same as one who stayed, 10,000 cases",
            "holds",
        )
        .measured(
            format!("{}; {} returns", differ(&faults.returns), seen.returns),
            faults.returns.is_empty() && seen.returns > 5 * cases && seen.told_apart > cases / 20,
        )
        .note("A client keeps what has come when the number in its messages rises, throws the rest away when it is cut off, and resumes from that number. In each session readers are cut off behind messages chosen by chance, and one again and again, while text is lost, doubled and late. Compared are the text of every turn, and all other messages in their order.")
        .note(format!("What the law is worth: of a server that goes on by the number alone, without what was before, it finds the fault in {} of {} sessions.", seen.told_apart, sessions / 10))
        .list("faults", faults.returns),
        Figure::new(
            "deltas lost, doubled and late: the text that is shown is the text that is stored",
            "holds",
        )
        .measured(differ(&faults.text), faults.text.is_empty() && seen.deltas > cases as usize)
        .note("With all deltas, with none, and with a disturbed choice of them; the stored text is read by serde_json.")
        .note(format!("A phone, which receives whole responses, shows the same; {} of them were retracted.", seen.retracted))
        .list("faults", faults.text),
    ]
}
