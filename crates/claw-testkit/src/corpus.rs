//! Session files to read: made ones with known totals, traps, and files that break readers.
//!
//! Whoever counts tokens over session files needs files whose true totals are known.
//! [`traps`] are thirty small libraries with one difficulty each and the answer beside them.
//! [`hostile_files`] are files that a reader must survive and give back byte for byte.

pub mod traps;

mod hostile_files;

pub use hostile_files::{HostileFile, hostile_contents, hostile_files};
