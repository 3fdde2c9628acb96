//! The Rust examples of the server document stand in doc tests, as printed. The proof looks, too.

use std::path::{Path, PathBuf};

/// The visible lines of the doc tests below a folder, one list for each, without empty lines.
fn doc_tests(folder: &Path, tests: &mut Vec<Vec<String>>) -> Result<(), String> {
    for path in children(folder)? {
        if path.is_dir() {
            doc_tests(&path, tests)?;
            continue;
        }
        let mut open: Option<Vec<String>> = None;
        for line in read(&path)?.lines() {
            let line = line.trim_start();
            let Some(said) = line
                .strip_prefix("///")
                .or_else(|| line.strip_prefix("//!"))
            else {
                continue;
            };
            let said = said.strip_prefix(' ').unwrap_or(said);
            match &mut open {
                None if said == "```" => open = Some(Vec::new()),
                Some(_) if said == "```" => tests.extend(open.take()),
                Some(lines) if !is_hidden(said) && !said.is_empty() => lines.push(said.to_owned()),
                _ => {}
            }
        }
    }
    Ok(())
}

fn is_hidden(line: &str) -> bool {
    line == "#" || line.starts_with("# ")
}

/// How many examples the document has, and those that no doc test of the crate shows as printed.
pub(crate) fn missing(root: &Path) -> Result<(usize, Vec<String>), String> {
    let mut tests = Vec::new();
    doc_tests(&root.join("crates/claw-server/src"), &mut tests)?;
    let examples = children(&root.join("testdata/documents/003/examples"))?;
    let mut missing = Vec::new();
    for path in &examples {
        let text = read(path)?;
        let wanted: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let shows = |test: &Vec<String>| test.windows(wanted.len()).any(|shown| shown == wanted);
        if wanted.is_empty() || !tests.iter().any(shows) {
            missing.push(path.display().to_string());
        }
    }
    Ok((examples.len(), missing))
}

fn children(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| error.to_string())?.path());
    }
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}
