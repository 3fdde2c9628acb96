//! Thirty small folders with one difficulty each, and who counts them right.

use std::fmt::Write as _;

use anyhow::{Result, ensure};
use claw_testkit::corpus::traps::{self, Trap};

use crate::claw::Claw;
use crate::peers::USAGE_PEERS;
use crate::runner::Task;
use crate::source::Source;
use crate::totals::Totals;
use crate::usage::COST_TOLERANCE;
use crate::{Inputs, claw};
use claw_testkit::figure::Figure;

/// What one program made of the traps.
struct Score {
    name: String,
    right: usize,
    /// The trap, and the wrong result.
    wrong: Vec<(&'static str, String)>,
}

impl Score {
    fn shown(&self) -> String {
        format!("{} {}", self.name, self.right)
    }
}

pub(crate) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let traps = traps::write_all(folder.path())?;
    let mut sources = Vec::new();
    for trap in &traps {
        sources.push((trap, Source::at(&folder.path().join(trap.name))?));
    }
    let mut others = Vec::new();
    if let Some(peers) = inputs.peers()? {
        for peer in USAGE_PEERS {
            others.push(score(inputs, peer.name, &sources, peer.totals, |source| {
                (peer.task)(peers, source)
            })?);
        }
    }
    let ours = inputs.claw().and_then(|program| {
        let mut ours = score(inputs, claw::NAME, &sources, claw::totals, |source| {
            program.usage(source)
        })?;
        for (trap, source) in &sources {
            if let Some(wrong) = wrong_day(inputs, program, trap, source)? {
                ours.right -= usize::from(ours.wrong.iter().all(|(name, _)| *name != trap.name));
                ours.wrong.push((trap.name, wrong));
            }
        }
        Ok(ours)
    });
    Ok(vec![figure(ours, &others, traps.len())])
}

/// One program over all traps.
fn score(
    inputs: &Inputs,
    name: &str,
    sources: &[(&Trap, Source)],
    totals: fn(&[u8]) -> Result<Totals>,
    task: impl Fn(&Source) -> Task,
) -> Result<Score> {
    let mut score = Score {
        name: name.to_owned(),
        right: 0,
        wrong: Vec::new(),
    };
    for (trap, source) in sources {
        let before = source.files()?;
        // A program that fails on a trap has not got it right; the others are still to come.
        let found = inputs
            .runner
            .output(&task(source))
            .and_then(|(printed, _)| totals(&printed));
        ensure!(
            source.files()? == before,
            "{name} changed the files of {}",
            trap.name
        );
        let truth = expected(trap);
        match found {
            Ok(found) if found.is(&truth, COST_TOLERANCE) => score.right += 1,
            Ok(found) => score.wrong.push((trap.name, found.beside(&truth))),
            Err(error) => score.wrong.push((trap.name, format!("{error:#}"))),
        }
    }
    Ok(score)
}

/// What is wrong with the days of a trap that is about days; the peers have no such figure.
fn wrong_day(
    inputs: &Inputs,
    program: &Claw,
    trap: &Trap,
    source: &Source,
) -> Result<Option<String>> {
    for expected in &trap.expected.days {
        let task = program.usage_by_day(source, expected.zone);
        let days = inputs
            .runner
            .output(&task)
            .and_then(|(out, _)| claw::days(&out));
        let days = match days {
            Ok(days) => days.join(", "),
            Err(error) => format!("{error:#}"),
        };
        if days != expected.day {
            let (zone, day) = (expected.zone, expected.day);
            return Ok(Some(format!("in {zone} it is {day}, not {days}")));
        }
    }
    Ok(None)
}

fn expected(trap: &Trap) -> Totals {
    let expected = &trap.expected;
    Totals {
        input: expected.input,
        output: expected.output,
        cache_write: expected.cache_write,
        cache_read: expected.cache_read,
        cost: Some(expected.cost),
    }
}

fn figure(ours: Result<Score>, others: &[Score], traps: usize) -> Figure {
    let figure = Figure::new("traps right: tokens, and cost within 0.01 %", "30 of 30");
    let best = others.iter().map(|score| score.right).max();
    let mut measured = match &ours {
        Ok(ours) => format!("{} of {traps}", ours.right),
        Err(error) => format!("missing: {error:#}"),
    };
    match best {
        // Writing to a String cannot fail.
        Some(best) => _ = write!(measured, "; best peer: {best}"),
        None => measured.push_str("; peers run in the full proof only"),
    }
    let passed = traps == 30 && ours.as_ref().is_ok_and(|ours| ours.right == traps);
    let mut figure = figure.measured(measured, passed);
    if !others.is_empty() {
        let scores: Vec<String> = others.iter().map(Score::shown).collect();
        figure = figure.note(format!(
            "peers, of {traps}: {}; claude-transcript does not price, so only its tokens are judged",
            scores.join(", ")
        ));
    }
    for score in ours.iter().chain(others) {
        figure = figure.list(
            &format!("{} is wrong", score.name),
            score
                .wrong
                .iter()
                .map(|(trap, what)| format!("{trap}: {what}")),
        );
    }
    figure
}
