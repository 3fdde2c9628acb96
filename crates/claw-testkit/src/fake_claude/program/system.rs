//! Signals, sessions and children: what the standard library leaves to the system.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM};

use crate::fake_claude::step::ShellChild;

/// The hidden argument by which the program starts itself as a shell child.
const AS_SHELL: &str = "--as-shell-child";

/// Ends as the CLI does on each signal, or does nothing when they are ignored.
pub(super) fn answer_signals(ignore: bool) -> io::Result<()> {
    for (signal, code) in [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 0)] {
        let ends = Arc::new(AtomicBool::new(!ignore));
        signal_hook::flag::register_conditional_shutdown(signal, code, ends)?;
    }
    Ok(())
}

/// Sends a signal to this process.
pub(super) fn die_by(signal: i32) -> ! {
    let _ = match signal {
        SIGKILL | SIGSTOP => signal_hook::low_level::raise(signal),
        _ => signal_hook::low_level::emulate_default_handler(signal),
    };
    // Only for a number that is no deadly signal.
    std::process::exit(128 + signal)
}

/// Starts a shell that leads a session of its own and inherits the environment.
pub(super) fn start_shell(shell: &ShellChild) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(AS_SHELL)
        .arg(shell.seconds.to_string())
        .stdin(Stdio::null());
    if !shell.keep_pipes {
        command.stdout(Stdio::null()).stderr(Stdio::null());
    }
    if let Some(path) = &shell.pid_file {
        command.arg(path);
    }
    command.spawn()?;
    let Some(path) = &shell.pid_file else {
        return Ok(());
    };
    // The shell writes it when it is a shell: until then it has no session and no environment.
    for _ in 0..5_000 {
        if path.is_file() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::new(
        io::ErrorKind::TimedOut,
        "it did not write its process id",
    ))
}

/// Becomes that shell, if the arguments request it; returns only otherwise or on failure.
pub(super) fn become_shell(arguments: &[String]) -> Option<io::Error> {
    let [first, seconds, pid_file @ ..] = arguments else {
        return None;
    };
    if first != AS_SHELL {
        return None;
    }
    let seconds: u64 = seconds.parse().unwrap_or(1);
    if let Err(error) = rustix::process::setsid() {
        return Some(error.into());
    }
    // The file appears whole or not at all.
    let script = format!(
        r#"[ -z "$1" ] || {{ echo $$ > "$1.part" && mv "$1.part" "$1"; }}; sleep {seconds}; :"#
    );
    Some(
        Command::new("/bin/sh")
            .args(["-c", &script, "shell"])
            .args(pid_file)
            .exec(),
    )
}

/// Writes a file atomically.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}
