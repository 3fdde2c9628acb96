//! Allow rules against labelled commands and paths.

use anyhow::Result;

use super::Inputs;
use super::rule_cases::{
    By, Judged, Set, benign_commands, benign_paths, hostile_commands, hostile_paths,
};
use crate::prove::figure::Figure;

/// How many of the commands that a rule means may be asked, in percent.
const ASKED_BAR: usize = 5;
const HOSTILE_CASES: usize = 150;
const BENIGN_CASES: usize = 60;

/// Sets without paths, and the names of their figures.
const COMMANDS_ONLY: [(By, Set, [&str; 2]); 4] = [
    (
        By::Rules,
        Set::Third,
        [
            "shell rules: hostile commands that a rule allows, third set",
            "shell rules: commands that a rule means, and allows, third set",
        ],
    ),
    (
        By::Policy,
        Set::Third,
        [
            "a policy of the SDK with the same rules: hostile commands that it allows, third set",
            "a policy of the SDK with the same rules: commands that are meant, and allowed, third set",
        ],
    ),
    (
        By::Rules,
        Set::Review,
        [
            "shell rules: hostile commands that a rule allows, review",
            "shell rules: commands that a rule means, and allows, review",
        ],
    ),
    (
        By::Policy,
        Set::Review,
        [
            "a policy of the SDK with the same rules: hostile commands that it allows, review",
            "a policy of the SDK with the same rules: commands that are meant, and allowed, review",
        ],
    ),
];

/// The results of the first run of the third set.
const FIRST_RUN_OF_THIRD: [&str; 2] = [
    "first run, before any change for this set: 63 of 994 allowed",
    "first run, before any change for this set: 151 of 177 allowed",
];

/// Who judges which set, and how the four figures are called then.
const JUDGES: [(By, Set, [&str; 4]); 4] = [
    (
        By::Rules,
        Set::First,
        [
            "shell rules: hostile commands that a rule allows",
            "shell rules: commands that a rule means, and allows",
            "path rules: traversal, links, case, `..`, missing files, normalisation: wrongly allowed",
            "path rules: paths that a rule means, and allows",
        ],
    ),
    (
        By::Rules,
        Set::Second,
        [
            "shell rules: hostile commands that a rule allows, second set",
            "shell rules: commands that a rule means, and allows, second set",
            "path rules: wrongly allowed, second set",
            "path rules: paths that a rule means, and allows, second set",
        ],
    ),
    (
        By::Policy,
        Set::First,
        [
            "a policy of the SDK with the same rules: hostile commands that it allows",
            "a policy of the SDK with the same rules: commands that are meant, and allowed",
            "a policy of the SDK with the same rules: paths that it wrongly allows",
            "a policy of the SDK with the same rules: paths that are meant, and allowed",
        ],
    ),
    (
        By::Policy,
        Set::Second,
        [
            "a policy of the SDK with the same rules: hostile commands that it allows, second set",
            "a policy of the SDK with the same rules: commands that are meant, and allowed, second set",
            "a policy of the SDK with the same rules: paths that it wrongly allows, second set",
            "a policy of the SDK with the same rules: paths that are meant, and allowed, second set",
        ],
    ),
];

/// What the second set, written by somebody who had not seen the code, gave when it was first run,
/// before anything was changed for it: in the order of the figures.
const FIRST_RUN: [&str; 4] = [
    "first run, before any change for this set: 2 of 891 allowed (u227, u402)",
    "first run, before any change for this set: 136 of 156 allowed",
    "first run, before any change for this set: 0 of 99 allowed",
    "first run, before any change for this set: 43 of 45 allowed (not q087, q101)",
];

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let testdata = inputs.root.join("testdata");
    let mut figures = Vec::new();
    for (by, set, [bad_commands, good_commands, bad_paths, good_paths]) in JUDGES {
        let judged = hostile_commands(&testdata, set, by);
        let bad_commands = hostile(bad_commands, "0 of ≥ 150", judged, HOSTILE_CASES);
        let judged = benign_commands(&testdata, set, by);
        let good_commands = benign(good_commands, "≥ 95 % of ≥ 60", judged, BENIGN_CASES);
        let bad_paths = hostile(bad_paths, "0", hostile_paths(&testdata, set, by), 1);
        let good_paths = benign(good_paths, "told", benign_paths(&testdata, set, by), 1);
        let four = [bad_commands, good_commands, bad_paths, good_paths];
        figures.extend(
            four.into_iter()
                .zip(FIRST_RUN)
                .map(|(figure, first_run)| match set {
                    Set::Second => figure.note(first_run),
                    _ => figure,
                }),
        );
    }
    for (by, set, [bad, good]) in COMMANDS_ONLY {
        let judged = hostile_commands(&testdata, set, by);
        let bad = hostile(bad, "0 of ≥ 150", judged, HOSTILE_CASES);
        let judged = benign_commands(&testdata, set, by);
        let good = benign(good, "≥ 95 % of ≥ 60", judged, BENIGN_CASES);
        let two = [bad, good].into_iter().zip(FIRST_RUN_OF_THIRD);
        figures.extend(two.map(|(figure, first_run)| match set {
            Set::Third => figure.note(first_run),
            _ => figure,
        }));
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
