use std::sync::Arc;

use rusty_claw_protocol::messages::Message;
use serde::Deserialize;

use super::*;
use crate::recordings;
use crate::session::TurnReport;

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Answer {
    /// One word.
    answer: String,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Order {
    items: Vec<Item>,
    note: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
struct Item {
    name: String,
    count: u8,
}

#[derive(Debug, Deserialize, JsonSchema, PartialEq)]
enum Tree {
    Leaf(i32),
    Pair(Box<Tree>, Box<Tree>),
}

/// The outcome of the one prompt of a recording.
fn recorded(scenario: &str) -> TurnOutcome {
    let messages = recordings::messages(scenario, "stdout.ndjson").into_iter();
    let mut results = messages.filter_map(|received| match received.message {
        Message::Result(result) => Some(result),
        _ => None,
    });
    outcome(results.next().expect("a result"))
}

fn outcome(result: ResultMessage) -> TurnOutcome {
    let failed = result.is_error();
    let report = TurnReport {
        result: Some(Arc::new(result)),
        ..TurnReport::default()
    };
    if failed {
        TurnOutcome::Failed(report)
    } else {
        TurnOutcome::Succeeded(report)
    }
}

/// A result with this structured output.
fn answered(structured: &str) -> TurnOutcome {
    let line = format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"result":"","structured_output":{structured}}}"#
    );
    let Ok(Message::Result(result)) = Message::from_json(&line) else {
        panic!("a result");
    };
    outcome(result)
}

#[test]
fn schemas_are_objects_without_a_dialect() {
    let schemas = [
        Shape::of::<Order>(),
        Shape::of::<Vec<u8>>(),
        Shape::of::<Tree>(),
    ];
    let table: Vec<String> = schemas
        .iter()
        .map(|shape| format!("{:#}", shape.schema))
        .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn recorded_answers_are_read() {
    let shape = Shape::of::<Answer>();
    for scenario in ["res_structured_ok", "res_structured_retry"] {
        let read: Answer = answer(&shape, recorded(scenario)).expect("an answer");
        assert!(!read.answer.is_empty(), "{scenario}");
    }
    let never = answer::<Answer>(&shape, recorded("res_structured_never_called"));
    assert!(
        matches!(&never, Err(QueryAsError::OnlyText { text }) if text == "Still no."),
        "{never:?}"
    );
    let exhausted = answer::<Answer>(&shape, recorded("res_structured_exhausted"));
    assert!(
        matches!(&exhausted, Err(QueryAsError::GaveUp { error }) if error.contains("after 5 attempts")),
        "{exhausted:?}"
    );
    let failed = answer::<Answer>(&shape, recorded("err_403"));
    assert!(
        matches!(failed, Err(QueryAsError::NotAnswered(_))),
        "{failed:?}"
    );
}

#[test]
fn a_prompt_without_a_result_is_no_free_text() {
    let outcome = TurnOutcome::Succeeded(TurnReport::without_result("no result"));
    let error = answer::<Answer>(&Shape::of::<Answer>(), outcome);
    assert!(
        matches!(error, Err(QueryAsError::NotAnswered(_))),
        "{error:?}"
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let shape = Shape::of::<Order>();
    let outcome = answered(r#"{"items":[{"name":"tea","count":1},{"name":"jam","count":900}]}"#);
    let error = answer::<Order>(&shape, outcome).expect_err("900 is no u8");
    insta::assert_snapshot!(error, @r#"the answer does not fit the type at `items[1].count`: invalid value: integer `900`, expected u8 at line 1 column 60; the schema allows what the type does not take; the answer was {"items":[{"name":"tea","count":1},{"name":"jam","count":900}]}"#);
}

#[test]
fn what_is_no_object_travels_in_one() {
    let numbers: Vec<u8> =
        answer(&Shape::of::<Vec<u8>>(), answered(r#"{"value":[1,2]}"#)).expect("numbers");
    assert_eq!(numbers, [1, 2]);
    let tree: Tree = answer(
        &Shape::of::<Tree>(),
        answered(r#"{"value":{"Pair":[{"Leaf":1},{"Leaf":2}]}}"#),
    )
    .expect("a tree");
    assert_eq!(
        tree,
        Tree::Pair(Box::new(Tree::Leaf(1)), Box::new(Tree::Leaf(2)))
    );
    let missing = answer::<Vec<u8>>(&Shape::of::<Vec<u8>>(), answered("{}"));
    assert!(
        matches!(missing, Err(QueryAsError::DoesNotFit { .. })),
        "{missing:?}"
    );
}
