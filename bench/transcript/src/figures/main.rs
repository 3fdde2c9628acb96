//! `transcript-figures GROUP`: measures a group of figures of session files.
//!
//! Figures of "ours" are measured on the `claw` program as a user runs it, built in release; the
//! tools of others run in the same rounds, over the same files. `cargo xtask prove transcript`
//! builds and starts all of them.

mod bytes;
mod claw;
mod corpora;
mod follow;
mod html;
mod kinds;
mod list;
mod memory;
mod mutations;
mod peers;
mod runner;
mod search;
mod source;
mod speed;
mod totals;
mod traps;
mod usage;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};
use claw_testkit::figure::{self, Figure};

use self::claw::Claw;
use self::corpora::Corpora;
use self::peers::Peers;
use self::runner::Runner;

/// The number of runs of each contender. It is fixed, so that a run cannot be stopped at a good
/// result.
const ROUNDS: usize = 7;

/// Measures the figures of one group.
type Measure = fn(&Inputs) -> Result<Vec<Figure>>;

const GROUPS: &[(&str, Measure)] = &[
    ("bytes", bytes::measure),
    ("traps", traps::measure),
    ("usage-truth", usage::truth),
    ("mutations", mutations::measure),
    ("kinds", kinds::measure),
    ("usage-speed", speed::usage),
    ("check-speed", speed::check),
    ("html-speed", html::measure),
    ("list", list::measure),
    ("memory", memory::measure),
    ("search", search::measure),
    ("follow", follow::measure),
];

fn main() -> Result<()> {
    let group = std::env::args().nth(1).unwrap_or_default();
    let measure = GROUPS.iter().find(|(name, _)| *name == group);
    let (_, measure) = measure.with_context(|| {
        let names: Vec<&str> = GROUPS.iter().map(|(name, _)| *name).collect();
        format!(
            "usage: transcript-figures GROUP, one of {}",
            names.join(", ")
        )
    })?;
    let inputs = Inputs {
        quick: figure::quick(),
        runner: Runner::find()?,
        corpora: Corpora::new(),
        claw: OnceCell::new(),
        peers: OnceCell::new(),
    };
    figure::record(&group, measure(&inputs)?);
    Ok(())
}

/// What several groups need, made on first use.
struct Inputs {
    quick: bool,
    runner: Runner,
    corpora: Corpora,
    claw: OnceCell<Result<Claw, String>>,
    peers: OnceCell<Result<Peers, String>>,
}

impl Inputs {
    /// Our program. If it is missing, its figures fall short and those of others are still measured.
    fn claw(&self) -> Result<&Claw> {
        let found = self
            .claw
            .get_or_init(|| Claw::find().map_err(|error| format!("{error:#}")));
        found.as_ref().map_err(|error| anyhow!("{error}"))
    }

    /// The tools of others; none in a quick run.
    fn peers(&self) -> Result<Option<&Peers>> {
        if self.quick {
            return Ok(None);
        }
        let installed = self
            .peers
            .get_or_init(|| Peers::ensure().map_err(|error| format!("{error:#}")));
        installed
            .as_ref()
            .map(Some)
            .map_err(|error| anyhow!("{error}"))
    }

    fn rounds(&self) -> usize {
        ROUNDS
    }
}

/// A program in the folder of this one, where `cargo xtask prove` builds all of them.
fn program(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe().context("cannot find this program")?;
    let path = this.with_file_name(name);
    ensure!(
        path.is_file(),
        "{} is missing: run `cargo xtask prove transcript`",
        path.display()
    );
    Ok(path)
}

/// The folder of the repository.
fn workspace_root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}
