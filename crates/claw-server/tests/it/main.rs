//! The messages of the server, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod batches;
mod controller;
mod document_examples;
mod documents;
mod events;
mod facts;
mod generator;
mod input;
mod laws;
mod many_open;
mod mobile;
mod more_events;
mod names;
mod outcomes;
mod progress;
mod progress_any_text;
mod progress_laws;
mod progress_score;
mod progress_state;
mod progress_streams;
mod progress_texts;
mod projections;
mod put_away;
mod random;
mod reconnecting;
mod reconnects;
mod recorded;
mod rule_cases;
mod rules;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The JSON of a value, after a check that reading it gives the value back: from text, and from
/// a tree, as a program has it that looks into messages before it types them.
fn json_of<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("a message can be written");
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value);
    let tree = serde_json::to_value(value).expect("a message can be a tree");
    assert_eq!(&serde_json::from_value::<T>(tree).unwrap(), value);
    text
}
