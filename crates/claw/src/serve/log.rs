//! Log lines on standard error.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::LevelFilter;

/// Which log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogLevel {
    /// None.
    Off,
    /// What failed.
    Error,
    /// What may need attention.
    Warn,
    /// What happened.
    Info,
    /// Details for developers.
    Debug,
}

/// Starts to write log lines, as text or as JSON.
pub(crate) fn start(level: LogLevel, is_json: bool) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal());
    // This fails only if a subscriber is already set.
    let _ = match is_json {
        true => builder.json().flatten_event(true).try_init(),
        false => builder.try_init(),
    };
}
