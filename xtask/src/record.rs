//! The recorder.

use anyhow::{Result, bail};

/// Arguments.
#[derive(Debug, clap::Args)]
pub struct Args {}

pub fn run(_args: &Args) -> Result<()> {
    bail!("not written yet")
}
