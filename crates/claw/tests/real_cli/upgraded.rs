//! Gateways that are replaced by other builds during turns.

use claw_testkit::figure::Figure;
use rustix::process::Signal;

use crate::processes::Role;
use crate::served::Host;
use crate::session::{Script, Step, Tally, run};

/// The protocol before that of this build, its own, and the one after it.
const VERSIONS: [&str; 3] = ["1", "2", "3"];
/// Replacements in a session: one at each step.
const KILLS: usize = Step::ALL.len();

/// A way to replace gateways.
struct Case {
    /// The versions that they speak, in turn. The first one starts the holder.
    versions: [&'static str; 2],
    args: &'static [&'static str],
    signal: Signal,
}

fn cases(is_quick: bool) -> Vec<Case> {
    let [before, own, after] = VERSIONS;
    let isolated: &[&str] = &["--isolate"];
    let mut cases = Vec::new();
    let mut add = |versions, args, signal| {
        cases.push(Case {
            versions,
            args,
            signal,
        });
    };
    add([own, before], &[], Signal::KILL);
    add([own, after], isolated, Signal::KILL);
    if is_quick {
        return cases;
    }
    add([own, own], &[], Signal::KILL);
    add([own, after], &[], Signal::KILL);
    for args in [&[], isolated] {
        add([before, own], args, Signal::KILL);
        add([after, own], args, Signal::KILL);
    }
    add([own, own], isolated, Signal::KILL);
    add([own, before], isolated, Signal::KILL);
    add([own, after], &["--grace=1s"], Signal::TERM);
    add([before, own], &["--grace=1s"], Signal::TERM);
    cases
}

/// What is wrong with a session whose turns must all complete.
fn faults(tally: &mut Tally, signal: Signal) -> Vec<String> {
    let mut faults = std::mem::take(&mut tally.faults);
    let outcomes = &tally.outcomes;
    if !outcomes.lost.is_empty() || tally.truth.gaps > 0 {
        faults.push(format!("turns were lost: {outcomes:?}"));
    }
    if outcomes.processed != tally.inputs {
        faults.push(format!("{} of {} inputs", outcomes.processed, tally.inputs));
    }
    // A gateway that is asked to end puts sessions to sleep that wait.
    if tally.clis != 1 && signal == Signal::KILL {
        faults.push(format!("{} CLIs", tally.clis));
    }
    faults
}

pub(crate) async fn figure(is_quick: bool) -> Figure {
    let (mut all, mut ways) = (Vec::new(), Vec::new());
    let (mut turns, mut kills, mut losses) = (0, 0, 0);
    for Case {
        versions,
        args,
        signal,
    } in cases(is_quick)
    {
        let host = Host::new(None, args).await;
        let ran = tokio::spawn(async move {
            let script = Script {
                victims: &[&[Role::Gateway]],
                signal,
                versions: &versions,
                kills: 0..KILLS,
            };
            run(&host, script).await
        });
        let way = format!("{versions:?} {args:?} {signal:?}");
        match ran.await {
            Ok(mut tally) => {
                let faults = faults(&mut tally, signal);
                all.extend(faults.into_iter().map(|fault| format!("{way}: {fault}")));
                turns += tally.outcomes.turns;
                kills += tally.kills.len();
                losses += tally.losses;
            }
            Err(error) => all.push(format!("{way}: {error}")),
        }
        ways.push(way);
    }
    let name = "gateway killed and restarted, and replaced by builds that speak the holders' \
                protocol N-1 and N+1, during turns of the real CLI, also under bubblewrap with \
                the relay";
    let bar = "every turn completes; the streams of clients go on from their cursors";
    let count = ways.len();
    Figure::new(name, bar)
        .measured(
            format!("{} faults; {kills} replacements, {turns} turns", all.len()),
            all.is_empty() && kills == count * KILLS,
        )
        .note(format!(
            "One session for each way, with a replacement at each step of a turn. The first \
             version starts the holder. 8 clients lost {losses} connections; each has what a new \
             client reads."
        ))
        .list("ways: the versions in turn, options, the signal", ways)
        .list("faults", all)
}
