//! Signals and files.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGSTOP, SIGTERM};

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

/// Writes a file atomically.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, path)
}
