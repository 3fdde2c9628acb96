//! The doc tests of `messages` are the examples of the message document, but for three edits.

use std::collections::BTreeSet;
use std::path::Path;

/// The visible lines of the Rust code blocks in a page, one list for each block.
fn code_blocks(page: &str) -> Vec<Vec<String>> {
    let mut blocks = Vec::new();
    let mut open = None;
    for line in page.lines() {
        match (&mut open, line) {
            (None, "```rust") => open = Some(Vec::new()),
            (Some(_), "```") => blocks.extend(open.take()),
            (Some(lines), line) if line != "#" && !line.starts_with("# ") => {
                lines.push(line.to_owned());
            }
            _ => {}
        }
    }
    blocks
}

/// Takes back the two edits that change a line.
fn unedited(line: &str) -> String {
    line.replace("input.value()", "input")
        .replace(", .. }", " }")
        .replace(" { .. } =>", " =>")
}

#[test]
fn the_examples_differ_from_the_document_by_three_edits_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = ["parsing", "matching"]
        .map(|page| std::fs::read_to_string(root.join(format!("src/docs/{page}.md"))).unwrap());
    let shown: Vec<_> = pages.iter().flat_map(|page| code_blocks(page)).collect();
    let names = [
        "parse_line",
        "parse_stream",
        "load_fixtures",
        "handle_message",
        "extract_tool_calls",
    ];
    assert_eq!(shown.len(), names.len());
    let mut edits = BTreeSet::new();
    for (name, shown) in names.into_iter().zip(shown) {
        let path = format!("../../testdata/documents/000/examples/{name}.rs.txt");
        let document = std::fs::read_to_string(root.join(path)).unwrap();
        let mut expected = document.lines().filter(|line| !line.is_empty());
        for line in shown.iter().filter(|line| !line.is_empty()) {
            if line.trim() == "_ => {}" {
                edits.insert("catch-all arm");
                continue;
            }
            let printed = expected.next();
            if printed == Some(line) {
                continue;
            }
            // Patterns that had `..` already stay as they are, so both sides are taken back.
            assert_eq!(
                Some(unedited(line)),
                printed.map(unedited),
                "in the example {name}"
            );
            edits.insert(if line.contains("input.value()") {
                "accessor"
            } else {
                "two dots"
            });
        }
        assert_eq!(expected.next(), None, "{name} lost its end");
    }
    assert_eq!(
        edits,
        BTreeSet::from(["accessor", "catch-all arm", "two dots"])
    );
}
