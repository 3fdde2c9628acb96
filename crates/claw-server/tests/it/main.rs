//! The messages of the server, from outside.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[macro_use]
#[path = "../common/assertions.rs"]
mod assertions;
mod batch_screen;
mod batches;
mod controller;
mod documents;
mod facts;
#[path = "../common/front_end.rs"]
mod front_end;
mod generator;
mod laws;
mod many_open;
mod messages;
mod outcomes;
#[path = "../common/phone.rs"]
mod phone;
mod played;
mod progress;
mod progress_any_text;
mod progress_laws;
mod progress_score;
mod progress_state;
mod progress_streams;
mod progress_texts;
mod projections;
mod random;
mod reconnecting;
mod reconnects;
mod recorded;
mod resumability;
mod rule_cases;
mod rules;
mod snapshot_serde;

use std::path::{Path, PathBuf};

use claw_testkit::figure::quick;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A file or folder below `testdata/`.
fn testdata(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("testdata").join(path)
}

/// Whether `cargo xtask prove server` measures at full size.
fn is_full() -> bool {
    !quick()
}

/// The number of generated sessions that laws are checked on. A plain test has a time limit.
fn cases() -> u64 {
    if is_full() { 10_000 } else { 300 }
}
/// The JSON of a value, after a check that reading it returns the value: from text, and from a
/// tree, for programs that look into messages before they type them.
fn json_of<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> String {
    let text = serde_json::to_string(value).expect("a message can be written");
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value);
    let tree = serde_json::to_value(value).expect("a message can be a tree");
    assert_eq!(&serde_json::from_value::<T>(tree).unwrap(), value);
    text
}

/// The rows of a table, whose cells are separated by bars.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.trim().lines().map(|row| {
        let cells: Vec<&str> = row.splitn(N, '|').map(str::trim).collect();
        cells.try_into().unwrap_or_else(|_| panic!("{row}"))
    })
}
