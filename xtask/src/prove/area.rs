//! Measures the figures of an area, in groups that can be selected, and writes its page.

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::figure::{self, Figure};
use super::group::Group;
use super::measured::Measured;
use super::runner::Runner;
use crate::cli_package::workspace_root;

/// Which figures to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fewer rounds and smaller sizes, for CI.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these groups of figures: the error for an unknown name lists them.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to the page of the area, in docs/proof/.
    #[arg(long)]
    write: bool,
    /// Do not measure groups again that reached their bars in an earlier run on the same sources.
    #[arg(long, conflicts_with = "quick")]
    resume: bool,
}

impl Args {
    /// All figures.
    pub(crate) fn whole(write: bool) -> Self {
        Self {
            quick: false,
            only: Vec::new(),
            write,
            resume: false,
        }
    }
}

/// An area of the product and the figures by which it is judged.
pub(crate) struct Area<'a, I> {
    pub(crate) title: &'a str,
    /// The command that writes the page.
    pub(crate) command: &'a str,
    pub(crate) page: &'a str,
    /// In the order of the page.
    pub(crate) groups: &'a [(&'static str, Group<I>)],
}

impl<I> Area<'_, I> {
    /// Measures and prints the figures. Fails if one falls short.
    pub(crate) fn run(&self, inputs: &I, args: &Args, stamp: &str) -> Result<()> {
        ensure!(
            !(args.write && (!args.only.is_empty() || args.quick)),
            "--write needs a whole run: omit --only and --quick"
        );
        let groups = self.select(&args.only)?;
        let measured = Measured::of(self.page, args.quick, args.resume);
        let is_missing = |(name, _): &&(&str, _)| measured.load(name).is_none();
        let missing = groups.iter().filter(is_missing).map(|(_, group)| group);
        let runner = Runner::build(missing, args.quick)?;
        let mut figures = Vec::new();
        for (name, group) in groups {
            if let Some(found) = measured.load(name) {
                eprintln!("measured before: {name}");
                figures.extend(found);
                continue;
            }
            eprintln!("measuring: {name}");
            let start = Instant::now();
            let result = retried(|| match group {
                Group::Here(measure) => measure(inputs),
                Group::Test(package) => runner.test(package, name),
                Group::It(package, test) => runner.it(package, test, name),
                Group::Checker(test) => runner.checker(test, name),
                Group::Simulation(package) => runner.simulation(package, name),
                Group::Bench(bench) => runner.bench(bench, name),
            });
            eprintln!("measured: {name} in {:.1} s", start.elapsed().as_secs_f64());
            // A quick run may omit groups, but not those that are named.
            let may_omit = args.quick && args.only.is_empty();
            let result = result.and_then(|found| {
                ensure!(may_omit || !found.is_empty(), "no figure was recorded");
                Ok(found)
            });
            match result {
                Ok(found) => {
                    measured.save(name, &found)?;
                    figures.extend(found);
                }
                // Measure the other groups all the same.
                Err(error) => figures.push(
                    Figure::new(name, "can be measured").measured(format!("{error:#}"), false),
                ),
            }
        }
        ensure!(
            !figures.is_empty(),
            "nothing was measured: a quick run omits these groups"
        );
        let text = figure::render(&figures);
        print!("{text}");
        if args.write {
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
        let groups = self.groups.iter().filter(|(name, _)| wanted(name));
        Ok(groups.copied().collect())
    }

    fn write(&self, stamp: &str, text: &str) -> Result<()> {
        let page = format!(
            "# {}\n\nWritten by `{}`; `SHORT` means that the bar is not reached.\n\n{stamp}\n\n{text}",
            self.title, self.command
        );
        std::fs::write(workspace_root().join(self.page), page)
            .with_context(|| format!("cannot write {}", self.page))
    }
}

/// How often a group is measured at most if its misses are within the spread.
const TRIES: usize = 3;

/// Measures again as long as every miss is within its own spread.
fn retried(mut measure: impl FnMut() -> Result<Vec<Figure>>) -> Result<Vec<Figure>> {
    for again in 1..TRIES {
        let figures = measure()?;
        let mut short = figures.iter().filter(|figure| !figure.passed).peekable();
        if short.peek().is_none() || !short.all(|figure| figure.within_spread) {
            return Ok(figures);
        }
        eprintln!("a miss within the spread: measuring again ({again})");
    }
    measure()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_selected_by_name_and_unknown_names_are_errors() {
        let area = Area::<()> {
            title: "",
            command: "",
            page: "",
            groups: &[
                ("speed", Group::Here(|()| Ok(Vec::new()))),
                ("memory", Group::Test("package")),
            ],
        };
        assert_eq!(area.select(&[]).unwrap().len(), 2);
        assert_eq!(area.select(&["speed".to_owned()]).unwrap().len(), 1);
        let error = area.select(&["sped".to_owned()]).err().unwrap().to_string();
        assert!(error.contains("speed"), "{error}");
    }

    #[test]
    fn only_misses_within_the_spread_are_measured_again() {
        fn figure(passed: bool, within_spread: bool) -> Figure {
            let mut figure = Figure::new("", "").measured("", passed);
            figure.within_spread = within_spread;
            figure
        }
        let mut tries = 0;
        let close = || {
            tries += 1;
            Ok(vec![figure(tries == 2, true)])
        };
        assert!(retried(close).unwrap()[0].passed);
        assert_eq!(tries, 2);
        tries = 0;
        let far = || {
            tries += 1;
            Ok(vec![figure(false, true), figure(false, false)])
        };
        assert!(!retried(far).unwrap()[0].passed);
        assert_eq!(tries, 1);
    }
}
