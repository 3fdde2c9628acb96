//! The recorded streams whose progress was labelled by hand. The proof scores them, too.

use std::collections::BTreeMap;
use std::path::Path;

use claw_server::event::{Fact, ProgressUpdate};
use serde::Deserialize;

use super::recorded::{self, Item, Session};

/// The sources that are read from text. They may report nothing, so their recall has no bar.
pub(crate) const READ: [&str; 2] = ["Prose", "ToolOutput"];

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
pub(crate) struct Counts {
    pub(crate) expected: usize,
    pub(crate) found: usize,
    pub(crate) right: usize,
}

impl Counts {
    pub(crate) fn precision(self) -> f64 {
        share(self.right, self.found)
    }

    pub(crate) fn recall(self) -> f64 {
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
pub(crate) struct Score {
    pub(crate) streams: usize,
    /// Those that report progress at all.
    pub(crate) with_progress: usize,
    pub(crate) sources: BTreeMap<String, Counts>,
    pub(crate) faults: Vec<String>,
}

/// Reads the labelled recordings of the repository, and compares.
pub(crate) fn score(root: &Path) -> Result<Score, String> {
    let path = root.join("testdata/server/progress/streams.jsonl");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut score = Score::default();
    for line in text.lines() {
        let label: Label =
            serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?;
        let session = recorded::one(root, &label.recording)?;
        compare(root, &label, &session, &mut score)?;
    }
    Ok(score)
}

fn compare(root: &Path, label: &Label, session: &Session, score: &mut Score) -> Result<(), String> {
    let places = places(root, &label.recording)?;
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
        let update = serde_json::to_string(update).map_err(|error| error.to_string())?;
        score.faults.push(format!(
            "{}: not expected at {place:?}: {update}",
            label.recording
        ));
    }
    Ok(())
}

impl Expected {
    /// Whether an update says this. What a label does not have is not compared, but for numbers
    /// that are no share and for reasons.
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
fn places(root: &Path, recording: &str) -> Result<Vec<Option<Place>>, String> {
    let exchange = recorded::exchange(&root.join("testdata/cli/2.1.325").join(recording))?;
    let mut places = vec![None];
    let mut line = 0;
    for (is_cli, count) in exchange {
        for _ in 0..count {
            places.push(is_cli.then_some(Place::Line(line)));
            line += usize::from(is_cli);
        }
    }
    places.push(Some(end()));
    Ok(places)
}
