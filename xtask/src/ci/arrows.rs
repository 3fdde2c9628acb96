//! Checks the dependencies between crates that ARCHITECTURE.md describes.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde::Deserialize;

use super::process::Cmd;

/// Every crate of the design, in the order of the design: what it may name in its manifest, what it
/// must not depend on, directly or not, with any features, and what must not be below it unless a
/// user turns a feature on. Dev-dependencies do not count.
///
/// A row whose crate does not exist yet applies once it does. A crate without a row fails the job,
/// so that each new crate gets one.
const CRATES: &str = include_str!("arrows.tsv");

/// A row of [`CRATES`].
#[derive(Debug, Clone, Copy)]
struct CrateRules<'a> {
    name: &'a str,
    may_use: &'a str,
    never: &'a str,
    not_by_default: &'a str,
}

/// The rules of a crate.
fn rules_of<'a>(table: &'a str, name: &str) -> Option<CrateRules<'a>> {
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    let mut rows = rows.map(|row| row.split('\t').collect::<Vec<_>>());
    rows.find_map(|row| match row[..] {
        [found, may_use, never, not_by_default] if found == name => Some(CrateRules {
            name: found,
            may_use,
            never,
            not_by_default,
        }),
        _ => None,
    })
}

/// Tools of this repository, which may use everything.
const UNBOUND: &[&str] = &["proofs", "claw-bench"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// Nothing for a normal dependency, else `dev` or `build`.
    kind: Option<String>,
}

pub(crate) fn run() -> Result<()> {
    let metadata: Metadata = Cmd::cargo_metadata(&["--no-deps", "--locked"])?;
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();

    let mut wrong = Vec::new();
    for package in &metadata.packages {
        if UNBOUND.contains(&package.name.as_str()) {
            continue;
        }
        let Some(rules) = rules_of(CRATES, &package.name) else {
            wrong.push(format!(
                "{} has no row in xtask/src/ci/arrows.tsv: add one",
                package.name
            ));
            continue;
        };
        wrong.extend(wrong_direct(&rules, package, &ours));
        let all = tree(rules.name, &["--all-features"])?;
        wrong.extend(wrong_below(&rules, rules.never, &all, "must not be below"));
        let default = tree(rules.name, &[])?;
        wrong.extend(wrong_below(
            &rules,
            rules.not_by_default,
            &default,
            "needs a feature below",
        ));
        println!("{}: {} crates below", rules.name, all.len() - 1);
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    Ok(())
}

/// Crates of ours in the manifest that the rules do not allow.
fn wrong_direct(rules: &CrateRules<'_>, package: &Package, ours: &BTreeSet<&str>) -> Vec<String> {
    let dependencies = package.dependencies.iter().filter(|dependency| {
        dependency.kind.as_deref() != Some("dev") && ours.contains(dependency.name.as_str())
    });
    dependencies
        .map(|dependency| dependency.name.as_str())
        .filter(|name| !rules.may_use.split(' ').any(|may| may == *name))
        .map(|name| format!("{} must not depend on {name}", rules.name))
        .collect()
}

fn wrong_below(
    rules: &CrateRules<'_>,
    forbidden: &str,
    tree: &BTreeSet<String>,
    how: &str,
) -> Vec<String> {
    let found = forbidden.split(' ').filter(|name| tree.contains(*name));
    found
        .map(|name| {
            let ask = format!(
                "cargo tree -p {} -e normal,build --target all -i {name}",
                rules.name
            );
            format!("{name} {how} {}: see `{ask}`", rules.name)
        })
        .collect()
}

/// Names of all crates that building this one builds, itself included, on any platform.
///
/// `cargo tree` and not `cargo metadata`, because only the former resolves features for one
/// crate alone instead of for the whole workspace.
fn tree(package: &str, features: &[&str]) -> Result<BTreeSet<String>> {
    let text = Cmd::cargo()
        .args([
            "tree",
            "--locked",
            "--package",
            package,
            "--edges",
            "normal,build",
        ])
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        .args(features)
        .text()?;
    let names: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .map(str::to_owned)
        .collect();
    if !names.contains(package) {
        bail!("cargo tree does not print {package} itself: its format has changed");
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: CrateRules<'_> = CrateRules {
        name: "low",
        may_use: "lower",
        never: "tokio",
        not_by_default: "",
    };

    fn depends_on(name: &str, kind: Option<&str>) -> Package {
        let dependency = Dependency {
            name: name.to_owned(),
            kind: kind.map(str::to_owned),
        };
        Package {
            name: "low".to_owned(),
            dependencies: vec![dependency],
        }
    }

    #[test]
    fn an_arrow_that_points_up_is_found() {
        let ours = BTreeSet::from(["low", "lower", "high"]);
        assert_eq!(
            wrong_direct(&LOW, &depends_on("high", None), &ours),
            ["low must not depend on high"]
        );
        assert_eq!(
            wrong_direct(&LOW, &depends_on("high", Some("build")), &ours).len(),
            1
        );
        assert!(wrong_direct(&LOW, &depends_on("lower", None), &ours).is_empty());
        assert!(wrong_direct(&LOW, &depends_on("high", Some("dev")), &ours).is_empty());
        assert!(wrong_direct(&LOW, &depends_on("serde", None), &ours).is_empty());
    }

    #[test]
    fn a_forbidden_crate_deep_in_the_tree_is_found() {
        let with = BTreeSet::from(["low".to_owned(), "tokio".to_owned()]);
        let without = BTreeSet::from(["low".to_owned(), "tokio-like".to_owned()]);
        assert_eq!(
            wrong_below(&LOW, LOW.never, &with, "must not be below").len(),
            1
        );
        assert!(wrong_below(&LOW, LOW.never, &without, "must not be below").is_empty());
    }

    #[test]
    fn the_test_kit_is_no_dependency_of_a_product_crate() {
        let rows: Vec<&str> = CRATES
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        for row in &rows {
            let name = row.split('\t').next().unwrap();
            let rules = rules_of(CRATES, name).unwrap();
            assert!(!rules.may_use.contains("claw-testkit"), "{name}");
        }
        assert!(rows.len() >= 10);
        assert!(rules_of(CRATES, "no-such-crate").is_none());
    }

    #[test]
    fn the_tree_of_this_workspace_can_be_read() {
        let tree = tree("rusty_claw", &[]).unwrap();
        assert!(tree.contains("rusty_claw_protocol"), "{tree:?}");
    }
}
