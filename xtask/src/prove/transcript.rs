//! The figures of session files.
//!
//! What is said of "ours" is measured on the `claw` program as a user runs it, built in release;
//! the tools of others run beside it, in the same rounds, over the same files.

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
mod redact;
mod repair;
mod review;
mod runner;
mod search;
mod source;
mod speed;
mod totals;
mod traps;
mod usage;

use std::cell::OnceCell;

use anyhow::{Result, anyhow};

use self::claw::Claw;
use self::corpora::Corpora;
use self::peers::Peers;
use self::runner::Runner;
use self::source::Source;
use super::area::{Area, Group};
use super::fuzz;
use crate::cli_package::workspace_root;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A fifth of the sizes, fewer rounds and no peers, for CI; every figure is still measured.
    #[arg(long)]
    quick: bool,
    /// Only these groups of figures: see the list in the error for a wrong name.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Write the output to docs/proof/transcript.md.
    #[arg(long)]
    write: bool,
}

/// What several groups read, made when the first one asks for it.
pub(crate) struct Inputs {
    quick: bool,
    runner: Runner,
    corpora: Corpora,
    claw: OnceCell<Result<Claw, String>>,
    peers: OnceCell<Result<Peers, String>>,
}

impl Inputs {
    /// Our program; an error while there is none, which is a figure that falls short.
    fn claw(&self) -> Result<&Claw> {
        let built = self
            .claw
            .get_or_init(|| Claw::build().map_err(|error| format!("{error:#}")));
        built.as_ref().map_err(|error| anyhow!("{error}"))
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

    /// Always the same number, so that nobody stops when the figure looks good.
    fn rounds(&self) -> usize {
        ROUNDS
    }
}

/// How often each contender runs.
const ROUNDS: usize = 7;

/// In the order of the table.
const GROUPS: &[(&str, Group<Inputs>)] = &[
    ("bytes", bytes::measure),
    ("traps", traps::measure),
    ("usage-truth", usage::truth),
    ("mutations", mutations::measure),
    ("repair", repair::measure),
    ("review", review::measure),
    ("redact", redact::measure),
    ("kinds", kinds::measure),
    ("usage-speed", speed::usage),
    ("check-speed", speed::check),
    ("html-speed", html::measure),
    ("list", list::measure),
    ("memory", memory::measure),
    ("search", search::measure),
    ("follow", follow::measure),
    ("fuzz", |_| {
        Ok(vec![fuzz::SESSION_FILES.figure(&workspace_root())?])
    }),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    let area = Area {
        title: "Session files, measured",
        command: "cargo xtask prove transcript --write",
        page: "docs/proof/transcript.md",
        groups: GROUPS,
    };
    let inputs = Inputs {
        quick: args.quick,
        runner: Runner::build()?,
        corpora: Corpora::new(),
        claw: OnceCell::new(),
        peers: OnceCell::new(),
    };
    let stamp = "Times are medians of rounds in which all contenders take turns, warm pages, two \
                 processors; beside them the smallest and the largest.";
    area.run(&inputs, &args.only, args.write, args.quick, stamp)
}
