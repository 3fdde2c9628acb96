//! The cost of the first program in the README: packages, time to build, size.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use claw_testkit::figure::Figure;

use crate::cli_package::workspace_root;

const PACKAGES: usize = 50;
const SECONDS: f64 = 80.0;
const MEGABYTES: f64 = 6.0;

pub(super) fn measure() -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    write(folder.path())?;
    let tree = cargo(
        folder.path(),
        &["tree", "--prefix=none", "--edges=normal,build"],
    )?;
    let packages: std::collections::BTreeSet<&str> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| !line.is_empty())
        .collect();
    // Downloads are not part of the build.
    cargo(folder.path(), &["fetch"])?;
    let before = children_seconds()?;
    cargo(folder.path(), &["build"])?;
    let seconds = children_seconds()? - before;
    cargo(
        folder.path(),
        &[
            "build",
            "--release",
            "--config",
            "profile.release.strip=true",
        ],
    )?;
    let binary = folder.path().join("target/release/first");
    let megabytes = std::fs::metadata(binary)?.len() as f64 / 1e6;
    Ok(vec![
        Figure::new("first program: packages", format!("≤ {PACKAGES}"))
            .measured(packages.len().to_string(), packages.len() <= PACKAGES),
        Figure::new(
            "first program: CPU seconds of a clean debug build",
            format!("≤ {SECONDS} s"),
        )
        .measured(format!("{seconds:.0} s"), seconds <= SECONDS),
        Figure::new(
            "first program: stripped release binary",
            format!("≤ {MEGABYTES} MB"),
        )
        .measured(format!("{megabytes:.1} MB"), megabytes <= MEGABYTES),
    ])
}

/// Writes a package with the first program of the README.
fn write(folder: &Path) -> Result<()> {
    let root = workspace_root();
    let readme = std::fs::read_to_string(root.join("README.md"))?;
    let program = readme
        .split_once("```rust,no_run\n")
        .and_then(|(_, rest)| rest.split_once("```"))
        .context("the README has no program")?
        .0;
    let library = root.join("crates/rusty_claw");
    let manifest = format!(
        "[package]\nname = \"first\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         rusty_claw = {{ path = {library:?} }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt-multi-thread\"] }}\n\n[workspace]\n"
    );
    std::fs::create_dir(folder.join("src"))?;
    std::fs::write(folder.join("src/main.rs"), program)?;
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

fn cargo(folder: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("cargo")
        .args(arguments)
        .arg("--quiet")
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("CARGO_INCREMENTAL")
        .output()
        .context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "cargo {} failed:\n{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The time on the processor of all child processes so far.
fn children_seconds() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat
        .rsplit_once(')')
        .context("/proc/self/stat is unusual")?
        .1;
    let fields: Vec<f64> = after_name
        .split_whitespace()
        .filter_map(|field| field.parse().ok())
        .collect();
    // The first field after the name is a letter, which is left out: cutime and cstime are the
    // 16th and 17th of all.
    let (user, system) = fields
        .get(12)
        .zip(fields.get(13))
        .context("/proc/self/stat is short")?;
    const TICKS_PER_SECOND: f64 = 100.0;
    Ok((user + system) / TICKS_PER_SECOND)
}
