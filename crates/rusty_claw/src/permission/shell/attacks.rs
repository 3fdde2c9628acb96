//! Attacks beyond the labelled commands of `testdata/server/shell`: each test checks the cases of a
//! file with its name in `testdata/server/shell/attacks`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::super::rules::{AllowRules, Coverage};
use super::super::test_cases::{self, text};
use super::PathContext;

/// Creates the files and links of a case in a folder.
fn create_tree(tree: &Value, top: &Path) {
    let path = |name: &str| {
        let path = top.join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        path
    };
    for file in tree["files"].as_array().into_iter().flatten() {
        fs::write(path(file.as_str().expect("a name")), "").expect("a file");
    }
    for (file, content) in tree["texts"].as_object().into_iter().flatten() {
        fs::write(path(file), content.as_str().expect("a text")).expect("a file");
    }
    #[cfg(unix)]
    for (link, target) in tree["links"].as_object().into_iter().flatten() {
        let target = target.as_str().expect("a target");
        std::os::unix::fs::symlink(target, path(link)).expect("a link");
    }
}

/// Checks that a command is judged as its case expects: `ask` or `allow`.
fn check_case(case: &Value) -> Result<(), String> {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    create_tree(&case["tree"], &top);
    let rules = case["rules"].as_array().expect("rules").iter();
    let rules = rules.map(|rule| rule.as_str().expect("a rule"));
    let command = text(case, "command").replace("FOLDER", &top.display().to_string());
    let coverage = AllowRules::read(rules).command_in(&command, &PathContext::new(top));
    match (text(case, "expect"), coverage) {
        ("ask", Coverage::Ask { .. }) | ("allow", Coverage::Covered) => Ok(()),
        (_, coverage) => Err(format!("{coverage:?}: {case}")),
    }
}

fn check_file(name: &str, count: usize) {
    let mut cases = test_cases::read("shell/attacks", name, count);
    // Cases with links need a system that has them.
    cases.retain(|case| cfg!(unix) || case["tree"]["links"].is_null());
    let wrong = cases.iter().map(check_case).filter_map(Result::err);
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_file_of_cases_has_a_test() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../testdata/server/shell/attacks"
    );
    for file in fs::read_dir(folder).expect("a folder") {
        let name = file
            .expect("a file")
            .file_name()
            .into_string()
            .expect("text");
        let test = format!("fn {}()", name.trim_end_matches(".jsonl"));
        assert!(include_str!("attacks.rs").contains(&test), "{name}");
    }
}

#[test]
fn the_shell_does_nothing_besides() {
    check_file("the_shell_does_nothing_besides", 194);
}

#[test]
fn what_comes_through_a_pipe_is_no_code() {
    check_file("what_comes_through_a_pipe_is_no_code", 38);
}

#[test]
fn a_folder_is_not_left_for_another() {
    check_file("a_folder_is_not_left_for_another", 20);
}

#[test]
fn what_is_meant_stays_allowed() {
    check_file("what_is_meant_stays_allowed", 54);
}

#[test]
fn a_setting_is_only_shown() {
    check_file("a_setting_is_only_shown", 17);
}

#[test]
fn the_next_line_stands_in_the_folder_of_the_session() {
    check_file("the_next_line_stands_in_the_folder_of_the_session", 14);
}

#[test]
fn links_and_folders_decide_what_is_written() {
    check_file("links_and_folders_decide_what_is_written", 58);
}

#[test]
fn files_that_a_line_changes_are_not_looked_at_again() {
    check_file("files_that_a_line_changes_are_not_looked_at_again", 18);
}

#[test]
fn a_file_of_ignored_names_is_read_as_git_reads_it() {
    check_file("a_file_of_ignored_names_is_read_as_git_reads_it", 13);
}

#[test]
fn addresses_are_those_that_the_rule_means() {
    check_file("addresses_are_those_that_the_rule_means", 31);
}

#[test]
fn git_stays_in_the_repository_of_the_session() {
    check_file("git_stays_in_the_repository_of_the_session", 58);
}

#[test]
fn git_does_not_discard_work() {
    check_file("git_does_not_discard_work", 61);
}

#[test]
fn files_decide_what_words_of_git_mean() {
    check_file("files_decide_what_words_of_git_mean", 25);
}

#[test]
fn options_run_write_and_choose_nothing() {
    check_file("options_run_write_and_choose_nothing", 254);
}

#[test]
fn what_is_written_stays_in_the_project_and_runs_nothing_later() {
    check_file(
        "what_is_written_stays_in_the_project_and_runs_nothing_later",
        50,
    );
}

#[test]
fn links_are_followed_before_something_is_written() {
    check_file("links_are_followed_before_something_is_written", 7);
}

#[test]
fn code_and_settings_come_from_the_project() {
    check_file("code_and_settings_come_from_the_project", 32);
}

#[test]
fn programs_that_run_others_run_what_the_rule_names() {
    check_file("programs_that_run_others_run_what_the_rule_names", 151);
}

#[test]
fn an_order_that_shows_does_no_more() {
    check_file("an_order_that_shows_does_no_more", 33);
}

#[test]
fn a_build_does_what_its_rule_names() {
    check_file("a_build_does_what_its_rule_names", 26);
}

#[test]
fn what_is_installed_comes_from_the_registry() {
    check_file("what_is_installed_comes_from_the_registry", 38);
}

#[test]
fn what_is_fetched_is_judged_as_what_it_is() {
    check_file("what_is_fetched_is_judged_as_what_it_is", 24);
}

#[test]
fn a_program_of_awk_only_prints() {
    check_file("a_program_of_awk_only_prints", 16);
}

#[test]
fn two_dots_behind_a_brace_are_text_unless_one_more_follows() {
    check_file(
        "two_dots_behind_a_brace_are_text_unless_one_more_follows",
        9,
    );
}

#[test]
fn an_unknown_program_is_given_only_the_words_of_its_rule() {
    check_file("an_unknown_program_is_given_only_the_words_of_its_rule", 99);
}

#[test]
fn the_paths_of_git_add_share_one_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let top = folder.path().canonicalize().expect("a folder");
    for name in ["a", "b"] {
        fs::create_dir(top.join(name)).expect("a folder");
        for number in 0..14_000 {
            fs::File::create(top.join(name).join(number.to_string())).expect("a file");
        }
    }
    let rules = AllowRules::read(["Bash(git add:*)"]);
    let around = PathContext::new(&top);
    assert!(rules.command_in("git add a", &around).is_covered());
    assert!(rules.command_in("git add b", &around).is_covered());
    assert!(!rules.command_in("git add a b", &around).is_covered());
}

#[test]
fn without_a_folder_what_depends_on_files_is_asked() {
    for (rule, command) in [
        ("git add", "git add -A"),
        ("git checkout", "git checkout main"),
        ("git push", "git push evil main"),
        ("cp", "cp a /home/me/b"),
        ("cp", "cp a ../b"),
        ("cp", "cp a src/b"),
        ("cd", "cd src"),
    ] {
        let rules = AllowRules::read([format!("Bash({rule}:*)")]);
        assert!(!rules.command(command).is_covered(), "{command}");
    }
    let rules = AllowRules::read(["Bash(git push:*)"]);
    assert!(rules.command("git push origin main").is_covered());
}
