//! Generated samples of every declared type, and what must hold for each of them.

use std::collections::BTreeMap;
use std::path::Path;

use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::wire::{Wire, read_all};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One sample of a declared type.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Sample {
    /// The declared type.
    pub(crate) name: String,
    /// Whether it has all members, or the required ones only.
    pub(crate) variant: String,
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

/// Reads a sample, and checks that every member found its field and comes back when written.
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

/// Equality of JSON values that does not tell `7` from `7.0`, as JavaScript does not.
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
