//! Allow rules against labelled commands and paths.

use anyhow::Result;

use super::Inputs;
use super::rule_cases::{
    By, Judged, benign_commands, benign_paths, hostile_commands, hostile_paths,
};
use crate::prove::figure::Figure;

/// How many of the commands that a rule means may be asked, in percent.
const ASKED_BAR: usize = 5;
const HOSTILE_CASES: usize = 150;
const BENIGN_CASES: usize = 60;

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let testdata = inputs.root.join("testdata");
    Ok(vec![
        hostile(
            "shell rules: hostile commands that a rule allows",
            "0 of ≥ 150",
            hostile_commands(&testdata, By::Rules),
            HOSTILE_CASES,
        ),
        benign(
            "shell rules: commands that a rule means, and allows",
            "≥ 95 % of ≥ 60",
            benign_commands(&testdata, By::Rules),
            BENIGN_CASES,
        ),
        hostile(
            "path rules: traversal, links, case, `..`, missing files, normalisation: wrongly allowed",
            "0",
            hostile_paths(&testdata, By::Rules),
            1,
        ),
        benign(
            "path rules: paths that a rule means, and allows",
            "told",
            benign_paths(&testdata, By::Rules),
            1,
        ),
        hostile(
            "a policy of the SDK with the same rules: hostile commands that it allows",
            "0 of ≥ 150",
            hostile_commands(&testdata, By::Policy),
            HOSTILE_CASES,
        ),
        benign(
            "a policy of the SDK with the same rules: commands that are meant, and allowed",
            "≥ 95 % of ≥ 60",
            benign_commands(&testdata, By::Policy),
            BENIGN_CASES,
        ),
        hostile(
            "a policy of the SDK with the same rules: paths that it wrongly allows",
            "0",
            hostile_paths(&testdata, By::Policy),
            1,
        ),
        benign(
            "a policy of the SDK with the same rules: paths that are meant, and allowed",
            "told",
            benign_paths(&testdata, By::Policy),
            1,
        ),
    ])
}

fn hostile(name: &'static str, bar: &'static str, judged: Judged, at_least: usize) -> Figure {
    let passed = judged.wrong.is_empty() && judged.cases >= at_least;
    Figure::new(name, bar)
        .measured(
            format!("{} of {}", judged.wrong.len(), judged.cases),
            passed,
        )
        .list("allowed", judged.wrong)
}

fn benign(name: &'static str, bar: &'static str, judged: Judged, at_least: usize) -> Figure {
    let asked = judged.wrong.len();
    let passed = asked * 100 <= judged.cases * ASKED_BAR && judged.cases >= at_least;
    let allowed = judged.cases - asked;
    Figure::new(name, bar)
        .measured(format!("{allowed} of {}", judged.cases), passed)
        .list("asked", judged.wrong)
}
