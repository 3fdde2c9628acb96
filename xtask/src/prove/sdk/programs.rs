//! The programs that the figures run: those of `bench/sdk`, and the stand-in for the CLI.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::prove::build;

/// Programs that are built.
pub(crate) struct Programs {
    folder: PathBuf,
    /// The stand-in for the CLI.
    pub(crate) fake: PathBuf,
}

impl Programs {
    /// Builds our own in release; the lock file is that of `bench/sdk`.
    pub(crate) fn build() -> Result<Self> {
        Self::with(&[])
    }

    /// Builds the programs of the peers too.
    pub(crate) fn build_with_peers() -> Result<Self> {
        Self::with(&["--features", "peers"])
    }

    fn with(features: &[&str]) -> Result<Self> {
        let manifest = &["--manifest-path", "bench/sdk/Cargo.toml"];
        let folder = build::release(&[manifest, features].concat())?;
        let own = build::release(&["-p", "claw-testkit", "--bin", "fake-claude"])?;
        Ok(Self {
            fake: own.join("fake-claude"),
            folder,
        })
    }

    /// A program of `bench/sdk`.
    pub(crate) fn bench(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Runs a program to its end, and reads the line of JSON that it prints.
pub(crate) fn ran<T: serde::de::DeserializeOwned>(command: &mut Command) -> Result<T> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{command:?} did not start"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?}: {}: {errors}",
        output.status
    );
    serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}: {errors}"))
}
