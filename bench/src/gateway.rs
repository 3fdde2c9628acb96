//! The figures of the gateway.
//!
//! The gateway runs in a process of its own, on SQLite, with a stand-in for the CLI; the clients are
//! in this one. All processes share the processors of the machine.

mod attempts;
mod bare;
mod clients;
mod follower;
mod latency;
mod load;
mod processors;
pub mod served;
mod server;
mod slow;

use anyhow::Result;
use rustix::process::{Resource, getrlimit, setrlimit};

pub use self::clients::{Clients, Measured, late_ms, window};
use crate::tasks::block_on;
use crate::{Group, Program};

/// The groups of figures. Each of them ends, also at full size: see `attempts.rs`.
pub const GROUPS: &[Group] = &[
    ("latency", || with_files(latency::figures())),
    ("load", || with_files(load::figures())),
    ("clients", || with_files(slow::figures())),
];

/// The programs that groups start.
pub const PROGRAMS: &[Program] = &[(server::PROGRAM, |_| with_files(server::run()))];

/// Runs a future with as many open files as allowed: each client is one in two processes.
///
/// # Errors
/// Returns its error.
pub fn with_files<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files)?;
    block_on(future)
}
