//! The Rust counterpart of every name that the official TypeScript SDK exports.
//!
//! The table has a row for each exported declaration, and for each member of the two types that
//! contain the SDK's functions and options, with Rust paths or a reason. `proofs` makes the page in
//! `docs/reference` of it, and rustdoc resolves its paths.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::real_cli;

const TABLE: &str = "testdata/types/typescript-counterparts.tsv";
/// The page about differences. The Rust names in its second column must be in the table, in the
/// first line if not in a row.
const PROSE: &str = "docs/concepts/typescript.md";
/// The type files with their own declarations. `core` only re-exports names of `sdk`.
const MODULES: [&str; 5] = [
    "sdk",
    "sdk-tools",
    "bridge",
    "browser-sdk",
    "extractFromBunfs",
];
/// The types whose members are functions and options; each member needs a counterpart.
const BY_MEMBER: [&str; 2] = ["Query", "Options"];

/// One row of the table.
struct Row<'a> {
    name: &'a str,
    rust: &'a str,
    reason: &'a str,
}

fn rows(table: &str) -> Result<Vec<Row<'_>>> {
    let row = |line| -> Option<Row<'_>> {
        let [name, rust, reason] = *str::split(line, '\t').collect::<Vec<_>>() else {
            return None;
        };
        Some(Row { name, rust, reason })
    };
    let lines = table.lines().skip(1);
    lines
        .map(|line| row(line).with_context(|| format!("{TABLE}: not three columns: {line}")))
        .collect()
}

/// Compares the table with the installed package.
pub(super) fn figure() -> Result<Figure> {
    let package = real_cli().package;
    let folder = package.join("node_modules/@anthropic-ai/claude-agent-sdk");
    let mut declared = Vec::new();
    for module in MODULES {
        let path = folder.join(format!("{module}.d.ts"));
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        declared.extend(exported(&text).map(|name| format!("{module}.{name}")));
    }
    let table = read(TABLE)?;
    let rows = rows(&table)?;
    let mut faults = faults(&declared, &rows);
    faults.extend(unread_modules(&folder)?);
    faults.extend(lost_in_prose(&read(PROSE)?, &table));
    let here = rows.iter().filter(|row| !row.rust.is_empty()).count();
    let figure = Figure::new(
        "TypeScript declarations without a counterpart and without a written reason",
        "0",
    );
    let measured = format!(
        "{} of {} ({here} with a counterpart, {} with a reason)",
        faults.len(),
        declared.len(),
        rows.len() - here
    );
    Ok(figure
        .measured(measured, faults.is_empty())
        .list("missing or wrong", faults))
}

/// A file of the repository.
fn read(name: &str) -> Result<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).with_context(|| format!("cannot read {name}"))
}

/// The exported names of a type file.
fn exported(text: &str) -> impl Iterator<Item = String> {
    let mut names = BTreeSet::new();
    let mut inside = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("export ") {
            let rest = rest.strip_prefix("declare ").unwrap_or(rest);
            let (kind, rest) = rest.split_once(' ').unwrap_or_default();
            let kinds = [
                "type",
                "interface",
                "class",
                "function",
                "const",
                "namespace",
            ];
            let name = word(rest);
            inside = None;
            // Re-exports, such as `export type * from`, declare no name here.
            if kinds.contains(&kind) && !name.is_empty() {
                names.insert(name.to_owned());
                inside = BY_MEMBER.contains(&name).then_some(name);
            }
        } else if line.starts_with('}') {
            inside = None;
        } else if let (Some(owner), Some(member)) = (inside, line.strip_prefix("    ")) {
            let name = word(member);
            let rest = member[name.len()..].trim_start_matches('?');
            if !name.is_empty() && rest.starts_with([':', '(', '<']) {
                names.insert(format!("{owner}.{name}"));
            }
        }
    }
    names.into_iter()
}

/// Exported type files of the package that are not read here.
fn unread_modules(folder: &Path) -> Result<Vec<String>> {
    let manifest = std::fs::read_to_string(folder.join("package.json"))?;
    let manifest: serde_json::Value = serde_json::from_str(&manifest)?;
    let exports = manifest["exports"].as_object();
    let exports = exports.context("package.json has no exports")?.values();
    let files = exports.filter_map(|export| export["types"].as_str());
    let stems = files.map(|file| file.trim_start_matches("./").trim_end_matches(".d.ts"));
    Ok(stems
        .filter(|stem| *stem != "core" && !MODULES.contains(stem))
        .map(|stem| format!("{stem}.d.ts is not read"))
        .collect())
}

fn faults(declared: &[String], rows: &[Row<'_>]) -> Vec<String> {
    let tabled: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    let known: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    let mut faults: Vec<String> = known
        .difference(&tabled)
        .map(|name| format!("{name}: no row in {TABLE}"))
        .collect();
    for Row {
        name,
        rust: paths,
        reason,
    } in rows
    {
        if !known.contains(name) {
            faults.push(format!("{name}: the package does not export it"));
        }
        if paths.is_empty() && reason.is_empty() {
            faults.push(format!("{name}: neither a counterpart nor a reason"));
        }
        let is_link = |path: &str| path.starts_with('[') && path.ends_with(']');
        if !paths.is_empty() && !paths.split(", ").all(is_link) {
            faults.push(format!(
                "{name}: {paths} are not links, so nothing checks them"
            ));
        }
    }
    faults
}

/// Names in code marks, in the second column of a page's table, that no path of the table has.
fn lost_in_prose(page: &str, table: &str) -> Vec<String> {
    let paths = table.split(['[', ']']).skip(1).step_by(2);
    let rust: BTreeSet<&str> = paths.flat_map(|path| path.split("::")).collect();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.split(" | ").nth(1));
    // Every second piece is between two marks.
    let codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let lost = codes.filter(|code| {
        let path = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let name = path.take(1).filter_map(|path| path.rsplit("::").next());
        name.into_iter().any(|name| !rust.contains(name))
    });
    lost.map(|code| format!("{PROSE}: `{code}` is not in {TABLE}"))
        .collect()
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPES: &str = "export declare type Query = {\n    /** Stops. */\n    stop(): void;\n    \
        name?: string;\n};\nexport declare function go(): void;\ndeclare type Hidden = {\n    \
        no: 1;\n};\nexport type * from './other.js'\nexport { go } from './go.js'\n";

    #[test]
    fn names_and_members_are_read_from_a_type_file() {
        let names: Vec<String> = exported(TYPES).collect();
        assert_eq!(names, ["Query", "Query.name", "Query.stop", "go"]);
    }

    #[test]
    fn a_missing_row_a_stale_row_an_empty_row_and_a_bare_path_are_faults() {
        let declared = ["sdk.a", "sdk.b", "sdk.c", "sdk.d"].map(str::to_owned);
        let table = "TypeScript\tRust\treason\nsdk.a\t[ours::Kept::go]\t\nsdk.b\tours::Lost\t\n\
            sdk.c\t\t\nsdk.e\t\tgone\n";
        let faults = faults(&declared, &rows(table).expect("three columns"));
        assert_eq!(faults.len(), 4, "{faults:?}");
        for expected in [
            "sdk.d: no row",
            "sdk.b: ours::Lost are not links",
            "sdk.c: neither",
            "sdk.e: the package",
        ] {
            assert!(
                faults.iter().any(|fault| fault.starts_with(expected)),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn a_name_in_the_prose_that_is_gone_is_a_fault() {
        let page =
            "| there | here | why |\n|---|---|---|\n| `x` | `Kept::go(1)` and `lost` | `y` |\n";
        assert_eq!(
            lost_in_prose(page, "a lost row\t[ours::Kept::go]\t\n"),
            [format!("{PROSE}: `lost` is not in {TABLE}")]
        );
    }
}
