//! Connections to a CLI: two byte streams, and a custody that watches and stops the other side.
//!
//! A session does not depend on processes. It reads from one stream, writes to the other, and
//! watches and stops the other side through a [`Custody`]. The usual one is a child process;
//! anything that reads and writes will do.

mod child;
pub(crate) mod connection;
pub mod custody;
pub(crate) mod exit;
pub(crate) mod host_folder;
mod host_process;
mod in_memory;
pub(crate) mod launch;
pub(crate) mod launcher;
mod mark;
mod pipe;
mod proc_table;
pub(crate) mod process;
#[cfg(target_os = "linux")]
mod process_setup;
mod signals;
#[cfg(target_os = "linux")]
mod spawner;
mod stderr;
mod streams;

pub use child::ChildProcess;
pub use connection::{Connection, Custody, Stop, Transport};
pub use exit::Exit;
pub use in_memory::{InMemory, InMemoryCli};
pub use launch::Launch;
#[cfg(test)]
pub(crate) use stderr::TAIL;
pub use streams::Streams;
