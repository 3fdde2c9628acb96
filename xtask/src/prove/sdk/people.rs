//! Examples that run, and public items with a comment.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::ci::examples;
use crate::cli_package::workspace_root;
use crate::prove::figure::Figure;

/// The crates whose items a user of the SDK sees.
const CRATES: &[&str] = &["rusty_claw", "rusty_claw_protocol", "claw-transcript"];

pub(super) fn measure((): &()) -> Result<Vec<Figure>> {
    Ok(vec![documented()?, run_examples()?])
}

/// Runs every example without a key.
fn run_examples() -> Result<Figure> {
    let ran = examples::run_all()?;
    let passed = ran.with_cli >= 10 && ran.wrong.is_empty();
    Ok(Figure::new(
        "examples compiled and run without a key",
        "≥ 10, none wrong",
    )
    .measured(
        format!("{} run, {} wrong", ran.with_cli, ran.wrong.len()),
        passed,
    )
    .note(format!(
        "on the real CLI with a scripted model; {} of them also with its stand-in",
        ran.without
    ))
    .list("wrong", ran.wrong))
}

/// Counts public items with and without a comment.
///
/// Only nightly rustdoc prints its counts. Without nightly the lint decides: it names each item
/// without a comment, and does not count the others.
fn documented() -> Result<Figure> {
    let bar = Figure::new("public API: documented items", "100 %");
    let mut missing = Vec::new();
    for name in CRATES {
        missing.extend(undocumented(name)?);
    }
    let mut counted = String::new();
    let mut passed = missing.is_empty();
    if let Some((with, all)) = coverage()? {
        ensure!(all > 0, "rustdoc counts no item at all");
        passed &= with == all;
        counted = format!("{with} of {all}; ");
    }
    Ok(bar
        .measured(
            format!("{counted}{} without a comment", missing.len()),
            passed,
        )
        .note(format!("crates: {}", CRATES.join(", ")))
        .list("without a comment", missing))
}

/// Items without a comment, as the lint names them.
fn undocumented(package: &str) -> Result<Vec<String>> {
    // Cargo prints the warnings again if nothing has changed.
    let output = Command::new("cargo")
        .args(["rustdoc", "--locked", "--package", package])
        .args([
            "--message-format=short",
            "--",
            "--force-warn",
            "missing_docs",
        ])
        .current_dir(workspace_root())
        .output()
        .context("cargo rustdoc did not start")?;
    let output_text = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "cargo rustdoc ended with {}: {output_text}",
        output.status
    );
    ensure!(
        output_text.contains("Generated"),
        "cargo rustdoc documented nothing, so nothing was counted: {output_text}"
    );
    Ok(output_text
        .lines()
        .filter(|line| line.contains("missing documentation"))
        .map(str::to_owned)
        .collect())
}

/// Documented and all items of all crates, if nightly is installed.
fn coverage() -> Result<Option<(u64, u64)>> {
    let (mut with, mut all) = (0, 0);
    for package in CRATES {
        let output = Command::new("cargo")
            .args(["+nightly", "rustdoc", "--locked", "--package", package])
            .args(["--", "-Z", "unstable-options"])
            .args(["--show-coverage", "--output-format", "json"])
            .current_dir(workspace_root())
            .output();
        let Ok(output) = output else { return Ok(None) };
        if !output.status.success() {
            return Ok(None);
        }
        let files: std::collections::BTreeMap<String, Counts> =
            serde_json::from_slice(&output.stdout).context("cannot read rustdoc's counts")?;
        with += files.values().map(|counts| counts.with_docs).sum::<u64>();
        all += files.values().map(|counts| counts.total).sum::<u64>();
    }
    Ok(Some((with, all)))
}

#[derive(serde::Deserialize)]
struct Counts {
    total: u64,
    with_docs: u64,
}
