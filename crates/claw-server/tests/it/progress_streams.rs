//! The progress of recorded streams, some labelled by hand, and of generated sessions.

use std::collections::BTreeMap;

use claw_server::event::{Fact, ProgressUpdate};
use claw_testkit::figure::{Figure, record};
use serde::Deserialize;

use crate::progress_laws::{Tally, goes_on};
use crate::recorded::{self, Item, Session};
use crate::{cases, generator, testdata};

/// The number of labelled streams with progress.
const STREAMS: usize = 40;
/// The sources that are read from text. They may report nothing, so their recall has no bar.
const READ: [&str; 2] = ["Prose", "ToolOutput"];

/// What a careful reader takes from a recording.
#[derive(Debug, Deserialize)]
struct Label {
    recording: String,
    expect: Vec<Expected>,
}

/// One update, and the line of the CLI that it follows from.
#[derive(Debug, Deserialize)]
struct Expected {
    line: Place,
    lane: String,
    source: String,
    kind: String,
    state: String,
    done: Option<f64>,
    total: Option<f64>,
    percent: Option<f64>,
    tool_uses: Option<u64>,
    elapsed_ms: Option<u64>,
    regression: Option<String>,
}

/// A line of the CLI, from 0 on, or the end of its process.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Place {
    Line(usize),
    End(String),
}

/// How many updates there are, and how many of them are right.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    expected: usize,
    found: usize,
    right: usize,
}

impl Counts {
    fn precision(self) -> f64 {
        share(self.right, self.found)
    }

    fn recall(self) -> f64 {
        share(self.right, self.expected)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    part as f64 / whole as f64
}

/// How the streams were read.
#[derive(Debug, Default)]
struct Score {
    streams: usize,
    /// Those that report progress at all.
    with_progress: usize,
    sources: BTreeMap<String, Counts>,
    faults: Vec<String>,
}

#[test]
fn progress_is_that_of_the_labels_and_goes_back_for_a_reason_only() {
    record("streams", vec![labelled_streams(), steps_back()]);
}

fn labelled_streams() -> Figure {
    let score = score();
    let (mut precision, mut recall): (f64, f64) = (1.0, 1.0);
    let mut rows = Vec::new();
    for (source, counts) in &score.sources {
        precision = precision.min(counts.precision());
        if !READ.contains(&source.as_str()) {
            recall = recall.min(counts.recall());
        }
        rows.push(format!(
            "{source}: precision {:.3}, recall {:.3} ({} of {} found are right, {} expected)",
            counts.precision(),
            counts.recall(),
            counts.right,
            counts.found,
            counts.expected
        ));
    }
    Figure::new(
        "progress: 40 recorded streams, labelled by hand before the tracker was run on them",
        "precision ≥ 0.97 per source; recall ≥ 0.9 per source that is not text",
    )
    .measured(
        format!(
            "precision {precision:.3} in the worst of {} sources, recall {recall:.3} in the worst that is not text; {} streams with progress, {} without",
            rows.len(),
            score.with_progress,
            score.streams - score.with_progress
        ),
        score.with_progress >= STREAMS && precision >= 0.97 && recall >= 0.9,
    )
    .note("An update is right when line, lane, source, kind, state, numbers and reason are those of the label.")
    .note("Prose and tool output are a fallback that stays silent where it is not sure: their recall is printed and has no bar.")
    .list("by source", rows)
    .list("faults", score.faults)
}

fn steps_back() -> Figure {
    let cases = cases();
    let mut tally = Tally::default();
    let mut faults = Vec::new();
    let sessions = recorded::all();
    for Session { name, items } in &sessions {
        if let Err(fault) = goes_on(items, &mut tally) {
            faults.push(format!("{name}: {fault}"));
        }
    }
    let of_recordings = tally.updates;
    for seed in 0..cases {
        if let Err(fault) = goes_on(&generator::session(seed), &mut tally) {
            faults.push(format!("seed {seed}: {fault}"));
        }
    }
    assert!(
        tally.estimates > cases / 50 && tally.reasons.len() >= 7,
        "{tally:?}"
    );
    let back: u64 = tally.reasons.values().sum();
    let passed = faults.is_empty() && of_recordings > 200 && back > cases / 10;
    let reasons = tally.reasons.iter();
    let reasons = reasons.map(|(reason, count)| format!("{reason}: {count}"));
    Figure::new(
        "progress: steps backwards without a reason, over all recorded streams and sessions by chance",
        "0",
    )
    .measured(
        format!(
            "{} sessions at fault, of {} recorded with {of_recordings} updates and {cases} by chance with {}; {back} steps back, each with its reason",
            faults.len(),
            sessions.len(),
            tally.updates - of_recordings
        ),
        passed,
    )
    .note(format!("{} updates said how long the rest takes.", tally.estimates))
    .list("reasons", reasons)
    .list("faults", faults)
}

/// Compares the labelled recordings.
fn score() -> Score {
    let text = std::fs::read_to_string(testdata("server/progress/streams.jsonl")).unwrap();
    let mut score = Score::default();
    for line in text.lines() {
        let label: Label = serde_json::from_str(line).unwrap();
        compare(&label, &recorded::one(&label.recording), &mut score);
    }
    score
}

fn compare(label: &Label, session: &Session, score: &mut Score) {
    let places = places(&label.recording);
    let mut found: Vec<(Place, &ProgressUpdate)> = Vec::new();
    for item in &session.items {
        if let Item::Event(event) = item
            && let Fact::Progress(update) = &event.fact
        {
            let at = usize::try_from(event.at_ms).unwrap_or_default();
            let place = places.get(at).cloned().flatten();
            found.push((place.unwrap_or_else(end), update));
        }
    }
    score.streams += 1;
    score.with_progress += usize::from(!label.expect.is_empty());
    for (_, update) in &found {
        let source = update.source.as_str().to_owned();
        score.sources.entry(source).or_default().found += 1;
    }
    for expected in &label.expect {
        let counts = score.sources.entry(expected.source.clone()).or_default();
        counts.expected += 1;
        let right = found
            .iter()
            .position(|(place, update)| *place == expected.line && expected.is(update));
        match right {
            Some(index) => {
                counts.right += 1;
                found.remove(index);
            }
            None => score
                .faults
                .push(format!("{}: not found: {expected:?}", label.recording)),
        }
    }
    for (place, update) in found {
        let update = serde_json::to_string(update).unwrap();
        score.faults.push(format!(
            "{}: not expected at {place:?}: {update}",
            label.recording
        ));
    }
}

impl Expected {
    /// Returns whether an update matches this label. Members that the label does not have are not
    /// compared, except for `done`, `total` and the regression.
    fn is(&self, update: &ProgressUpdate) -> bool {
        let number = |amount: Option<claw_server::event::Amount>| amount.map(|amount| amount.get());
        let regression = update.regression.as_ref().map(|reason| reason.as_str());
        update.lane.id() == self.lane
            && update.source.as_str() == self.source
            && update.kind.as_str() == self.kind
            && update.state.as_str() == self.state
            && number(update.done) == self.done
            && number(update.total) == self.total
            && (self.percent.is_none() || number(update.percent) == self.percent)
            && (self.tool_uses.is_none() || update.tool_uses == self.tool_uses)
            && (self.elapsed_ms.is_none() || update.elapsed_ms == self.elapsed_ms)
            && regression == self.regression.as_deref()
    }
}

fn end() -> Place {
    Place::End("end".to_owned())
}

/// Which line of the CLI is at which time of a recording, where time counts the lines of both
/// sides.
fn places(recording: &str) -> Vec<Option<Place>> {
    let exchange = recorded::exchange(recording);
    let mut places = vec![None];
    let mut line = 0;
    for (is_cli, count) in exchange {
        for _ in 0..count {
            places.push(is_cli.then_some(Place::Line(line)));
            line += usize::from(is_cli);
        }
    }
    places.push(Some(end()));
    places
}
