//! Processes that are measured: how they are started, and what /proc holds about them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use claw_testkit::FakeScript;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A program that was built beside this one.
///
/// # Errors
/// Returns an error if it was not built.
pub fn program(name: &str) -> Result<PathBuf> {
    let running = std::env::current_exe()?;
    // Tests are in a folder below it.
    let folder = running
        .ancestors()
        .skip(1)
        .find(|folder| !folder.ends_with("deps"));
    let path = folder.unwrap_or(&running).join(name);
    ensure!(
        path.is_file(),
        "{} is missing: build it with the same profile",
        path.display()
    );
    Ok(path)
}

/// A path in the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Starts a command in that folder, with nothing of this machine's environment but its programs.
pub fn isolate<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let command = command.env_clear().env("PATH", path);
    command.env("HOME", folder).current_dir(folder)
}

/// This program as one of its [`Program`](crate::Program)s, [isolated](isolate).
///
/// # Errors
/// Returns an error if this program has no path.
pub fn measured(program: &str, folder: &Path) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    isolate(&mut command, folder).arg(program);
    Ok(command)
}

/// Runs a command and decodes the JSON that it prints.
///
/// # Errors
/// Returns an error with its standard error if it fails or prints something else.
pub fn json_of<T: DeserializeOwned>(command: &mut Command) -> Result<T> {
    let started = command.stdin(Stdio::null()).output();
    let output = started.with_context(|| format!("{command:?} did not start"))?;
    let (status, errors) = (output.status, String::from_utf8_lossy(&output.stderr));
    ensure!(status.success(), "{command:?}: {status}: {errors}");
    serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}: {errors}"))
}

/// A runtime with two workers, as an application has: one worker would flatter us.
///
/// # Errors
/// Returns an error if its threads cannot be started.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build()
}

/// Prints the value of a future as JSON, for [`json_of`]. The future runs in a task, as a server
/// runs sessions: the main thread of a runtime is none of its workers.
///
/// # Errors
/// Returns the error of the future.
pub fn print_json<T: Serialize + Send + 'static>(
    future: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<()> {
    let runtime = runtime()?;
    let report = runtime.block_on(runtime.spawn(future))??;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// A CLI that plays this script, in that folder. `fake-claude` is built beside this program.
///
/// # Errors
/// Returns an error if the folder has one already.
pub fn fake_cli(folder: &Path, script: &FakeScript) -> Result<PathBuf> {
    // Beside the program, because hosts may clear the environment.
    script.write(folder.join("fake-claude.json"))?;
    let cli = folder.join("claude");
    std::os::unix::fs::symlink(program("fake-claude")?, &cli)?;
    Ok(cli)
}

/// Keeps this process on so many cores.
///
/// # Errors
/// Returns the error of the system call.
pub fn on_cores(count: usize) -> Result<()> {
    let mut cores = rustix::thread::CpuSet::new();
    (0..count).for_each(|core| cores.set(core));
    Ok(rustix::thread::sched_setaffinity(None, &cores)?)
}

/// The resident memory of a process.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn resident_kib(process: u32) -> Result<u64> {
    status(process, "VmRSS:")
}

/// The most memory that a process has had.
///
/// # Errors
/// Returns an error if there is no such process.
pub fn peak_kib(process: u32) -> Result<u64> {
    status(process, "VmHWM:")
}

fn status(process: u32, name: &str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let size = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    size.with_context(|| format!("no {name} in /proc/{process}/status"))
}

/// The processor time of a process that still runs, in seconds. [`cpu_time`] is finer, for this
/// process only.
///
/// [`cpu_time`]: claw_testkit::processes::cpu_time
///
/// # Errors
/// Returns an error if there is no such process.
pub fn cpu_seconds(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may contain spaces.
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let user_and_system = fields.split_whitespace().skip(11).take(2);
    let ticks = user_and_system.map(|field| field.parse().unwrap_or(f64::NAN));
    // A hundred in a second on every Linux.
    Ok(ticks.sum::<f64>() / 100.0)
}
