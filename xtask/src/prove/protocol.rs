//! The figures of the protocol crate.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::area::{Area, Group};
use super::figure::Figure;
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

/// In the order of the table.
const GROUPS: [(&str, Group<Inputs>); 10] = [
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
    ("fuzz", |inputs| {
        Ok(vec![fuzz::PROTOCOL.figure(&inputs.root)?])
    }),
    ("speed", |inputs| {
        let (decode, peek) = speed::figures(&inputs.root, inputs.quick)?;
        Ok(vec![decode, peek])
    }),
    ("memory", |_| Ok(vec![speed::memory()?])),
    ("memory-not-text", |_| Ok(vec![speed::memory_of_no_text()?])),
    ("reference", |inputs| Ok(vec![reference(&inputs.root)?])),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = workspace_root();
    let area = Area {
        title: "The protocol crate, measured",
        command: "cargo xtask prove protocol --write",
        page: PAGE,
        groups: &GROUPS,
    };
    // Before measuring: what is changed meanwhile was not measured.
    let stamp = sources::PROTOCOL.stamp(&root)?;
    let model = type_file::pinned(&root)?;
    let files = type_file::samples::generate(&model)?;
    let inputs = Inputs {
        root,
        quick: args.quick,
        model,
        files,
    };
    let stamp = format!("Sources: {stamp} (of {})", sources::PROTOCOL.described());
    area.run(&inputs, &args.only, args.write, args.quick, &stamp)
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
