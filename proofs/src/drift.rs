//! What the type file of the CLI package has that we do not model.
//!
//! Compares its names with those of the pinned version, and lists declared values that our decoder
//! does not read. Tests of the protocol crate do the same with recorded lines.

mod modelled;
mod names;

use std::path::Path;

use anyhow::{Result, ensure};
use claw_testkit::real_cli::variables;
use claw_testkit::recordings::pins;

use crate::repository::{read, variable, write};
use crate::type_file;
use modelled::Findings;
use names::Changes;

/// Arguments.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the model of the package to testdata/types/ instead of comparing; the step after
    /// moving the pin.
    #[arg(long)]
    write_model: bool,
}

/// Runs the task; an error when there is something new.
pub(crate) fn run(args: &Args) -> Result<()> {
    let version = variable(variables::SDK_VERSION)?;
    let text = type_file::dump(Path::new(&variable(variables::SDK)?))?;
    let path = type_file::path(&version);
    if args.write_model {
        write(&path, &text)?;
        println!("wrote {}: run `cargo xtask codegen`", path.display());
        return Ok(());
    }
    let pin = pins().package;
    let pinned = read(&type_file::path(&pin))?;
    ensure!(
        version != pin || pinned == text,
        "{} is stale: run `cargo xtask drift --write-model`",
        path.display()
    );
    let changes = names::compare(&names::of(&pinned)?, &names::of(&text)?);
    let declared = modelled::examine(&type_file::parse(&text)?)?;
    println!("names in the type file of {version} against {pin}\n{changes}");
    println!("values made from the type file, as our decoder reads them\n{declared}");
    let news = news(&changes, &declared);
    ensure!(
        news == 0,
        "{news} things of the CLI package {version} are not modelled"
    );
    Ok(())
}

/// Number of new things. Names that disappeared are listed but break nothing.
fn news(changes: &Changes, declared: &Findings) -> usize {
    changes.appeared.len() + declared.gaps.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_news_and_names_that_disappeared_are_not() {
        let mut changes = Changes::default();
        changes.disappeared.push("A.gone".to_owned());
        let mut declared = Findings::default();
        assert_eq!(news(&changes, &declared), 0);
        declared.gap("hello", "unread field", "system.init.fresh".to_owned());
        declared.gap("there", "unread field", "system.init.fresh".to_owned());
        changes.appeared.push("B".to_owned());
        assert_eq!(news(&changes, &declared), 2);
        let text = format!("{changes}{declared}");
        for line in [
            "new   B",
            "gone  A.gone",
            "unread field  system.init.fresh  (2, first in hello)",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}
