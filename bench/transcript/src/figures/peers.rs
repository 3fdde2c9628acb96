//! The tools that ours is compared with, at pinned versions, under target/peers/transcript.
//!
//! The pins are in bench/transcript, outside the product's workspace: a lock file for npm, hashes
//! for PyPI and for the packages of crates.io.

mod install;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use crate::runner::Task;
use crate::source::Source;
use crate::totals::{self, Totals};
use crate::workspace_root;

/// A tool that counts tokens.
pub(crate) struct UsagePeer {
    pub(crate) name: &'static str,
    /// Counts everything in a folder, once.
    pub(crate) task: fn(&Peers, &Source) -> Task,
    /// Reads what it printed.
    pub(crate) totals: fn(&[u8]) -> Result<Totals>,
}

/// In the order of the issue.
pub(crate) const USAGE_PEERS: &[UsagePeer] = &[
    UsagePeer {
        name: "ccusage 20.0.24",
        // It would use a cost from a line.
        task: |peers, source| {
            Task::new("ccusage 20.0.24", &peers.ccusage, source).args([
                "claude",
                "daily",
                "--json",
                "--offline",
                "--mode",
                "calculate",
            ])
        },
        totals: totals::of_days,
    },
    UsagePeer {
        name: "cc-usage 0.3.2",
        task: |peers, source| {
            Task::new("cc-usage 0.3.2", peers.crates.join("bin/ccu"), source)
                .args(["daily", "--json", "--tz", "UTC"])
        },
        totals: totals::of_days,
    },
    UsagePeer {
        name: "ccost 0.6.1",
        task: |peers, source| {
            Task::new("ccost 0.6.1", peers.crates.join("bin/ccost"), source).args([
                "--per",
                "day",
                "--tz",
                "UTC",
                "--output",
                "json",
                "--filename",
                "-",
            ])
        },
        totals: totals::of_ccost,
    },
    UsagePeer {
        name: "claude-transcript 0.1.0",
        task: |peers, source| {
            Task::new(
                "claude-transcript 0.1.0",
                peers.crates.join("bin/cct"),
                source,
            )
            .args(["usage", "--by", "model", "--json"])
        },
        totals: totals::of_cct,
    },
];

/// The tool that writes sessions as HTML.
pub(crate) const HTML_PEER: &str = "claude-code-transcripts 0.6";

/// Installed peers.
pub(crate) struct Peers {
    ccusage: PathBuf,
    crates: PathBuf,
    python: PathBuf,
}

impl Peers {
    /// Finds the pinned peers, installing those that are not there.
    pub(crate) fn ensure() -> Result<Self> {
        let folder = workspace_root().join("target/peers/transcript");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self {
            ccusage: install::from_npm(&folder.join("npm"))?,
            crates: install::from_crates(&folder.join("crates"))?,
            python: install::from_pypi(&folder.join("python"))?,
        })
    }

    /// Writes all sessions of a folder as pages, agents too.
    pub(crate) fn html(&self, source: &Source, output: &Path) -> Task {
        Task::new(HTML_PEER, &self.python, source)
            // As its own script does, which names the folder that it was installed in.
            .args(["-c", "from claude_code_transcripts import main; main()"])
            .args(["all", "--include-agents", "--quiet", "--source"])
            .args([source.config().join("projects")])
            .args(["--output"])
            .args([output])
            .onto(output)
    }
}

/// Tells cc-usage that it is up to date; otherwise it waits a fifth of a second for an answer from
/// the network, which would count as its time.
pub(crate) fn spare_the_wait(source: &Source) -> Result<()> {
    let folder = source.private().join("ccu");
    std::fs::create_dir_all(&folder)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let text = format!(r#"{{"checked_at":{now},"latest_version":"0.3.2"}}"#);
    std::fs::write(folder.join("version.json"), text)?;
    Ok(())
}
