//! Finds the CLI, and checks its version and flags before it is started.
//!
//! A CLI that is started with an unknown flag exits at once, with only a line on standard error. So
//! it is probed first ([`probe()`]), and an unknown flag becomes an error that names it. The result
//! is cached in this process and on disk until the CLI's file changes, so only the first start on a
//! machine pays for the probe.

mod cache;
pub(crate) mod check;
pub(crate) mod find;
mod flags;
pub(crate) mod length;
mod probe;
mod version;

#[cfg(test)]
pub(crate) use check::TIMEOUT;
pub use check::{ask_for_flag, probe, probe_in};
pub use find::{Program, find};
pub use flags::{check_flags, check_version};
pub use probe::{Probe, hidden_flags};
pub use version::{MINIMUM_VERSION, Version};
