//! The TypeScript client.

use anyhow::Result;

use super::process::Cmd;

const PACKAGE: &str = "--prefix=clients/typescript";

/// Compiles the client and runs its tests. Its tests on a gateway are tests of `claw-gateway`.
pub(crate) fn run() -> Result<()> {
    let npm = |args: &[&str]| Cmd::new("npm").args([PACKAGE]).args(args).run();
    npm(&["ci", "--prefer-offline", "--loglevel=error"])?;
    // Without the types of Node.js, which browsers do not have.
    npm(&["run", "build", "--", "--noEmit"])?;
    npm(&["test"])
}
