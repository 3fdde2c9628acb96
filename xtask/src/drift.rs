//! What the CLI has that we do not model.

use anyhow::Result;

use crate::{cli_package, type_file};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: &Args) -> Result<()> {
    type_file::samples::write_all(&cli_package::workspace_root())
}
