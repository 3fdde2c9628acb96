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

/// Who judges, and how the four figures are called then.
const JUDGES: [(By, [&str; 4]); 2] = [
    (
        By::Rules,
        [
            "shell rules: hostile commands that a rule allows",
            "shell rules: commands that a rule means, and allows",
            "path rules: traversal, links, case, `..`, missing files, normalisation: wrongly allowed",
            "path rules: paths that a rule means, and allows",
        ],
    ),
    (
        By::Policy,
        [
            "a policy of the SDK with the same rules: hostile commands that it allows",
            "a policy of the SDK with the same rules: commands that are meant, and allowed",
            "a policy of the SDK with the same rules: paths that it wrongly allows",
            "a policy of the SDK with the same rules: paths that are meant, and allowed",
        ],
    ),
];

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let testdata = inputs.root.join("testdata");
    let mut figures = Vec::new();
    for (by, [bad_commands, good_commands, bad_paths, good_paths]) in JUDGES {
        let judged = hostile_commands(&testdata, by);
        figures.push(hostile(bad_commands, "0 of ≥ 150", judged, HOSTILE_CASES));
        let judged = benign_commands(&testdata, by);
        figures.push(benign(
            good_commands,
            "≥ 95 % of ≥ 60",
            judged,
            BENIGN_CASES,
        ));
        figures.push(hostile(bad_paths, "0", hostile_paths(&testdata, by), 1));
        figures.push(benign(good_paths, "told", benign_paths(&testdata, by), 1));
    }
    Ok(figures)
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
