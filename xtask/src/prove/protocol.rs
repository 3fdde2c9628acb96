//! The figures of the protocol crate.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use super::area::{Area, Args};
use super::figure::Figure;
use super::group::Group;
use super::recorded::Recorded;
use super::{fuzz, sources, speed, typed};
use crate::cli_package::workspace_root;
use crate::type_file;
use crate::type_file::model::TypeModel;
use crate::type_file::samples::SampleFile;

const PAGE: &str = "docs/proof/protocol.md";
const REFERENCE: &str = "docs/reference/protocol.md";

/// What several groups read.
struct Inputs {
    root: std::path::PathBuf,
    quick: bool,
    model: TypeModel,
    files: Vec<SampleFile>,
}

const PACKAGE: &str = "rusty_claw_protocol";

/// In the order of the table.
const GROUPS: [(&str, Group<Inputs>); 9] = [
    ("types", Group::Here(typed_figures)),
    ("recordings", Group::Here(recorded_figures)),
    (
        "samples",
        Group::It(
            PACKAGE,
            "samples::every_sample_is_read_by_its_type_and_written_back",
        ),
    ),
    (
        "documents",
        Group::It(
            PACKAGE,
            "documents::every_example_is_read_with_every_member",
        ),
    ),
    (
        "hostile",
        Group::It(PACKAGE, "hostile::no_hostile_line_is_misread"),
    ),
    (
        "fuzz",
        Group::Here(|inputs| Ok(vec![fuzz::PROTOCOL.figure(&inputs.root)?])),
    ),
    (
        "speed",
        Group::Here(|inputs| speed::figures(&inputs.root, inputs.quick)),
    ),
    ("memory", Group::Here(|_| speed::memory())),
    (
        "reference",
        Group::Here(|inputs| Ok(vec![reference(&inputs.root)?])),
    ),
];

fn typed_figures(Inputs { model, files, .. }: &Inputs) -> Result<Vec<Figure>> {
    Ok(vec![
        typed::messages(model, files)?,
        typed::control_requests(model, files)?,
        typed::hooks(model, files)?,
    ])
}

fn recorded_figures(inputs: &Inputs) -> Result<Vec<Figure>> {
    let recorded = Recorded::read(&inputs.root, &inputs.model, &inputs.files)?;
    Ok(vec![
        recorded.coverage(&inputs.model),
        recorded.lossless(),
        recorded.untyped(),
    ])
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = workspace_root();
    let area = Area {
        title: "The protocol crate, measured",
        command: "cargo xtask prove protocol --write",
        page: PAGE,
        groups: &GROUPS,
    };
    // Before measuring: later changes were not measured.
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
    area.run(&inputs, args, &stamp)
}

/// The reference page exists and matches the code.
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
