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

/// Installs the programs that tests start, if they are missing, and checks that bubblewrap works.
pub(crate) fn ensure_packages() -> Result<()> {
    ensure_package("strace", "strace", "the tests of claw-store trace calls")?;
    ensure_package(
        "tmux",
        "tmux",
        "the tests of rusty_claw start a server of tmux",
    )?;
    ensure_package("bwrap", "bubblewrap", "the gateway isolates agents")?;
    let args = "--unshare-user --unshare-pid --ro-bind / / --proc /proc true";
    let tried = Cmd::new("bwrap").args(args.split(' ')).run();
    tried.context(
        "bubblewrap cannot create user namespaces here: set the sysctl \
         kernel.apparmor_restrict_unprivileged_userns=0 or kernel.unprivileged_userns_clone=1, \
         or permit unshare and mount in the seccomp profile of the container",
    )
}

/// Installs a package of the distribution if its program is missing.
fn ensure_package(program: &str, package: &str, why: &str) -> Result<()> {
    let find = format!("command -v {program}");
    if Cmd::new("sh").args(["-c", &find]).output().is_err() {
        println!("{program} is missing: installing {package}");
        let is_root = Cmd::new("id").args(["-u"]).text()?.trim() == "0";
        let sudo: &[&str] = if is_root { &["env"] } else { &["sudo", "-n"] };
        let apt = |args: &[&str]| Cmd::new(sudo[0]).args(&sudo[1..]).arg("apt-get").args(args);
        // The package lists may be missing or old. If the update fails, the old ones may be enough.
        if let Err(error) = apt(&["update", "--quiet"]).run() {
            println!("{error}");
        }
        let installed = apt(&["install", "--yes", "--quiet", package]).run();
        installed.with_context(|| format!("{why}: install {package} by hand"))?;
    }
    Ok(())
}

/// Whether rustup has a toolchain that works.
pub(crate) fn has_toolchain(name: &str) -> bool {
    // A machine without rustup has exactly one toolchain, which has no name to ask for.
    let version = Cmd::cargo().arg(format!("+{name}")).arg("--version");
    version.env("RUSTUP_AUTO_INSTALL", "0").text().is_ok()
}
