//! Tests on the real CLI: where it is, an isolated home for it, and figures made of variants.
//!
//! `cargo xtask prove` downloads the CLI and sets the environment variables that [`real_cli`]
//! reads. Nothing here knows the code under test.

mod variants;
mod world;

use std::path::PathBuf;
use std::time::Duration;

pub use variants::Variants;
pub use world::{ToolResult, World, bash, call, path_without_cli};

/// The timeout for anything that the CLI does on its own. It only ends a hang: on a loaded machine
/// a start alone can take ten seconds.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// The environment variables by which `cargo xtask prove` passes a [`RealCli`].
pub mod variables {
    /// Names the binary.
    pub const CLI: &str = "CLAW_CLI";
    /// The version of the binary.
    pub const CLI_VERSION: &str = "CLAW_CLI_VERSION";
    /// Names the folder that holds the `node_modules` of the npm package.
    pub const SDK: &str = "CLAW_SDK";
    /// The version of the npm package.
    pub const SDK_VERSION: &str = "CLAW_SDK_VERSION";
    /// Names the program `proofs`.
    pub const LAB: &str = "CLAW_LAB";
}

/// The installed CLI.
#[derive(Debug, Clone)]
pub struct RealCli {
    /// The native `claude` binary.
    pub binary: PathBuf,
    /// The version that the binary reports.
    pub version: String,
    /// The folder that holds `node_modules`, with the TypeScript SDK.
    pub package: PathBuf,
    /// The version of the npm package.
    pub package_version: String,
    /// The program `proofs`: with the argument [`LAB`] it is a stdio MCP server.
    pub lab: PathBuf,
}

/// The argument that turns `proofs` into a stdio MCP server.
pub const LAB: &str = "lab";

/// Returns the CLI that `cargo xtask prove` installed.
///
/// # Panics
/// If a test was started in another way: a missing CLI fails a test and never skips it.
pub fn real_cli() -> RealCli {
    let variable = |name: &str| {
        std::env::var(name).unwrap_or_else(|_| {
            panic!(
                "{name} is not set: run this test with \
                 `cargo xtask prove AREA --only GROUP`, which installs the CLI"
            )
        })
    };
    RealCli {
        binary: variable(variables::CLI).into(),
        version: variable(variables::CLI_VERSION),
        package: variable(variables::SDK).into(),
        package_version: variable(variables::SDK_VERSION),
        lab: variable(variables::LAB).into(),
    }
}

/// Calls `look` every 100 ms until it returns a value.
///
/// # Errors
/// Returns the error of `look`, or a timeout after [`TIMEOUT`] that names `what`.
pub async fn eventually<T, E: From<std::io::Error>>(
    what: &str,
    mut look: impl AsyncFnMut() -> Result<Option<T>, E>,
) -> Result<T, E> {
    let found = async {
        loop {
            if let Some(found) = look().await? {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let late = |_| std::io::Error::other(format!("not within {} s: {what}", TIMEOUT.as_secs()));
    tokio::time::timeout(TIMEOUT, found).await.map_err(late)?
}
