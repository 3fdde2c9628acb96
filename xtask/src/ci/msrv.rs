//! Checks that the declared Rust version builds the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::process::Cmd;
use super::tools;

/// Timeout for installing the toolchain.
const INSTALL: Duration = Duration::from_secs(60);

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    rust_version: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Edge>,
}

#[derive(Deserialize)]
struct Edge {
    pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
}

pub(crate) fn run() -> Result<()> {
    let metadata: Metadata = Cmd::cargo_metadata(&["--locked", "--all-features"])?;
    let declared = declared(&metadata)?;
    let (checked, too_new) = too_new(&metadata, &declared)?;
    println!("done: all members declare Rust {declared}");
    if !too_new.is_empty() {
        bail!("{}", too_new.join("\n"));
    }
    println!("done: none of the {checked} crates below the members of the workspace declares more");
    println!("done elsewhere: clippy::incompatible_msrv looks for newer std items (job clippy)");

    if tools::has_toolchain(&declared) || can_install(&declared) {
        check_with(&declared)?;
        println!("done: cargo check with the toolchain {declared} itself");
    } else {
        println!(
            "NOT done: cargo check with Rust {declared}, which cannot be installed on this machine;"
        );
        println!("          only the checks above ran (see CONTRIBUTING.md)");
    }
    Ok(())
}

/// Installs the toolchain, if there are rustup and a network.
fn can_install(toolchain: &str) -> bool {
    let install = Cmd::new("rustup")
        .args(["toolchain", "install", toolchain, "--profile", "minimal"])
        .run_within(INSTALL);
    match install {
        Ok(()) => true,
        Err(error) => {
            println!("{error:#}");
            false
        }
    }
}

fn check_with(toolchain: &str) -> Result<()> {
    Cmd::cargo()
        .args([
            &format!("+{toolchain}"),
            "check",
            "--workspace",
            "--all-features",
            "--locked",
        ])
        // In its own folder, so that a switch of compilers does not rebuild everything.
        .args(["--target-dir", "target/msrv"])
        .env("CARGO_INCREMENTAL", "0")
        .run()
}

/// The one version that every member declares.
fn declared(metadata: &Metadata) -> Result<String> {
    let members = metadata
        .packages
        .iter()
        .filter(|p| metadata.workspace_members.contains(&p.id));
    let mut versions = BTreeSet::new();
    for member in members {
        let version = member.rust_version.clone();
        versions.insert(version.with_context(|| {
            format!(
                "{} declares no rust-version: write `rust-version.workspace = true`",
                member.name
            )
        })?);
    }
    ensure!(
        versions.len() == 1,
        "members declare different Rust versions: {versions:?}"
    );
    versions.pop_first().context("the workspace has no members")
}

/// How many crates are below the members, themselves included, and which of them need a newer Rust.
fn too_new(metadata: &Metadata, declared: &str) -> Result<(usize, Vec<String>)> {
    let limit = parse(declared)?;
    let packages: BTreeMap<&str, &Package> = metadata
        .packages
        .iter()
        .map(|package| (package.id.as_str(), package))
        .collect();
    let nodes: BTreeMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node))
        .collect();

    // With the tools, which are built with the same Rust.
    let mut open: Vec<&str> = metadata
        .workspace_members
        .iter()
        .map(String::as_str)
        .collect();

    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages
            .get(id)
            .with_context(|| format!("{id} is not in the metadata"))?;
        if let Some(needs) = &package.rust_version
            && parse(needs)? > limit
        {
            let Package { name, version, .. } = package;
            wrong.push(format!(
                "{name} {version} needs Rust {needs}, we declare {declared}"
            ));
        }
        let node = nodes
            .get(id)
            .with_context(|| format!("{id} is not resolved"))?;
        let built = node.deps.iter().filter(|edge| {
            edge.dep_kinds
                .iter()
                .any(|kind| kind.kind.as_deref() != Some("dev"))
        });
        open.extend(built.map(|edge| edge.pkg.as_str()));
    }
    Ok((seen.len(), wrong))
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

    /// Our crate `ours` with one dependency of the given kind that needs Rust 1.90.
    fn metadata(kind: &str) -> Metadata {
        let text = format!(
            r#"{{"workspace_members": ["a"],
                "packages": [
                  {{"id": "a", "name": "ours", "version": "1.0.0", "rust_version": "1.89"}},
                  {{"id": "b", "name": "dep", "version": "2.0.0", "rust_version": "1.90.0"}}],
                "resolve": {{"nodes": [
                  {{"id": "a", "deps": [{{"pkg": "b", "dep_kinds": [{{"kind": {kind}}}]}}]}},
                  {{"id": "b", "deps": []}}]}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_dependency_that_needs_more_is_named() {
        for kind in ["null", "\"build\""] {
            let (_, wrong) = too_new(&metadata(kind), "1.89").unwrap();
            assert_eq!(wrong, ["dep 2.0.0 needs Rust 1.90.0, we declare 1.89"]);
        }
        assert_eq!(too_new(&metadata("null"), "1.90").unwrap(), (2, vec![]));
    }

    #[test]
    fn what_only_tests_use_may_need_more() {
        assert_eq!(too_new(&metadata("\"dev\""), "1.89").unwrap(), (1, vec![]));
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
