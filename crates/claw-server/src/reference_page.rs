//! Pages of the reference, for tests that hold them to the code.

use std::path::Path;

/// A page below the folder of documents.
pub(crate) fn page(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let path = folder.join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The rows of the tables in the page's part about server mode, without their heads.
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

/// What the page about limits says of the one whose row begins so.
pub(crate) fn limit(what: &str) -> String {
    let rows = rows(&page("limits.md"));
    let mut of = rows.into_iter().filter(|row| row[0].starts_with(what));
    match (of.next(), of.next()) {
        (Some(row), None) => row[1].clone(),
        (None, _) => panic!("no row begins with {what:?}"),
        _ => panic!("several rows begin with {what:?}"),
    }
}

/// A number as the pages print it.
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
