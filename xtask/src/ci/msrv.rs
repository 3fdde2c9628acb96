//! Checks that the declared Rust version builds the workspace.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::job::NotRun;
use super::process::Cmd;
use super::tools;

/// The version that the workspace declares, and so this crate.
const DECLARED: &str = env!("CARGO_PKG_RUST_VERSION");
/// Timeout for installing the toolchain.
const INSTALL: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    rust_version: Option<String>,
}

pub(crate) fn run() -> Result<()> {
    let Metadata { packages } = Cmd::cargo_metadata(&["--locked", "--all-features"])?;
    let too_new = too_new(&packages, DECLARED)?;
    ensure!(too_new.is_empty(), "{}", too_new.join("\n"));
    let count = packages.len();
    println!("done: none of the {count} packages declares more than Rust {DECLARED}");
    println!("done elsewhere: clippy::incompatible_msrv looks for newer std items (job clippy)");

    let is_workflow = std::env::var_os("GITHUB_ACTIONS").is_some();
    if !tools::has_toolchain(DECLARED) && !can_install() && !is_workflow {
        let why = format!("a compile with Rust {DECLARED}, which cannot be installed");
        return Err(NotRun(why).into());
    }
    check()?;
    println!("done: cargo check with the toolchain {DECLARED} itself");
    Ok(())
}

/// Installs the toolchain, if there are rustup and a network.
fn can_install() -> bool {
    let install = Cmd::new("rustup")
        .args(["toolchain", "install", DECLARED, "--profile", "minimal"])
        .run_within(INSTALL);
    install.inspect_err(|error| println!("{error:#}")).is_ok()
}

fn check() -> Result<()> {
    Cmd::cargo()
        .arg(format!("+{DECLARED}"))
        .args(["check", "--workspace", "--all-features", "--locked"])
        // In its own folder, so that a switch of compilers does not rebuild everything.
        .args(["--target-dir", "target/msrv"])
        .env("CARGO_INCREMENTAL", "0")
        .run()
}

/// The packages that need a newer Rust than the declared one, also those that only tests use.
fn too_new(packages: &[Package], declared: &str) -> Result<Vec<String>> {
    let limit = parse(declared)?;
    let mut wrong = Vec::new();
    for package in packages {
        let Package { name, version, .. } = package;
        if let Some(needs) = &package.rust_version
            && parse(needs)? > limit
        {
            wrong.push(format!(
                "{name} {version} needs Rust {needs}, we declare {declared}"
            ));
        }
    }
    Ok(wrong)
}

fn parse(version: &str) -> Result<[u32; 3]> {
    let mut parts = [0; 3];
    for (part, text) in parts.iter_mut().zip(version.split('.')) {
        *part = text
            .parse()
            .with_context(|| format!("`{version}` is not a Rust version"))?;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_needs_more_is_named() {
        let packages: Vec<Package> = serde_json::from_str(
            r#"[{"name": "ours", "version": "1.0.0", "rust_version": "1.89"},
                {"name": "dep", "version": "2.0.0", "rust_version": "1.90.0"},
                {"name": "old", "version": "3.0.0", "rust_version": null}]"#,
        )
        .unwrap();
        let wrong = too_new(&packages, "1.89").unwrap();
        assert_eq!(wrong, ["dep 2.0.0 needs Rust 1.90.0, we declare 1.89"]);
        assert!(too_new(&packages, "1.90").unwrap().is_empty());
    }

    /// Without a toolchain of that age, the lint is what finds newer items of std: it must be on,
    /// for every member, with the version that we declare.
    #[test]
    fn the_lint_for_newer_std_items_is_on_everywhere() {
        let root = crate::place::workspace_root();
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        let section = |name: &str| {
            let (_, rest) = manifest.split_once(&format!("[{name}]\n")).unwrap();
            rest.split("\n[").next().unwrap().to_owned()
        };
        let lints = section("workspace.lints.clippy");
        assert!(
            lints
                .lines()
                .any(|line| line == "incompatible_msrv = \"warn\"")
        );
        let package = section("workspace.package");
        assert!(
            package
                .lines()
                .any(|line| line == "rust-version = \"1.89\"")
        );

        let crates = std::fs::read_dir(root.join("crates")).unwrap();
        let members = crates
            .map(|entry| entry.unwrap().path())
            .chain(["xtask", "proofs", "bench"].map(|member| root.join(member)));
        for member in members {
            let text = std::fs::read_to_string(member.join("Cargo.toml")).unwrap();
            // A crate may write the lints out; the job `unsafe` checks that they are the same.
            let own = text
                .lines()
                .any(|line| line == "incompatible_msrv = \"warn\"");
            assert!(
                own || text.contains("[lints]\nworkspace = true"),
                "{}",
                member.display()
            );
            assert!(
                text.contains("rust-version.workspace = true"),
                "{}",
                member.display()
            );
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(parse("1.100").unwrap() > parse("1.89.5").unwrap());
        assert!(parse("one").is_err());
    }
}
