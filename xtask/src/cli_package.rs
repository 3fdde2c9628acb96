//! The pinned CLI package: where it is, how it gets there.
//!
//! Everything that needs the real CLI goes through [`ensure()`], so that one pin decides which
//! release is recorded, compared and tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Version of the npm package `@anthropic-ai/claude-agent-sdk`.
pub(crate) const PACKAGE_VERSION: &str = "0.3.325";
/// Version of `@anthropic-ai/sdk`, whose types the package refers to. The package permits any later
/// one, and the newest differs from day to day.
const API_TYPES_VERSION: &str = "1.9.0";
/// Version of the TypeScript compiler that reads the package's type file.
const TYPESCRIPT_VERSION: &str = "5.9.3";
/// Version that the binary inside the package reports; recordings are filed under it.
pub(crate) const CLI_VERSION: &str = "2.1.325";

/// An installed package.
#[derive(Debug, Clone)]
pub(crate) struct CliPackage {
    root: PathBuf,
}

impl CliPackage {
    /// The native `claude` binary.
    pub(crate) fn binary(&self) -> PathBuf {
        self.root
            .join("node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude")
    }

    /// The type file of the SDK messages.
    pub(crate) fn sdk_types(&self) -> PathBuf {
        self.root
            .join("node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts")
    }

    /// The folder that holds `node_modules`, where scripts that use the compiler run.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}

/// The workspace root, whatever folder the task was started in.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map_or_else(PathBuf::new, Path::to_path_buf)
}

/// Finds the pinned package under `target/cli/`, installing it with npm when it is not there.
pub(crate) fn ensure() -> Result<CliPackage> {
    install(PACKAGE_VERSION)
}

/// Installs one version of the package beside the pinned one, for `drift --version`.
pub(crate) fn install(version: &str) -> Result<CliPackage> {
    let root = workspace_root().join("target/cli").join(version);
    let package = CliPackage { root: root.clone() };
    if package.binary().is_file() && package.sdk_types().is_file() {
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
        .args([
            "install",
            "--no-audit",
            "--no-fund",
            "--no-save",
            "--loglevel=error",
        ])
        .arg(format!("@anthropic-ai/claude-agent-sdk@{version}"))
        .arg(format!("@anthropic-ai/sdk@{API_TYPES_VERSION}"))
        .arg(format!("typescript@{TYPESCRIPT_VERSION}"))
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
