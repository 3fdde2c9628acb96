//! Files that are made from other files: written here, committed, and checked in CI.

mod counterparts;
mod reference;
mod sightings;
mod typescript;

use anyhow::{Result, ensure};

use crate::repository::{read, root, write};
use crate::type_file::{self, samples};

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail when a generated file is not what would be written now.
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let samples = samples::generate(&type_file::pinned()?)?;
    for (file, samples) in &samples {
        let lines: Result<Vec<_>, _> = samples.iter().map(serde_json::to_string).collect();
        let text = lines?.join("\n") + "\n";
        args.settle(&format!("testdata/types/samples/{file}.ndjson"), &text)?;
    }
    args.settle("docs/reference/protocol.md", &reference::page(&samples)?)?;
    args.settle("docs/reference/typescript.md", &counterparts::page()?)?;
    args.settle("clients/typescript/src/generated.ts", &typescript::file()?)?;
    let done = if args.check { "up to date" } else { "written" };
    println!("generated files are {done}");
    Ok(())
}

impl Args {
    /// Writes a file, or checks that it holds the text already.
    fn settle(&self, name: &str, text: &str) -> Result<()> {
        let path = root().join(name);
        if self.check {
            ensure!(
                read(&path).is_ok_and(|old| old == text),
                "{name} is stale: run `cargo xtask codegen` and commit it"
            );
            return Ok(());
        }
        write(&path, text)
    }
}
