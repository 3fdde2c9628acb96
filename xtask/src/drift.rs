//! What the CLI has that we do not model.
//!
//! Compares the names of the type file with those of the pinned version, and lists declared and
//! recorded values that our decoder does not read: the CLI prints more than the type file declares.

mod compare;
mod flatten;
mod modelled;
mod report;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::prove::recorded::Recorded;
use crate::type_file::model::TypeModel;
use crate::{cli_package, type_file};
use modelled::Findings;
use report::Report;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Version of the npm package to check; the pinned one by default.
    #[arg(long)]
    version: Option<String>,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Write the version's model to testdata/types/ instead of comparing; the step after moving the pin.
    #[arg(long)]
    write_model: bool,
}

/// Runs the task; an error when there is something new.
pub(crate) fn run(args: &Args) -> Result<()> {
    let root = cli_package::workspace_root();
    let version = args
        .version
        .as_deref()
        .unwrap_or(cli_package::PACKAGE_VERSION);
    let package = cli_package::install(version)?;
    let text = type_file::dump(&package)?;
    if args.write_model {
        return write_model(&root, version, &text);
    }
    if version == cli_package::PACKAGE_VERSION {
        type_file::check_pinned(&root, &text)?;
    }
    let model = type_file::parse(&text)?;
    let report = examine(&root, &model)?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{report}");
    }
    let news = report.news();
    ensure!(
        news == 0,
        "{news} things of the CLI package {version} are not modelled"
    );
    Ok(())
}

fn examine(root: &Path, model: &TypeModel) -> Result<Report> {
    let pinned = type_file::pinned(root)?;
    let changes = compare::compare(&flatten::names(&pinned), &flatten::names(model));

    let files = type_file::samples::generate(model)?;
    let mut declared = Findings::default();
    for file in &files {
        for sample in &file.samples {
            modelled::add_sample(&mut declared, file.stem, sample)?;
        }
    }
    let recorded = Recorded::read(root, model, &files)?;
    Ok(Report {
        package_version: model.package_version.clone(),
        pinned_version: pinned.package_version,
        changes,
        declared,
        recorded: recorded.gaps(),
    })
}

fn write_model(root: &Path, version: &str, text: &str) -> Result<()> {
    let path = type_file::model_path(root, version);
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    eprintln!("wrote {}", path.display());
    if version == cli_package::PACKAGE_VERSION {
        type_file::samples::write_all(root)?;
    } else {
        eprintln!("samples are made for the pinned version only");
    }
    Ok(())
}
