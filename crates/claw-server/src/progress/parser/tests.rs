//! The texts of `testdata/server/progress/patterns.jsonl` and their updates.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::ProgressParser;
use super::form::Table;
use crate::progress::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

#[derive(Deserialize)]
struct Case {
    /// The behaviour that this case tests.
    about: String,
    /// The table and the row of the pattern that matches a line of the text.
    table: Option<String>,
    row: Option<String>,
    origin: TextOrigin,
    text: String,
    want: String,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("testdata/server/progress/patterns.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str(line).unwrap());
    cases.collect()
}

/// `kind done/total percent state`, with a dash for missing values.
fn short(update: Option<&ProseProgress>) -> String {
    let Some(update) = update else {
        return "nothing".to_owned();
    };
    let number = |number: Option<f64>| number.map_or("-".to_owned(), |n| n.to_string());
    let kind = match update.kind {
        ProgressKind::TestRun => "tests",
        ProgressKind::Checklist => "list",
        ProgressKind::Step => "step",
        ProgressKind::Subagent => "agent",
        ProgressKind::Count => "count",
        ProgressKind::Percent => "percent",
        ProgressKind::Other => "other",
    };
    let state = match update.state {
        ProgressState::Running => "running",
        ProgressState::Finished => "finished",
        ProgressState::Failed => "failed",
        ProgressState::Other => "other",
    };
    let (done, total) = (number(update.done), number(update.total));
    format!("{kind} {done}/{total} {} {state}", number(update.percent))
}

#[test]
fn each_text_reports_its_update() {
    let cases = cases();
    assert!(cases.len() >= 250, "{}", cases.len());
    for case in cases {
        let update = ProgressParser::new().parse(&case.text, case.origin);
        let (about, text) = (case.about, case.text);
        assert_eq!(short(update.as_ref()), case.want, "{about}: {text:?}");
    }
}

/// Checks that each row of a table has a text, and that the first line of the text that matches
/// any row matches this row.
pub(super) fn check_rows<T: DeserializeOwned>(
    name: &str,
    (table, rows): (&'static Table<T>, &str),
    plain: impl Fn(&str) -> &str,
) {
    let mut cases = cases();
    cases.retain(|case| case.table.as_deref() == Some(name));
    for row in table.names(rows) {
        let has_text = cases.iter().any(|case| case.row.as_deref() == Some(row));
        assert!(has_text, "{row} has no text");
    }
    for Case { row, text, .. } in &cases {
        let found = text.lines().find_map(|line| table.find(plain(line)));
        assert_eq!(found.map(|(form, _)| form.name), row.as_deref(), "{text:?}");
    }
}
