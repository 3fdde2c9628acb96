//! Runs the figures of an area, in groups that can be chosen.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::figure::{self, Figure};
use crate::cli_package::workspace_root;

/// Measures some figures.
pub(crate) type Group<I> = fn(&I) -> Result<Vec<Figure>>;

/// An area of the product and the figures by which it is judged.
pub(crate) struct Area<'a, I> {
    pub(crate) title: &'a str,
    /// What writes the page.
    pub(crate) command: &'a str,
    /// Where the output is kept.
    pub(crate) page: &'a str,
    /// In the order of the table.
    pub(crate) groups: &'a [(&'static str, Group<I>)],
}

impl<I> Area<'_, I> {
    /// Measures, prints the table, and fails when a figure falls short.
    pub(crate) fn run(
        &self,
        inputs: &I,
        only: &[String],
        write: bool,
        quick: bool,
        stamp: &str,
    ) -> Result<()> {
        ensure!(
            !(write && (!only.is_empty() || quick)),
            "--write is for a whole run: leave --only and --quick away"
        );
        let mut figures = Vec::new();
        for (name, group) in self.select(only)? {
            eprintln!("measuring: {name}");
            let start = Instant::now();
            let result = measured(group, inputs);
            eprintln!("measured: {name} in {:.1} s", start.elapsed().as_secs_f64());
            match result {
                Ok(found) => figures.extend(found),
                // The other figures are still worth knowing.
                Err(error) => figures.push(
                    Figure::new(name, "can be measured").measured(format!("{error:#}"), false),
                ),
            }
        }
        ensure!(
            !figures.is_empty(),
            "nothing was measured: a quick run leaves this out"
        );
        let text = figure::render(&figures);
        print!("{text}");
        if write {
            self.write(stamp, &text)?;
        }
        let short = figures.iter().filter(|figure| !figure.passed).count();
        ensure!(
            short == 0,
            "{short} of {} figures fall short",
            figures.len()
        );
        Ok(())
    }

    fn select(&self, only: &[String]) -> Result<Vec<(&'static str, Group<I>)>> {
        let names: Vec<&str> = self.groups.iter().map(|(name, _)| *name).collect();
        if let Some(unknown) = only.iter().find(|only| !names.contains(&only.as_str())) {
            bail!(
                "there is no group {unknown}: choose from {}",
                names.join(", ")
            );
        }
        let wanted = |name: &str| only.is_empty() || only.iter().any(|only| only == name);
        Ok(self
            .groups
            .iter()
            .filter(|(name, _)| wanted(name))
            .copied()
            .collect())
    }

    fn write(&self, stamp: &str, text: &str) -> Result<()> {
        let path = workspace_root().join(self.page);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let page = format!(
            "# {}\n\nWritten by `{}`; `SHORT` means that the bar is not reached.\n\n{stamp}\n\n{text}",
            self.title, self.command
        );
        std::fs::write(Path::new(&path), page)
            .with_context(|| format!("cannot write {}", self.page))
    }
}

/// How often a group is measured at most when its misses are within the spread.
const TRIES: usize = 3;

/// Measures a group, and again as long as all that falls short does so within its own spread.
fn measured<I>(group: Group<I>, inputs: &I) -> Result<Vec<Figure>> {
    for again in 1..TRIES {
        let figures = group(inputs)?;
        let mut short = figures.iter().filter(|figure| !figure.passed).peekable();
        if short.peek().is_none() || !short.all(|figure| figure.within_spread) {
            return Ok(figures);
        }
        eprintln!("a miss within the spread: measured again ({again})");
    }
    group(inputs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_chosen_by_name_and_a_wrong_name_is_an_error() {
        let area = Area::<()> {
            title: "",
            command: "",
            page: "",
            groups: &[
                ("speed", |()| Ok(Vec::new())),
                ("memory", |()| Ok(Vec::new())),
            ],
        };
        assert_eq!(area.select(&[]).unwrap().len(), 2);
        assert_eq!(area.select(&["speed".to_owned()]).unwrap().len(), 1);
        let error = area.select(&["sped".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("speed"), "{error}");
    }

    #[test]
    fn a_miss_within_the_spread_is_measured_again_and_another_is_not() {
        use std::cell::Cell;

        fn figure(passed: bool, within_spread: bool) -> Figure {
            let mut figure = Figure::new("", "").measured("", passed);
            figure.within_spread = within_spread;
            figure
        }
        let tried = Cell::new(0);
        let close: Group<Cell<usize>> = |tried| {
            tried.set(tried.get() + 1);
            Ok(vec![figure(tried.get() == 2, true)])
        };
        assert!(measured(close, &tried).unwrap()[0].passed);
        assert_eq!(tried.get(), 2);
        tried.set(0);
        let far: Group<Cell<usize>> = |tried| {
            tried.set(tried.get() + 1);
            Ok(vec![figure(false, true), figure(false, false)])
        };
        assert!(!measured(far, &tried).unwrap()[0].passed);
        assert_eq!(tried.get(), 1);
    }
}
