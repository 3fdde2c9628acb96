//! Programs that a bare machine does not have.

use anyhow::{Context, Result};

use super::process::Cmd;

/// A cargo subcommand and the version to install when there is none.
#[derive(Debug)]
pub(crate) struct Tool {
    subcommand: &'static str,
    package: &'static str,
    version: &'static str,
}

pub(crate) const NEXTEST: Tool = Tool {
    subcommand: "nextest",
    package: "cargo-nextest",
    version: "0.9.143",
};
pub(crate) const DENY: Tool = Tool {
    subcommand: "deny",
    package: "cargo-deny",
    version: "0.18.9",
};
pub(crate) const FUZZ: Tool = Tool {
    subcommand: "fuzz",
    package: "cargo-fuzz",
    version: "0.13.1",
};

impl Tool {
    /// Installs the tool if it is missing. An installed one is used in any version.
    ///
    /// Compiling takes minutes, so the tool goes where cargo keeps programs and later runs find it.
    pub(crate) fn ensure(&self) -> Result<()> {
        if let Ok(version) = Cmd::cargo().args([self.subcommand, "--version"]).text() {
            println!("{}", version.lines().next().unwrap_or(self.package));
            return Ok(());
        }
        println!("{} is missing: compiling {}", self.package, self.version);
        let mut install = Cmd::cargo().args([
            "install",
            "--quiet",
            "--locked",
            self.package,
            "--version",
            self.version,
        ]);
        if std::env::var_os("CI").is_some() {
            // On a build machine the compile is the cost and the tool runs for seconds.
            install = install
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
        }
        install
            .run()
            .with_context(|| format!("cannot install {}", self.package))
    }
}

/// Installs strace from the distribution if it is missing. The tests that rebuild a file without
/// its unsynced writes trace the calls of a process.
pub(crate) fn ensure_strace() -> Result<()> {
    let version = || Cmd::new("strace").args(["--version"]).text();
    if version().is_err() {
        println!("strace is missing: installing it");
        let is_root = Cmd::new("id").args(["-u"]).text()?.trim() == "0";
        let apt = |args: &[&str]| match is_root {
            true => Cmd::new("apt-get").args(args),
            false => Cmd::new("sudo")
                .args(["--non-interactive", "apt-get"])
                .args(args),
        };
        // The list of packages may be missing or old. One that cannot be fetched may be enough.
        if let Err(error) = apt(&["update", "--quiet"]).run() {
            println!("{error}");
        }
        let installed = apt(&["install", "--yes", "--quiet", "strace"]).run();
        installed.context("the tests of claw-store need strace: install it by hand")?;
    }
    let version = version().context("strace does not start")?;
    println!("{}", version.lines().next().unwrap_or("strace"));
    Ok(())
}

/// Whether rustup has a toolchain whose name starts so.
pub(crate) fn has_toolchain(name: &str) -> bool {
    // A machine without rustup has exactly one toolchain, which has no name to ask for.
    Cmd::new("rustup")
        .args(["toolchain", "list"])
        .text()
        .is_ok_and(|list| list.lines().any(|line| line.starts_with(name)))
}
