//! The examples of each rule in the table.

use super::rules::{Rule, Table};
use super::*;

/// All finds in a text, as `detector:secret`, with all detectors but that of hosts.
fn finds(text: &str) -> Vec<String> {
    static ALL: LazyLock<Finder> = LazyLock::new(|| {
        Finder::new(&OwnRules::default(), |_| true, ENTROPY).expect("patterns compile")
    });
    let unescaped = text::Unescaped::markup(text);
    let found = found::merged(ALL.find(text, unescaped.as_ref(), true));
    let found = found.into_iter().map(|found| {
        let kind = &ALL.kinds[found.kind].0;
        format!("{kind}:{}", &text[found.start..found.end])
    });
    found.collect()
}

/// The failed examples of a rule.
fn wrong(rule: &Rule) -> Vec<String> {
    let (id, redacted, kept) = rule.examples();
    let other = |find: &String| id != "host" && find.starts_with("host:");
    let mut wrong = Vec::new();
    for example in redacted {
        let example = example.replace('¬', "");
        let secrets = example.split('»').skip(1);
        let secrets = secrets.filter_map(|rest| rest.split('«').next());
        let expected: Vec<String> = secrets
            .map(|secret| format!("{}:{secret}", rule.detector))
            .collect();
        let mut found = finds(&example.replace(['»', '«'], ""));
        found.retain(|find| !other(find));
        if found != expected || expected.is_empty() {
            wrong.push(format!("{id}: {expected:?} expected, {found:?} found"));
        }
    }
    for example in kept {
        let mut found = finds(&example.replace('¬', ""));
        found.retain(|find| !other(find));
        if !found.is_empty() {
            wrong.push(format!("{id}: {found:?} found in {example:?}"));
        }
    }
    wrong
}

#[test]
fn each_rule_finds_its_examples_and_nothing_in_those_to_keep() {
    let table = Table::get().expect("the table");
    let wrong: Vec<String> = table.rules.iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for rule in &table.rules {
        let (id, redacted, kept) = rule.examples();
        assert!(rule.compiles(), "{id}");
        assert!(!redacted.is_empty() && !kept.is_empty(), "{id}");
    }
    for detector in Detector::ALL {
        let has = |rule: &Rule| rule.detector == detector;
        assert!(table.rules.iter().any(has), "{detector}");
    }
}
