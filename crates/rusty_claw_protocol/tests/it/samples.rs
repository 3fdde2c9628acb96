//! Generated samples of every declared type, and what must hold for each of them.

use std::collections::BTreeMap;
use std::path::Path;

use claw_testkit::figure::{Figure, record};
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::hook::{HookInput, HookOutput};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::wire::{Wire, read_all};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{control, tools};

/// One sample of a declared type.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Sample {
    /// The declared type.
    pub(crate) name: String,
    /// Whether it has all members, or the required ones only.
    pub(crate) variant: String,
    /// The request that an answer belongs to.
    pub(crate) subtype: Option<String>,
    /// The sample.
    pub(crate) value: Box<RawValue>,
}

/// The samples in one file of `testdata/types/samples`, by declared type.
pub(crate) fn samples(file: &str) -> BTreeMap<String, Vec<Sample>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/types/samples")
        .join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let mut samples: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for line in text.lines() {
        let sample: Sample = serde_json::from_str(line).expect("a line of samples is JSON");
        samples.entry(sample.name.clone()).or_default().push(sample);
    }
    assert!(!samples.is_empty(), "{} has no samples", path.display());
    samples
}

/// Reads a sample, and checks that every member has a field and is written again.
pub(crate) fn check<T: Wire + Serialize>(sample: &Sample) -> T {
    let text = sample.value.get();
    let at = format!("{} ({}): {text}", sample.name, sample.variant);
    let found = audit::<T>(text.as_bytes()).unwrap_or_else(|error| panic!("{at}: {error}"));
    assert_eq!(found.unread, [""; 0], "unread in {at}");
    assert_eq!(found.unknown, [], "unknown in {at}");
    assert_eq!(found.new_shapes, [""; 0], "new shapes in {at}");
    let value: T = read_all(text).unwrap_or_else(|error| panic!("{at}: {error}"));
    let written = serde_json::to_value(&value).unwrap_or_else(|error| panic!("{at}: {error}"));
    let expected: Value = serde_json::from_str(text).expect("a sample is JSON");
    assert!(same(&written, &expected), "{at}\nwas written as {written}");
    value
}

/// Equality of JSON values in which `7` equals `7.0`, as in JavaScript.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

/// Checks a sample of one file.
type Check = fn(&Sample);

/// The figure of `cargo xtask prove protocol --only samples`.
#[test]
fn every_sample_is_read_by_its_type_and_written_back() {
    // Each file with the least number of samples that it must have.
    let files: [(&str, usize, Check); 5] = [
        ("messages", 245, |sample| drop(check::<Message>(sample))),
        ("control_requests", 165, |sample| {
            drop(check::<Message>(sample));
        }),
        ("control_responses", 38, control::check_answer),
        ("hooks", 92, |sample| {
            if sample.name.ends_with("JSONOutput") {
                check::<HookOutput>(sample);
            } else {
                check::<HookInput>(sample);
            }
        }),
        ("tools", 93, tools::check_input),
    ];
    let mut checked = 0;
    let counts = files.map(|(file, least, check)| {
        let samples = samples(&format!("{file}.ndjson"));
        samples.values().flatten().for_each(check);
        let count = samples.values().map(Vec::len).sum::<usize>();
        assert!(count >= least, "only {count} of {least} samples of {file}");
        checked += count;
        format!("{count} {file}")
    });
    // A sample that fails ends the test.
    let figure = Figure::new(
        "generated samples from the type file, all fields and required only: failures / values lost",
        "0 / 0",
    );
    let figure = figure.measured(format!("0 / 0 ({checked} samples)"), true);
    record(
        "samples",
        vec![figure.note(format!("samples: {}", counts.join(", ")))],
    );
}
