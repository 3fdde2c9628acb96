//! The official SDKs, at pinned versions.

use anyhow::Result;
use claw_bench::process::repository;
use claw_bench::sdk::run::Driver;
use claw_testkit::real_cli::real_cli;

use crate::install;

/// A script in `peers/sdk` for the TypeScript SDK.
pub(super) fn typescript(script: &str) -> Driver {
    let package = real_cli().package;
    let sdk = package.join("node_modules/@anthropic-ai/claude-agent-sdk");
    Driver {
        name: "TypeScript",
        program: "node".into(),
        args: vec![repository("peers/sdk").join(script).into(), sdk.into()],
    }
}

/// A script in `peers/sdk` for the Python SDK.
pub(super) fn python(script: &str) -> Result<Driver> {
    Ok(Driver {
        name: "Python",
        program: install::ensure("sdk", &["requirements.txt"])?.join("python/bin/python"),
        args: vec![repository("peers/sdk").join(script).into()],
    })
}
