//! Installs what bench/transcript pins.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace_root;

const PINS: &str = "bench/transcript";
/// Written last, with the pins as they were, so that a half made folder does not count.
const NOTE: &str = "installed.txt";

/// ccusage: a native program that npm hands out. Its launcher would only start it.
pub(crate) fn from_npm(folder: &Path) -> Result<PathBuf> {
    let pins = workspace_root().join(PINS);
    let program = folder.join("node_modules/@ccusage/ccusage-linux-x64/bin/ccusage");
    let lock = read(&pins.join("package-lock.json"))?;
    if is_there(folder, &lock) {
        return Ok(program);
    }
    eprintln!("installing ccusage into target/peers");
    std::fs::create_dir_all(folder)?;
    for file in ["package.json", "package-lock.json"] {
        std::fs::copy(pins.join(file), folder.join(file))?;
    }
    ran(Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .arg("--loglevel=error")
        .current_dir(folder))?;
    make_executable(&program)?;
    std::fs::write(folder.join(NOTE), lock)?;
    Ok(program)
}

/// A Python that has simonw's claude-code-transcripts.
pub(crate) fn from_pypi(folder: &Path) -> Result<PathBuf> {
    let requirements = workspace_root().join(PINS).join("requirements.txt");
    let python = folder.join("bin/python");
    let wanted = read(&requirements)?;
    if is_there(folder, &wanted) {
        return Ok(python);
    }
    eprintln!("installing claude-code-transcripts into target/peers");
    ran(Command::new("python3")
        .args(["-m", "venv", "--clear"])
        .arg(folder))?;
    ran(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--only-binary", ":all:"])
        .args(["--require-hashes", "-r"])
        .arg(&requirements))?;
    std::fs::write(folder.join(NOTE), wanted)?;
    Ok(python)
}

/// The programs of crates.io, each built with the lock file of its package.
pub(crate) fn from_crates(folder: &Path) -> Result<PathBuf> {
    let wanted = read(&workspace_root().join(PINS).join("crates.txt"))?;
    if is_there(folder, &wanted) {
        return Ok(folder.to_owned());
    }
    for pin in pins(&wanted)? {
        if folder.join("bin").join(pin.program).is_file() && has_hash(&pin)? {
            continue;
        }
        eprintln!("building {} {} into target/peers", pin.name, pin.version);
        ran(Command::new("cargo")
            .args(["install", "--locked", "--quiet", "--version"])
            .arg(format!("={}", pin.version))
            .arg("--root")
            .arg(folder)
            .arg("--target-dir")
            .arg(folder.join("build"))
            .arg(pin.name))?;
        ensure!(
            has_hash(&pin)?,
            "the package {} {} is not the one that {PINS}/crates.txt pins",
            pin.name,
            pin.version
        );
    }
    // It is large and only of use for the next build.
    let build = folder.join("build");
    if build.exists() {
        std::fs::remove_dir_all(build)?;
    }
    std::fs::write(folder.join(NOTE), wanted)?;
    Ok(folder.to_owned())
}

/// One line of crates.txt.
#[derive(Debug, PartialEq)]
struct Pin<'a> {
    name: &'a str,
    version: &'a str,
    program: &'a str,
    hash: &'a str,
}

fn pins(text: &str) -> Result<Vec<Pin<'_>>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let [name, version, program, hash] = line.split(' ').collect::<Vec<_>>()[..] else {
                anyhow::bail!("not a pin of a crate: {line}");
            };
            Ok(Pin {
                name,
                version,
                program,
                hash,
            })
        })
        .collect()
}

/// Whether cargo has the pinned package, and no other one of that name and version.
fn has_hash(pin: &Pin<'_>) -> Result<bool> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .context("cargo has no home folder")?;
    let file = format!("{}-{}.crate", pin.name, pin.version);
    let cache = home.join("registry/cache");
    let mut found = false;
    for registry in
        std::fs::read_dir(&cache).with_context(|| format!("cannot read {}", cache.display()))?
    {
        let package = registry?.path().join(&file);
        if !package.is_file() {
            continue;
        }
        let output = Command::new("sha256sum")
            .arg(&package)
            .output()
            .context("sha256sum did not start")?;
        if !output.stdout.starts_with(pin.hash.as_bytes()) {
            return Ok(false);
        }
        found = true;
    }
    Ok(found)
}

fn is_there(folder: &Path, pins: &str) -> bool {
    std::fs::read_to_string(folder.join(NOTE)).is_ok_and(|installed| installed == pins)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// npm does not mark it so, because no package names it as its program.
fn make_executable(program: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755))
            .with_context(|| format!("there is no {}", program.display()))?;
    }
    #[cfg(not(unix))]
    ensure!(program.is_file(), "there is no {}", program.display());
    Ok(())
}

fn ran(command: &mut Command) -> Result<()> {
    let status = command
        .stdin(Stdio::null())
        .status()
        .with_context(|| format!("{command:?} did not start"))?;
    ensure!(status.success(), "{command:?} failed: {status}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pins_are_read_and_a_short_line_is_an_error() {
        let text = read(&workspace_root().join(PINS).join("crates.txt")).unwrap();
        let names: Vec<_> = pins(&text).unwrap().iter().map(|pin| pin.name).collect();
        assert_eq!(names, ["cc-usage", "ccost", "claude-transcript"]);
        assert!(pins(&text).unwrap().iter().all(|pin| pin.hash.len() == 64));
        assert!(pins("ccost 0.6.1\n").is_err());
    }
}
