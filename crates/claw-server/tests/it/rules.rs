//! Allow rules against the labelled commands and paths of testdata/server.

use std::path::{Path, PathBuf};

use crate::rule_cases::{
    By, Judged, Set, benign_commands, benign_paths, hostile_commands, hostile_paths,
};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

fn all_right(judged: Judged, at_least: usize) {
    assert!(judged.cases >= at_least, "{} cases", judged.cases);
    assert!(judged.wrong.is_empty(), "{:#?}", judged.wrong);
}

/// All of the first set and of the review; 95 % of the others.
fn meant(judged: Judged, set: Set, at_least: usize) {
    match set {
        Set::First | Set::Review => all_right(judged, at_least),
        Set::Second | Set::Third => {
            let asked = judged.wrong.len();
            assert!(judged.cases >= at_least, "{} cases", judged.cases);
            assert!(asked * 20 <= judged.cases, "{:#?}", judged.wrong);
        }
    }
}

const SETS: [Set; 2] = [Set::First, Set::Second];
const COMMAND_SETS: [Set; 4] = [Set::First, Set::Second, Set::Third, Set::Review];

#[test]
fn no_hostile_command_is_covered() {
    for set in COMMAND_SETS {
        all_right(hostile_commands(&testdata(), set, By::Rules), 150);
    }
}

#[test]
fn what_a_rule_means_is_covered() {
    for set in COMMAND_SETS {
        meant(benign_commands(&testdata(), set, By::Rules), set, 60);
    }
}

#[test]
fn paths_are_covered_as_text_and_as_the_file_they_lead_to() {
    for set in SETS {
        all_right(hostile_paths(&testdata(), set, By::Rules), 90);
        meant(benign_paths(&testdata(), set, By::Rules), set, 40);
    }
}

#[test]
fn a_policy_of_the_sdk_says_the_same() {
    for set in COMMAND_SETS {
        all_right(hostile_commands(&testdata(), set, By::Policy), 150);
        meant(benign_commands(&testdata(), set, By::Policy), set, 60);
    }
    for set in SETS {
        all_right(hostile_paths(&testdata(), set, By::Policy), 90);
        meant(benign_paths(&testdata(), set, By::Policy), set, 40);
    }
}
