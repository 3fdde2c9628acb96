//! Shell completions and manual pages.

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::Args;
use crate::exit::Status;
use crate::printer::Printer;

/// Prints the completions for a shell.
pub(crate) fn completions(
    shell: clap_complete::Shell,
    printer: &mut Printer,
) -> anyhow::Result<Status> {
    let mut command = Args::command();
    // Into memory first: the generator panics if the reader closes the pipe.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "claw", &mut script);
    std::io::Write::write_all(printer.raw(), &script)?;
    Ok(Status::Fine)
}

/// Writes a manual page for each command into a folder.
pub(crate) fn man_pages(folder: &Path) -> anyhow::Result<Status> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create {}", folder.display()))?;
    clap_mangen::generate_to(Args::command(), folder)
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(Status::Fine)
}
