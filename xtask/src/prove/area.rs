//! What is measured, and how.

use anyhow::Result;

use crate::figure::Figure;

/// What to measure.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The area to prove.
    pub(super) area: String,
    /// Fewer rounds and smaller sizes.
    #[arg(long)]
    pub(super) quick: bool,
    /// Only these groups of figures: the error for an unknown name lists them.
    #[arg(long, value_delimiter = ',')]
    pub(super) only: Vec<String>,
    /// Only the planted bugs whose names contain one of these.
    #[arg(long, value_delimiter = ',')]
    pub(super) bugs: Vec<String>,
    /// Write the output to the page of the area, in docs/proof/.
    #[arg(long, conflicts_with_all = ["quick", "only", "bugs"])]
    pub(super) write: bool,
    /// Skip groups that reached their bars in an earlier run on the same sources.
    #[arg(long, conflicts_with = "quick")]
    pub(super) resume: bool,
    /// Use the figures of earlier runs where there are any, also on other sources. The page names
    /// the commits at which they were measured.
    #[arg(long, conflicts_with = "quick")]
    pub(super) keep: bool,
    /// Also install and measure the SDKs and tools of others.
    #[arg(long)]
    pub(super) peers: bool,
}

/// How the figures of a group are measured.
#[derive(Clone, Copy)]
pub(super) enum Group {
    /// By a test of a package: the package, the test binary, and the test.
    Test(&'static str, &'static str, &'static str),
    /// By the simulation of the gateway, which is built in release.
    Simulation,
    /// By `claw-bench`, which is started with the name of the group.
    Bench,
    /// By `claw-peers`, likewise.
    Peers,
    /// By the number of tests that pass.
    Suite(&'static Suite),
    /// By a function of this program.
    Here(fn(&Args) -> Result<Vec<Figure>>),
}

/// Tests that are counted.
pub(super) struct Suite {
    /// The name of its figure.
    pub(super) name: &'static str,
    /// The filter of nextest.
    pub(super) filter: &'static str,
    /// The least number of tests that must pass.
    pub(super) least: usize,
    /// Additional environment variables.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Whether they need the other versions of nats-server, one of which needs Debian 12.
    pub(super) other_servers: bool,
}

/// An area of the product and the figures by which it is judged.
pub(super) struct Area {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// How the figures were measured.
    pub(super) stamp: &'static str,
    /// In the order of the page.
    pub(super) groups: &'static [(&'static str, Group)],
}
