//! A place to run the real CLI in: an empty home, and a model that says what it is told.

use std::path::PathBuf;

use anyhow::{Context, Result};
use claw_testkit::ScriptedApi;
use rusty_claw::Options;

use crate::cli_package::CliPackage;

/// An empty home, a project folder and a scripted model.
pub(crate) struct World {
    folder: tempfile::TempDir,
    binary: PathBuf,
    pub(crate) api: ScriptedApi,
}

impl World {
    pub(crate) async fn new(cli: &CliPackage) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        for name in ["home", "config", "project", "tmp"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        let api = ScriptedApi::start().await?;
        Ok(Self {
            folder,
            binary: cli.binary(),
            api,
        })
    }

    /// The folder that sessions work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The folder that session files are under.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// Options that start the real CLI here, and with nothing of this machine but its programs.
    pub(crate) fn options(&self) -> Options {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Options::new()
            .cli_path(&self.binary)
            .cwd(self.project())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path().join("home"))
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env("CLAUDE_CODE_TMPDIR", self.folder.path().join("tmp"))
            .env("CLAUDE_CONFIG_DIR", self.config())
            .env("ANTHROPIC_BASE_URL", self.api.uri())
            .env("ANTHROPIC_API_KEY", "sk-ant-of-no-use")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_AUTOUPDATER", "1")
    }
}
