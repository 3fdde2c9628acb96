//! A list of ten thousand sessions.

use anyhow::Result;

use crate::speed::joined;
use crate::{Inputs, claw};
use claw_testkit::figure::Figure;

const SESSIONS: usize = 10_000;
const SECONDS_BAR: f64 = 0.3;
const MEMORY_BAR: f64 = 60e6;

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let corpus = inputs.corpora.many_sessions()?;
    let mut tasks = Vec::new();
    let ours = inputs.claw().map(|program| program.list(&corpus.source));
    let figure = Figure::new("list of 10,000 sessions", "≤ 0.3 s, ≤ 60 MB").note(format!(
        "{} sessions in {} files, {:.0} MB; all of them printed as JSON",
        corpus.truth.sessions,
        corpus.truth.files,
        corpus.truth.bytes as f64 / 1e6
    ));
    let listed = match joined(inputs, ours, &mut tasks) {
        Ok(printed) => claw::sessions_listed(&printed)?,
        Err(missing) => return Ok(vec![figure.measured(missing, false)]),
    };
    let rounds = inputs.runner.rounds(&tasks, inputs.rounds())?;
    let wall = rounds.spread(claw::NAME, |took| took.wall)?;
    let peak = rounds.spread(claw::NAME, |took| took.peak)?;
    let complete = listed == SESSIONS && corpus.truth.sessions == SESSIONS as u64;
    Ok(vec![figure.measured(
        format!(
            "{listed} sessions in {:.3} s ({:.3}–{:.3}), {:.2} s on processors, {:.1} MB",
            wall.median,
            wall.min,
            wall.max,
            rounds.spread(claw::NAME, |took| took.processor)?.median,
            peak.max / 1e6
        ),
        complete && wall.median <= SECONDS_BAR && peak.max <= MEMORY_BAR,
    )])
}
