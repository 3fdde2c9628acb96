//! Helpers for the tests of the pattern tables.

use super::ProgressParser;
use super::form::Form;
use crate::progress::{ProgressKind, ProgressState, ProseProgress, TextOrigin};

/// `kind done/total percent state`, with a dash for missing values.
pub(super) fn short(update: Option<&ProseProgress>) -> String {
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

pub(super) fn read(text: &str, origin: TextOrigin) -> String {
    short(ProgressParser::new().parse(text, origin).as_ref())
}

/// Texts and their expected updates.
pub(super) fn check(cases: &[(&str, &str)], origin: TextOrigin) {
    for (text, want) in cases {
        assert_eq!(read(text, origin), *want, "{text:?}");
    }
}

/// A row, a text whose last line matches it, and the expected update.
pub(super) type Case = (&'static str, &'static str, &'static str);

/// Checks that each row has at least one text, and that this row matches it.
pub(super) fn check_rows(
    rows: &[Form],
    cases: &[Case],
    origin: TextOrigin,
    row_of: impl Fn(&str) -> Option<&'static str>,
) {
    for row in rows {
        let has_text = cases.iter().any(|(name, ..)| *name == row.name);
        assert!(has_text, "{} has no test", row.name);
    }
    for (name, text, want) in cases {
        let found = text.lines().filter_map(&row_of).last();
        assert_eq!(found, Some(*name), "{text:?}");
        assert_eq!(read(text, origin), *want, "{text:?}");
    }
}

#[test]
fn last_update_wins_and_whole_wins_over_parts() {
    check(
        &[
            (
                "Processed 150/1000 records\nProcessed 300/1000 records\n",
                "count 300/1000 - running",
            ),
            (
                "⠙ Preparing packages... (31/58)\nnumpy   ------- 8.20 MiB/17.30 MiB\n",
                "count 31/58 - running",
            ),
            (
                "Epoch 3/10\n 412/1563 ━━━━━━━ 6s 6ms/step - loss: 1.1\n",
                "step 3/10 - running",
            ),
            (
                "(12/37) installing libfoo   [######################] 100%",
                "count 12/37 - running",
            ),
            (
                "\r10% building\r67% sealing\r92% emitting",
                "percent -/- 92 running",
            ),
        ],
        TextOrigin::ToolOutput,
    );
}

#[test]
fn unclear_text_reports_nothing() {
    check(
        &[
            ("", "nothing"),
            // The unit differs.
            ("Downloading [==>   ] 512 kB/1.2 GB", "nothing"),
            // Two shares.
            (
                "45% [12 libfoo 120 kB/312 kB 38%]  2,100 kB/s 4s",
                "nothing",
            ),
            // A later counter has no known form.
            (
                "Deploying 2 of 3 services...\nDeployed 3 of 3 services.",
                "nothing",
            ),
            // Done is higher than the total.
            ("[12/4] CC foo.o", "nothing"),
        ],
        TextOrigin::ToolOutput,
    );
}
