//! Recorded streams whose progress was labelled by hand, and whether anything goes back.

use anyhow::{Result, anyhow};

use super::progress_laws::{Tally, goes_on};
use super::recorded::{self, Session};
use super::{Inputs, generator, progress_streams};
use crate::prove::figure::Figure;

const STREAMS: usize = 40;
const CASES: u64 = 10_000;

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let score = progress_streams::score(&inputs.root).map_err(|error| anyhow!(error))?;
    let mut rows = Vec::new();
    let mut passed = score.with_progress >= STREAMS;
    for (source, counts) in &score.sources {
        let (precision, recall) = (counts.precision(), counts.recall());
        let is_read = progress_streams::READ.contains(&source.as_str());
        passed &= precision >= 0.97 && (is_read || recall >= 0.9);
        rows.push(format!(
            "{source}: precision {precision:.3}, recall {recall:.3} ({} of {} found are right, {} expected)",
            counts.right, counts.found, counts.expected
        ));
    }
    let told = |source: &String| !progress_streams::READ.contains(&source.as_str());
    let of_all = score.sources.values().map(|counts| counts.precision());
    let precision = of_all.fold(1.0, f64::min);
    let of_told = score.sources.iter().filter(|(source, _)| told(source));
    let recall = of_told
        .map(|(_, counts)| counts.recall())
        .fold(1.0, f64::min);
    let streams = Figure::new(
        "progress: 40 recorded streams, labelled by hand before the tracker was run on them",
        "precision ≥ 0.97 per source; recall ≥ 0.9 per source that is not text",
    )
    .measured(
        format!(
            "precision {precision:.3} in the worst of {} sources, recall {recall:.3} in the worst that is not text; {} streams with progress, {} without",
            score.sources.len(),
            score.with_progress,
            score.streams - score.with_progress
        ),
        passed,
    )
    .note("An update is right when line, lane, source, kind, state, numbers and reason are those of the label.")
    .note("Prose and tool output are a fallback that stays silent where it is not sure: their recall is printed and has no bar.")
    .list("by source", rows)
    .list("faults", score.faults);
    Ok(vec![streams, steps_back(inputs)?])
}

fn steps_back(inputs: &Inputs) -> Result<Figure> {
    let cases = if inputs.quick { CASES / 10 } else { CASES };
    let mut tally = Tally::default();
    let mut faults = Vec::new();
    let sessions = recorded::all(&inputs.root).map_err(|error| anyhow!(error))?;
    let recorded = sessions.len();
    for Session { name, items } in sessions {
        if let Err(fault) = goes_on(&items, &mut tally) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    let of_recordings = tally.updates;
    for seed in 0..cases {
        if let Err(fault) = goes_on(&generator::session(seed), &mut tally) {
            faults.push(format!("seed {seed}: {fault}"));
        }
    }
    let back: u64 = tally.reasons.values().sum();
    let reasons: Vec<String> = tally
        .reasons
        .iter()
        .map(|(reason, count)| format!("{reason}: {count}"))
        .collect();
    let passed = faults.is_empty() && of_recordings > 200 && back > cases / 10;
    Ok(Figure::new(
        "progress: steps backwards without a reason, over all recorded streams and sessions by chance",
        "0",
    )
    .measured(
        format!(
            "{} sessions at fault, of {recorded} recorded with {of_recordings} updates and {cases} by chance with {}; {back} steps back, each with its reason",
            faults.len(),
            tally.updates - of_recordings
        ),
        passed,
    )
    .note(format!("{} updates said how long the rest takes.", tally.estimates))
    .list("reasons", reasons)
    .list("faults", faults))
}
