//! Unsafe code is in one module, and the crate around it has every other lint of the workspace.
//!
//! The workspace forbids unsafe code. `forbid` cannot be lifted for one module, so the crate that
//! needs one has its own lint table with `deny` instead. This job checks what the compiler then no
//! longer guarantees.

use anyhow::{Context, Result};

use super::source_files;
use crate::place::workspace_root;

/// The one module: what a child process does before it becomes the CLI.
const ALLOWED: &str = "crates/rusty_claw/src/transport/process_setup.rs";
const MANIFEST: &str = "crates/rusty_claw/Cargo.toml";
/// Put together, so that this file passes its own check.
const WORD: &str = concat!("un", "safe");
const LINT: &str = concat!("un", "safe_code");
const TABLES: &[&str] = &["rust", "clippy"];
const FORBIDDEN: &str = "unsafe_code = \"forbid\"";
const DENIED: &str = "unsafe_code = \"deny\"";

pub(crate) fn run() -> Result<()> {
    let is_checked = |name: &str| name != ALLOWED && name.ends_with(".rs");
    let finding = |line: &[u8]| is_unsafe(&String::from_utf8_lossy(line)).then_some("unsafe code");
    let read = |name: &str| {
        std::fs::read_to_string(workspace_root().join(name))
            .with_context(|| format!("cannot read {name}"))
    };
    let differences = differences(&read("Cargo.toml")?, &read(MANIFEST)?);
    source_files::check_lines(is_checked, finding, differences)
}

/// Returns whether a line has unsafe code, or allows it. Comments and strings that begin with the
/// word are ignored.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"');
    let words: Vec<&str> = code.split(|c: char| !is_part(c)).collect();
    let lifts = |word: &&str| ["allow", "expect", "warn"].contains(word);
    words.contains(&WORD) || words.contains(&LINT) && words.iter().any(lifts)
}

/// How the crate's lints differ from the workspace's, apart from the one line.
fn differences(workspace: &str, krate: &str) -> Vec<String> {
    let mut found = Vec::new();
    for table in TABLES {
        let wanted: Vec<&str> = lines(workspace, &format!("[workspace.lints.{table}]"))
            .into_iter()
            .map(|line| if line == FORBIDDEN { DENIED } else { line })
            .collect();
        let has = lines(krate, &format!("[lints.{table}]"));
        if wanted.is_empty() || wanted != has {
            found.push(format!(
                "{MANIFEST}: [lints.{table}] is not the workspace's with {DENIED}"
            ));
        }
    }
    if !workspace.lines().any(|line| line == FORBIDDEN) {
        found.push(format!(
            "Cargo.toml: the workspace does not contain {FORBIDDEN}"
        ));
    }
    found
}

/// The lines of a table, without comments.
fn lines<'a>(manifest: &'a str, header: &str) -> Vec<&'a str> {
    manifest
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != header)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_is_found_in_every_form() {
        let word = WORD;
        for code in [
            " { f() }",
            "{ f() }",
            " fn f() {",
            " impl Send for A {}",
            " extern \"C\" {",
            " trait A {}",
            "",
        ] {
            assert!(is_unsafe(&format!("    pub {word}{code}")), "{code}");
        }
        assert!(is_unsafe(&format!("#[{word}(no_mangle)]")));
        assert!(is_unsafe(&format!("#[allow({word}_code)]")));
        for harmless in [
            format!("/// This is {word} {{ really }}"),
            format!("\"{word}_path\""),
            format!("\"{word}\", \"{word} code\""),
            format!("{word}_code = \"deny\""),
            "let safe = 1;".to_owned(),
        ] {
            assert!(!is_unsafe(&harmless), "{harmless}");
        }
    }

    #[test]
    fn a_lint_table_that_differs_is_found() {
        let workspace = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\na = \"warn\"\n\n\
                         [workspace.lints.clippy]\nb = \"warn\"\n";
        let same = "[lints.rust]\n# why\nunsafe_code = \"deny\"\na = \"warn\"\n\
                    [lints.clippy]\nb = \"warn\"\n";
        assert_eq!(differences(workspace, same), Vec::<String>::new());
        for (from, to) in [
            ("a = \"warn\"", "a = \"allow\""),
            ("b = \"warn\"", ""),
            ("\"deny\"", "\"warn\""),
            ("[lints.clippy]", "[lints.other]"),
        ] {
            let other = same.replacen(from, to, 1);
            assert_eq!(differences(workspace, &other).len(), 1, "{other}");
        }
        let lax = workspace.replace("\"forbid\"", "\"deny\"");
        assert_eq!(differences(&lax, same).len(), 1);
    }
}
