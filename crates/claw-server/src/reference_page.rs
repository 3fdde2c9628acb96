//! Reference pages, for tests that compare them with the code.

use std::path::Path;

pub(crate) fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let path = folder.join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The rows of all tables in the section about server mode, including headers.
pub(crate) fn rows(page: &str) -> Vec<Vec<String>> {
    let part = page.split("\n## Server mode\n").nth(1);
    let part = part.and_then(|behind| behind.split("\n## ").next());
    let lines = part.expect("a part about server mode").lines();
    let cells = lines.filter(|line| line.starts_with("| ")).map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_owned()).collect()
    });
    cells.collect()
}

/// The value of the one row in the limits page that begins with `what`.
pub(crate) fn limit(what: &str) -> String {
    let rows = rows(&page("limits.md"));
    let mut of = rows.into_iter().filter(|row| row[0].starts_with(what));
    match (of.next(), of.next()) {
        (Some(row), None) => row[1].clone(),
        (None, _) => panic!("no row begins with {what:?}"),
        _ => panic!("several rows begin with {what:?}"),
    }
}

pub(crate) fn number(number: usize) -> String {
    match number / 1000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1000),
    }
}

#[test]
fn numbers_are_printed_as_people_read_them() {
    assert_eq!(number(500), "500");
    assert_eq!(number(1024), "1,024");
}
