//! Cases of tests: files with one JSON object in each line.

use std::path::Path;

use serde_json::Value;

/// The cases of a file in `testdata/server`, which must be `count`: a file that was cut fails.
pub(super) fn read(folder: &str, name: &str, count: usize) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/server")
        .join(folder)
        .join(name)
        .with_extension("jsonl");
    let cases = std::fs::read_to_string(path).expect("a file of cases");
    assert_eq!(cases.lines().count(), count, "cases of {name}");
    let cases = cases.lines().map(serde_json::from_str);
    cases.map(|case| case.expect("JSON")).collect()
}

/// The text of a member.
pub(super) fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name]
        .as_str()
        .unwrap_or_else(|| panic!("{name} in {case}"))
}
