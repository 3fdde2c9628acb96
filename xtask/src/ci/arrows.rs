//! Checks the dependencies between crates that ARCHITECTURE.md describes.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use serde::Deserialize;

use super::process::Cmd;

/// What one of our crates may depend on, apart from dev-dependencies.
#[derive(Debug)]
struct CrateRules {
    name: &'static str,
    /// Crates of ours it may name in its manifest.
    may_use: &'static [&'static str],
    /// Crates that it must not depend on, directly or not, with any features.
    never: &'static [&'static str],
    /// Crates that must not be below it unless a user turns a feature on.
    not_by_default: &'static [&'static str],
}

/// Every crate of the design. A row whose crate does not exist yet applies once it does; a crate
/// without a row fails the job, so that each new crate gets one.
const CRATES: &[CrateRules] = &[
    CrateRules {
        name: "rusty_claw_macros",
        may_use: &[],
        never: &["tokio", "serde_json"],
        not_by_default: &[],
    },
    CrateRules {
        name: "rusty_claw_protocol",
        may_use: &["rusty_claw_macros"],
        never: &["tokio", "mio", "hyper", "rayon", "axum", "rusqlite"],
        not_by_default: &[],
    },
    CrateRules {
        name: "claw-transcript",
        may_use: &["rusty_claw_protocol"],
        never: &["tokio", "mio", "hyper", "axum", "rusqlite"],
        not_by_default: &["rayon"],
    },
    CrateRules {
        name: "rusty_claw",
        may_use: &[
            "rusty_claw_protocol",
            "rusty_claw_macros",
            "claw-transcript",
        ],
        never: &["axum", "rusqlite", "async-nats"],
        not_by_default: &["rayon"],
    },
    CrateRules {
        name: "claw-server",
        may_use: &["rusty_claw", "rusty_claw_protocol"],
        never: &["axum", "rusqlite", "async-nats"],
        not_by_default: &[],
    },
    CrateRules {
        name: "claw-store",
        may_use: &[],
        never: &["axum"],
        not_by_default: &["async-nats"],
    },
    CrateRules {
        name: "claw-gateway",
        may_use: &[
            "claw-server",
            "claw-store",
            "claw-transcript",
            "rusty_claw",
            "rusty_claw_protocol",
        ],
        never: &[],
        not_by_default: &[],
    },
    CrateRules {
        name: "claw",
        may_use: &[
            "claw-gateway",
            "claw-server",
            "claw-store",
            "claw-transcript",
            "rusty_claw",
        ],
        never: &[],
        not_by_default: &[],
    },
    // In no list above, so never a normal dependency of anything that users build.
    CrateRules {
        name: "claw-testkit",
        may_use: &["rusty_claw_protocol"],
        never: &[],
        not_by_default: &[],
    },
    // It must build in seconds.
    CrateRules {
        name: "xtask",
        may_use: &[],
        never: &["tokio"],
        not_by_default: &[],
    },
];

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
        let Some(rules) = CRATES.iter().find(|rules| rules.name == package.name) else {
            wrong.push(format!(
                "{} has no row in xtask/src/ci/arrows.rs: add one",
                package.name
            ));
            continue;
        };
        wrong.extend(wrong_direct(rules, package, &ours));
        let all = tree(rules.name, &["--all-features"])?;
        wrong.extend(wrong_below(rules, rules.never, &all, "must not be below"));
        let default = tree(rules.name, &[])?;
        wrong.extend(wrong_below(
            rules,
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
fn wrong_direct(rules: &CrateRules, package: &Package, ours: &BTreeSet<&str>) -> Vec<String> {
    let dependencies = package.dependencies.iter().filter(|dependency| {
        dependency.kind.as_deref() != Some("dev") && ours.contains(dependency.name.as_str())
    });
    dependencies
        .map(|dependency| dependency.name.as_str())
        .filter(|name| !rules.may_use.contains(name))
        .map(|name| format!("{} must not depend on {name}", rules.name))
        .collect()
}

fn wrong_below(
    rules: &CrateRules,
    forbidden: &[&str],
    tree: &BTreeSet<String>,
    how: &str,
) -> Vec<String> {
    let found = forbidden.iter().filter(|name| tree.contains(**name));
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

    const LOW: CrateRules = CrateRules {
        name: "low",
        may_use: &["lower"],
        never: &["tokio"],
        not_by_default: &[],
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
        assert!(
            CRATES
                .iter()
                .all(|rules| !rules.may_use.contains(&"claw-testkit"))
        );
    }

    #[test]
    fn the_tree_of_this_workspace_can_be_read() {
        let tree = tree("rusty_claw", &[]).unwrap();
        assert!(tree.contains("rusty_claw_protocol"), "{tree:?}");
    }
}
