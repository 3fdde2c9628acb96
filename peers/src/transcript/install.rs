//! Installs the tools that `peers/transcript` pins: a lock file for npm, hashes for PyPI and for the
//! packages of crates.io.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use claw_bench::process::repository;

/// A native program that npm hands out. Its launcher would only start it.
pub(super) const CCUSAGE: &str = "npm/node_modules/@ccusage/ccusage-linux-x64/bin/ccusage";
const PINS: &str = "peers/transcript";

/// Returns the folder of the pinned tools, and installs them if the pins have changed.
pub(super) fn ensure() -> Result<PathBuf> {
    let folder = repository("target/peers/transcript");
    let pins = repository(PINS);
    let read = |file| {
        let path = pins.join(file);
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let crates = read("crates.txt")?;
    let wanted = [
        &crates,
        &read("package-lock.json")?,
        &read("requirements.txt")?,
    ]
    .map(|s| &**s);
    let wanted = wanted.concat();
    // Written last, so that half made folders do not count.
    let note = folder.join("installed.txt");
    if fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(folder);
    }
    eprintln!("installing other tools into {}", folder.display());
    from_npm(&folder, &pins)?;
    from_pypi(&folder.join("python"), &pins)?;
    from_crates(&folder.join("crates"), &crates)?;
    fs::write(note, wanted)?;
    Ok(folder)
}

fn from_npm(folder: &Path, pins: &Path) -> Result<()> {
    let npm = folder.join("npm");
    fs::create_dir_all(&npm)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(pins.join(file), npm.join(file))?;
    }
    run(Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .arg("--loglevel=error")
        .current_dir(npm))?;
    // npm does not mark it so, because no package names it as its program.
    let executable = fs::Permissions::from_mode(0o755);
    Ok(fs::set_permissions(folder.join(CCUSAGE), executable)?)
}

fn from_pypi(folder: &Path, pins: &Path) -> Result<()> {
    run(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder))?;
    run(Command::new(folder.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(["--require-hashes", "-r"])
        .arg(pins.join("requirements.txt")))
}

/// Builds each program with the lock file of its package.
fn from_crates(folder: &Path, pins: &str) -> Result<()> {
    let build = folder.join("build");
    for pin in pins.lines().filter(|line| !line.starts_with('#')) {
        let [name, version, hash] = pin.split(' ').collect::<Vec<_>>()[..] else {
            bail!("not a pin of a crate: {pin}");
        };
        run(Command::new("cargo")
            .args(["install", "--locked", "--quiet", name])
            .args(["--version", &format!("={version}"), "--root"])
            .arg(folder)
            .arg("--target-dir")
            .arg(&build))?;
        check_hash(&format!("{name}-{version}.crate"), hash)?;
    }
    // It is large and only of use for the next build.
    Ok(fs::remove_dir_all(build)?)
}

/// Fails unless cargo has the pinned package, and no other one of that name and version.
fn check_hash(package: &str, hash: &str) -> Result<()> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let registries = home
        .context("cargo has no home folder")?
        .join("registry/cache");
    let mut found = false;
    for registry in fs::read_dir(registries)? {
        let path = registry?.path().join(package);
        if path.is_file() {
            let output = Command::new("sha256sum").arg(path).output()?;
            let is_pinned = output.stdout.starts_with(hash.as_bytes());
            ensure!(
                is_pinned,
                "{package} is not the one that {PINS}/crates.txt pins"
            );
            found = true;
        }
    }
    ensure!(found, "cargo has no {package}");
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).status();
    let status = status.with_context(|| format!("{command:?} did not start"))?;
    ensure!(status.success(), "{command:?}: {status}");
    Ok(())
}
