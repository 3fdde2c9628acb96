//! Files that are made from other files: written here, committed, and checked in CI.

mod reference;
mod sightings;
mod typescript;

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::cli_package::workspace_root;
use crate::counterparts;
use crate::type_file::samples;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail when a generated file is not what would be written now.
    #[arg(long)]
    check: bool,
}

const REFERENCE: &str = "docs/reference/protocol.md";
const TYPESCRIPT: &str = "docs/reference/typescript.md";
const CLIENT_TYPES: &str = "clients/typescript/src/generated.ts";

pub(crate) fn run(args: &Args) -> Result<()> {
    let root = workspace_root();
    if args.check {
        samples::check_all(&root)?;
    } else {
        samples::write_all(&root)?;
    }
    // After the samples, because the page lists them.
    settle(&root.join(REFERENCE), &reference::page(&root)?, args.check)?;
    let typescript = counterparts::page(&root)?;
    settle(&root.join(TYPESCRIPT), &typescript, args.check)?;
    let client_types = typescript::file(&root)?;
    settle(&root.join(CLIENT_TYPES), &client_types, args.check)?;
    println!(
        "generated files are {}",
        if args.check { "up to date" } else { "written" }
    );
    Ok(())
}

/// Writes a file, or checks that it holds the text already.
fn settle(path: &Path, text: &str, check: bool) -> Result<()> {
    if check {
        let old = std::fs::read_to_string(path)
            .with_context(|| format!("{} is missing: run `cargo xtask codegen`", path.display()))?;
        if old != text {
            bail!(
                "{} is stale: run `cargo xtask codegen` and commit it",
                path.display()
            );
        }
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
