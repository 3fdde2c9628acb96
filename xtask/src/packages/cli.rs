//! The pinned CLI package: where it is, how it gets there.
//!
//! Everything that needs the real CLI goes through [`ensure()`], so that one pin decides which
//! release is recorded, compared and tested.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::place::workspace_root;

/// The pinned releases, in `testdata/cli/pins.json`.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Pins {
    /// Version that the binary inside the package reports; recordings are filed under it.
    pub(crate) cli: String,
    /// Version of the npm package `@anthropic-ai/claude-agent-sdk`.
    pub(crate) package: String,
    /// Version of `@anthropic-ai/sdk`, whose types the package refers to. The package permits any
    /// later one, and the newest differs from day to day.
    api_types: String,
    /// Version of the TypeScript compiler that reads the package's type file.
    typescript: String,
}

/// Reads the pins.
pub(crate) fn pins() -> Result<Pins> {
    let pins = include_str!("../../../testdata/cli/pins.json");
    serde_json::from_str(pins).context("testdata/cli/pins.json")
}

/// An installed package.
#[derive(Debug, Clone)]
pub(crate) struct CliPackage {
    root: PathBuf,
    version: String,
    cli_version: String,
}

impl CliPackage {
    /// The native `claude` binary.
    pub(crate) fn binary(&self) -> PathBuf {
        self.root
            .join("node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude")
    }

    /// The environment variables that `claw_testkit::real_cli` reads, except `CLAW_LAB`.
    pub(crate) fn variables(&self) -> [(&'static str, OsString); 4] {
        [
            ("CLAW_CLI", self.binary().into()),
            ("CLAW_CLI_VERSION", self.cli_version.clone().into()),
            ("CLAW_SDK", self.root.clone().into()),
            ("CLAW_SDK_VERSION", self.version.clone().into()),
        ]
    }
}

/// Finds the pinned package under `target/cli/`, installing it with npm when it is not there.
pub(crate) fn ensure() -> Result<CliPackage> {
    install(&pins()?.package)
}

/// Installs one version of the package beside the pinned one, for `drift --version`.
pub(crate) fn install(version: &str) -> Result<CliPackage> {
    let pins = pins()?;
    let root = workspace_root().join("target/cli").join(version);
    let package = CliPackage {
        root: root.clone(),
        version: version.to_owned(),
        cli_version: pins.cli,
    };
    let types = root.join("node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts");
    if package.binary().is_file() && types.is_file() {
        return Ok(package);
    }
    std::fs::create_dir_all(&root).with_context(|| format!("cannot create {}", root.display()))?;
    std::fs::write(
        root.join("package.json"),
        r#"{"name":"cli","private":true}"#,
    )?;
    eprintln!(
        "installing the CLI package {version} into {}",
        root.display()
    );
    let status = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-save"])
        .arg("--loglevel=error")
        .arg(format!("@anthropic-ai/claude-agent-sdk@{version}"))
        .arg(format!("@anthropic-ai/sdk@{}", pins.api_types))
        .arg(format!("typescript@{}", pins.typescript))
        .current_dir(&root)
        .status()
        .context("npm did not start: install Node.js 20 or newer")?;
    ensure!(
        status.success(),
        "npm could not install the CLI package {version}: {status}"
    );
    ensure!(
        package.binary().is_file(),
        "the package {version} holds no linux-x64 binary"
    );
    Ok(package)
}
