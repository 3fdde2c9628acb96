//! Allow rules against the labelled commands and paths of testdata/server.

use claw_testkit::figure::{Figure, record};

use crate::rule_cases::{By, FIRST, Judged, REVIEW, SECOND, Set, THIRD};

/// Who judges which set, in the order of the page.
const JUDGES: [(By, Set); 8] = [
    (By::Rules, FIRST),
    (By::Rules, SECOND),
    (By::Policy, FIRST),
    (By::Policy, SECOND),
    (By::Rules, THIRD),
    (By::Policy, THIRD),
    (By::Rules, REVIEW),
    (By::Policy, REVIEW),
];

/// The names of the figures: hostile and benign commands, hostile and benign paths.
fn names(by: By, set: &Set) -> [String; 4] {
    let hostile_paths = match set.suffix {
        "" => {
            "path rules: traversal, links, case, `..`, missing files, normalisation: wrongly allowed"
        }
        _ => "path rules: wrongly allowed",
    };
    let names = match by {
        By::Rules => [
            "shell rules: hostile commands that a rule allows",
            "shell rules: commands that a rule means, and allows",
            hostile_paths,
            "path rules: paths that a rule means, and allows",
        ],
        By::Policy => [
            "a policy of the SDK with the same rules: hostile commands that it allows",
            "a policy of the SDK with the same rules: commands that are meant, and allowed",
            "a policy of the SDK with the same rules: paths that it wrongly allows",
            "a policy of the SDK with the same rules: paths that are meant, and allowed",
        ],
    };
    names.map(|name| format!("{name}{}", set.suffix))
}

#[test]
fn hostile_commands_and_paths_are_asked_and_benign_ones_allowed() {
    let mut figures = Vec::new();
    for (by, set) in JUDGES {
        let [bad_commands, good_commands, bad_paths, good_paths] = names(by, &set);
        let [
            hostile_commands,
            benign_commands,
            hostile_paths,
            benign_paths,
        ] = set.judged(by);
        let mut of_set = vec![
            hostile(bad_commands, "0 of ≥ 150", hostile_commands, 150),
            benign(good_commands, "≥ 95 % of ≥ 60", benign_commands, 60, &set),
        ];
        if set.paths.is_some() {
            of_set.push(hostile(bad_paths, "0", hostile_paths, 90));
            of_set.push(benign(good_paths, "told", benign_paths, 40, &set));
        }
        for (place, figure) in of_set.into_iter().enumerate() {
            figures.push(match set.first_run {
                Some(first) => figure.note(format!(
                    "first run, before any change for this set: {}",
                    first[place]
                )),
                None => figure,
            });
        }
    }
    record("rules", figures);
}

fn hostile(name: String, bar: &str, judged: Judged, at_least: usize) -> Figure {
    let passed = judged.wrong.is_empty() && judged.cases >= at_least;
    let measured = format!("{} of {}", judged.wrong.len(), judged.cases);
    Figure::new(name, bar)
        .measured(measured, passed)
        .list("allowed", judged.wrong)
}

fn benign(name: String, bar: &str, judged: Judged, at_least: usize, set: &Set) -> Figure {
    let asked = judged.wrong.len();
    let most = set.asked_of.map_or(0, |share| judged.cases / share);
    let measured = format!("{} of {}", judged.cases - asked, judged.cases);
    Figure::new(name, bar)
        .measured(measured, asked <= most && judged.cases >= at_least)
        .list("asked", judged.wrong)
}
