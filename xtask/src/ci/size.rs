//! The size budget of source files.

use anyhow::{Result, bail};

use super::source_files;

/// Longer files are listed.
const NUDGE: usize = 400;
/// Longer files fail the job.
const WALL: usize = 800;
const EXTENSIONS: &[&str] = &[".rs", ".ts", ".tsx", ".mjs"];
/// The mark near the top of a generated file.
const GENERATED: &str = concat!("@", "generated");
const LINES_SEARCHED_FOR_MARK: usize = 5;

pub(crate) fn run() -> Result<()> {
    let (mut checked, mut too_long) = (0, Vec::new());
    for file in source_files::all()? {
        if !is_budgeted(&file.name) {
            continue;
        }
        let Some(bytes) = file.read()? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if is_generated(&text) {
            continue;
        }
        checked += 1;
        let lines = text.lines().count();
        if lines > WALL {
            too_long.push(format!(
                "{}: {lines} lines, at most {WALL}: split it",
                file.name
            ));
        } else if lines >= NUDGE {
            println!("nudge: {} has {lines} lines: think of a split", file.name);
        }
    }
    println!("{checked} files checked, {} too long", too_long.len());
    if !too_long.is_empty() {
        bail!("{}", too_long.join("\n"));
    }
    Ok(())
}

/// Tests may be longer.
fn is_budgeted(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let is_test = name.split('/').any(|folder| folder == "tests")
        || file == "tests.rs"
        || file.contains(".test.")
        || file.contains(".spec.");
    EXTENSIONS.iter().any(|extension| file.ends_with(extension)) && !is_test
}

fn is_generated(text: &str) -> bool {
    text.lines()
        .take(LINES_SEARCHED_FOR_MARK)
        .any(|line| line.contains(GENERATED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_a_budget_and_tests_and_prose_have_none() {
        for name in [
            "xtask/src/ci.rs",
            "web/src/app.tsx",
            "web/vite.config.mjs",
            "testset.rs",
        ] {
            assert!(is_budgeted(name), "{name}");
        }
        for name in [
            "a/tests/it/main.rs",
            "a/src/b/tests.rs",
            "web/src/a.test.ts",
            "README.md",
        ] {
            assert!(!is_budgeted(name), "{name}");
        }
    }

    #[test]
    fn the_mark_counts_only_near_the_top() {
        assert!(is_generated(&format!(
            "//! Types.\n// {GENERATED} by xtask\n"
        )));
        assert!(!is_generated(&format!(
            "{}// {GENERATED}\n",
            "\n".repeat(5)
        )));
    }
}
