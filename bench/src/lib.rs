//! What measures the workspace: areas with groups of figures, and what they share.
//!
//! `claw-bench GROUP` measures a group and records its figures; see [`claw_testkit::figure`].
//! `claw-bench PROGRAM ARGUMENTS…` is what a group starts where a figure needs a process of its own.
//! `claw-peers`, with its own lock file, uses the same parts for comparisons with other SDKs.

pub mod gateway;
pub mod lines;
pub mod percentiles;
pub mod process;
pub mod protocol;
pub mod rounds;
pub mod sdk;
pub mod server;
pub mod store;
mod tasks;
pub mod transcript;
mod verdicts;

use anyhow::{Context, Result};
use claw_testkit::figure::{Figure, record};

/// A group of figures, and the function that measures them.
pub type Group = (&'static str, fn() -> Result<Vec<Figure>>);

/// A program that a group starts, and its main function.
pub type Program = (&'static str, fn(&[String]) -> Result<()>);

/// Runs the group or the program that the command line names.
///
/// # Errors
/// Returns an error if the name is unknown, or the error of the group or program.
///
/// # Panics
/// If a figure falls short.
pub fn run(groups: &[&[Group]], programs: &[&[Program]]) -> Result<()> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    if let Some((_, main)) = programs.concat().iter().find(|(known, _)| *known == name) {
        return main(&args.collect::<Vec<_>>());
    }
    let groups = groups.concat();
    let group = groups.iter().find(|(known, _)| *known == name);
    let (_, measure) = group.with_context(|| {
        let names: Vec<_> = groups.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        format!("there is no group {name:?}: choose from {names}")
    })?;
    let figures = measure()?;
    for figure in &figures {
        println!("{}: {} (bar: {})", figure.name, figure.measured, figure.bar);
        figure.notes.iter().for_each(|note| println!("  {note}"));
    }
    record(&name, figures);
    Ok(())
}
