//! A place to run the real CLI in: an empty home, and a model that says what it is told.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

    /// The folder that all of this is in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder that sessions work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The folder that session files are under.
    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    /// The CLI.
    pub(crate) fn binary(&self) -> &Path {
        &self.binary
    }

    /// Options that start the real CLI here, and with nothing of this machine but its programs.
    pub(crate) fn options(&self) -> Options {
        let options = Options::new()
            .cli_path(&self.binary)
            .cwd(self.project())
            .env_clear();
        self.environment()
            .into_iter()
            .fold(options, |options, (name, value)| options.env(name, value))
    }

    /// The whole environment of a CLI here.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let folder = |name: &str| self.folder.path().join(name).into_os_string();
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default()),
            ("HOME", folder("home")),
            ("TMPDIR", folder("tmp")),
            ("CLAUDE_CODE_TMPDIR", folder("tmp")),
            ("CLAUDE_CONFIG_DIR", self.config().into_os_string()),
            ("ANTHROPIC_BASE_URL", self.api.uri().into()),
            ("ANTHROPIC_API_KEY", "sk-ant-of-no-use".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
            ("DISABLE_TELEMETRY", "1".into()),
            ("DISABLE_AUTOUPDATER", "1".into()),
        ]
    }
}
