//! The figures of the protocol crate.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::figure::{self, Figure};
use super::recorded::Recorded;
use super::{documents, fuzz, hostile, samples, sources, speed, typed};
use crate::cli_package::workspace_root;
use crate::type_file;
use crate::type_file::model::TypeModel;
use crate::type_file::samples::SampleFile;

const PAGE: &str = "docs/proof/protocol.md";
const REFERENCE: &str = "docs/reference/protocol.md";

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fewer rounds and seeds, for CI; every figure is still measured.
    #[arg(long)]
    quick: bool,
    /// Only these groups of figures: types, recordings, samples, documents, hostile, fuzz, speed,
    /// memory, memory-not-text, reference.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to docs/proof/protocol.md.
    #[arg(long)]
    write: bool,
}

/// What several groups read.
struct Inputs {
    root: std::path::PathBuf,
    quick: bool,
    model: TypeModel,
    files: Vec<SampleFile>,
}

type Group = fn(&Inputs) -> Result<Vec<Figure>>;

/// In the order of the table.
const GROUPS: [(&str, Group); 10] = [
    ("types", |inputs| {
        Ok(vec![
            typed::messages(&inputs.model, &inputs.files)?,
            typed::control_requests(&inputs.model, &inputs.files)?,
            typed::hooks(&inputs.model, &inputs.files)?,
        ])
    }),
    ("recordings", |inputs| {
        let recorded = Recorded::read(&inputs.root, &inputs.model, &inputs.files)?;
        Ok(vec![
            recorded.coverage(&inputs.model),
            recorded.lossless(),
            recorded.untyped(),
        ])
    }),
    ("samples", |inputs| {
        Ok(vec![samples::figure(&inputs.files)?])
    }),
    ("documents", |inputs| {
        Ok(vec![documents::figure(&inputs.root)?])
    }),
    ("hostile", |inputs| Ok(vec![hostile::figure(inputs.quick)?])),
    ("fuzz", |inputs| Ok(vec![fuzz::figure(&inputs.root)?])),
    ("speed", |inputs| {
        let (decode, peek) = speed::figures(&inputs.root, inputs.quick)?;
        Ok(vec![decode, peek])
    }),
    ("memory", |inputs| Ok(vec![speed::memory(&inputs.root)?])),
    ("memory-not-text", |inputs| {
        Ok(vec![speed::memory_of_no_text(&inputs.root)?])
    }),
    ("reference", |inputs| Ok(vec![reference(&inputs.root)?])),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let groups = select(&args.only)?;
    ensure!(
        !(args.write && (!args.only.is_empty() || args.quick)),
        "--write is for a whole run: leave --only and --quick away"
    );
    let root = workspace_root();
    // Before measuring: what is changed meanwhile was not measured.
    let stamp = sources::stamp(&root)?;
    let model = type_file::pinned(&root)?;
    let files = type_file::samples::generate(&model)?;
    let inputs = Inputs {
        root,
        quick: args.quick,
        model,
        files,
    };
    let mut figures = Vec::new();
    for (name, group) in groups {
        eprintln!("measuring: {name}");
        match group(&inputs) {
            Ok(found) => figures.extend(found),
            // The other figures are still worth knowing.
            Err(error) => figures
                .push(Figure::new(name, "can be measured").measured(format!("{error:#}"), false)),
        }
    }
    let text = figure::render(&figures);
    print!("{text}");
    if args.write {
        write(&inputs.root, &stamp, &text)?;
    }
    let short = figures.iter().filter(|figure| !figure.passed).count();
    ensure!(
        short == 0,
        "{short} of {} figures fall short",
        figures.len()
    );
    Ok(())
}

fn select(only: &[String]) -> Result<Vec<(&'static str, Group)>> {
    let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = only.iter().find(|only| !names.contains(&only.as_str())) {
        bail!(
            "there is no group {unknown}: choose from {}",
            names.join(", ")
        );
    }
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
    Ok(GROUPS
        .iter()
        .filter(|(name, _)| wanted(name))
        .copied()
        .collect())
}

fn write(root: &Path, stamp: &str, text: &str) -> Result<()> {
    let path = root.join(PAGE);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let page = format!(
        "# The protocol crate, measured\n\nWritten by `cargo xtask prove protocol --write`; `SHORT` means that the bar is not reached.\n\nSources: {stamp} (of {})\n\n{text}",
        sources::described()
    );
    std::fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))
}

/// The reference page is there and is what the code says.
fn reference(root: &Path) -> Result<Figure> {
    let figure = Figure::new(
        "a reference page generated from the code: every type, where it comes from, seen or not",
        "exists, not stale",
    );
    if !root.join(REFERENCE).is_file() {
        return Ok(figure.measured(format!("{REFERENCE} is missing"), false));
    }
    let program = std::env::current_exe().context("cannot find this program")?;
    let output = Command::new(program)
        .args(["codegen", "--check"])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context("cannot start the check of generated files")?;
    if output.status.success() {
        return Ok(figure.measured("exists, not stale", true));
    }
    let reason = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(figure.measured(format!("exists, but: {reason}"), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_chosen_by_name_and_a_wrong_name_is_an_error() {
        assert_eq!(select(&[]).unwrap().len(), GROUPS.len());
        assert_eq!(select(&["speed".to_owned()]).unwrap().len(), 1);
        let error = select(&["sped".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("speed"), "{error}");
    }
}
