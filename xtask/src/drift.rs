//! What the CLI has that we do not model.
//!
//! Three questions, because each sees what the others cannot: which names of the type file are new
//! since the pinned version, which declared values our decoder does not read, and which recorded
//! values it does not read (the CLI prints things that no type file declares).

mod compare;
mod flatten;
mod modelled;
mod recorded;
mod recordings;
mod report;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::type_file::model::TypeModel;
use crate::{cli_package, type_file};
use modelled::Findings;
pub(crate) use modelled::tool_name;
use report::{Recorded, Report};

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Version of the npm package to look at; the pinned one unless given.
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

    let mut declared = Findings::default();
    for file in type_file::samples::generate(model)? {
        for sample in &file.samples {
            modelled::add_sample(&mut declared, file.stem, sample)?;
        }
    }

    let newest = recordings::newest(&root.join("testdata/cli"))?;
    let mut recorded = Recorded {
        version: newest.version,
        scenarios: newest.scenarios.len(),
        findings: Findings::default(),
    };
    for scenario in &newest.scenarios {
        recorded::add_scenario(&mut recorded.findings, scenario);
    }
    Ok(Report {
        package_version: model.package_version.clone(),
        pinned_version: pinned.package_version,
        changes,
        declared,
        recorded,
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
