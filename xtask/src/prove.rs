//! Measures the figures of an area against their bars, and writes them to `docs/proof/`.
//!
//! A group of figures is a test that records them, the simulation, a group of `claw-bench` or of
//! `claw-peers`, a suite of tests that is counted, or a function here. The tests of an area run in
//! one invocation.

mod area;
mod areas;
mod ci;
mod measured;
pub(crate) mod page;
mod runner;

use anyhow::{Context, Result, ensure};

pub(crate) use self::area::Args;
use self::area::{Area, Group};
pub(crate) use self::areas::bench_groups;
use self::measured::Measured;
use self::runner::Runner;
pub(crate) use self::runner::simulation;
use crate::figure::Figure;
use crate::place::workspace_root;

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = areas::named(&args.area);
    let area =
        area.with_context(|| format!("choose an area from {}", areas::names().join(", ")))?;
    let names: Vec<&str> = area.groups.iter().map(|(name, _)| *name).collect();
    let unknown = args
        .only
        .iter()
        .find(|only| !names.contains(&only.as_str()));
    if let Some(unknown) = unknown {
        anyhow::bail!(
            "there is no group {unknown}: choose from {}",
            names.join(", ")
        );
    }
    let is_wanted = |(name, group): &&(&str, Group)| {
        let is_named = args.only.is_empty() || args.only.iter().any(|only| only == name);
        is_named && (args.peers || !matches!(group, Group::Peers))
    };
    let groups: Vec<_> = area.groups.iter().filter(is_wanted).copied().collect();
    let has_peers = area.groups.iter().any(|it| matches!(it.1, Group::Peers));
    ensure!(
        args.peers || !args.write || !has_peers,
        "the page has figures of other SDKs and tools: add --peers"
    );
    let measured = Measured::of(args)?;
    let missing = groups
        .iter()
        .filter(|(name, _)| measured.load(name).is_none());
    let missing: Vec<_> = missing.copied().collect();
    let found = Runner::new(args)?.run(&missing)?;
    let mut figures = Vec::new();
    for (name, _) in &groups {
        match found.iter().find(|(group, _)| group == name) {
            None => figures.extend(measured.load(name).unwrap_or_default()),
            Some((_, Ok(found))) => {
                measured.save(name, found)?;
                figures.extend(found.clone());
            }
            // The other groups are measured all the same.
            Some((_, Err(error))) => {
                let figure = Figure::new(*name, "can be measured");
                figures.push(figure.measured(format!("{error:#}"), false));
            }
        }
    }
    let text = page::render(&figures);
    print!("{text}");
    if args.write {
        write(area, &text)?;
    }
    let short = figures.iter().filter(|figure| !figure.passed).count();
    ensure!(
        short == 0,
        "{short} of {} figures fall short",
        figures.len()
    );
    Ok(())
}

fn write(area: &Area, text: &str) -> Result<()> {
    let Area {
        name, title, stamp, ..
    } = area;
    let commit = measured::commit()?;
    let page = format!(
        "# {title}\n\nWritten by `cargo xtask prove {name} --write` at {commit}; `SHORT` means that \
         the bar is not reached.\n\n{stamp}\n\n{text}"
    );
    let path = format!("docs/proof/{name}.md");
    std::fs::write(workspace_root().join(&path), page)
        .with_context(|| format!("cannot write {path}"))
}
