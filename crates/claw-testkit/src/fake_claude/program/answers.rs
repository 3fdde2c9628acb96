//! Answers and members that are the same in every run.

use serde_json::Value;

/// The CLI version that the program reports.
pub(super) const VERSION: &str = "2.1.325";

/// Members of frames, and under `control` the answers to control requests by their subtype. A
/// member of `null` may be set by the caller; an answer of `null` has no payload.
const ANSWERS: &str = include_str!("../../../data/fake_claude_answers.json");

/// A value of this name.
pub(super) fn of(name: &str) -> Value {
    let mut answers: Value = serde_json::from_str(ANSWERS).unwrap_or_default();
    answers[name].take()
}

/// The answer to a control request, if it is a known one.
pub(super) fn to_request(subtype: &str) -> Option<Value> {
    of("control").get_mut(subtype).map(Value::take)
}
