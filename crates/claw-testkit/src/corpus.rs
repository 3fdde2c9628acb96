//! Session files to read: made ones with known totals, traps, and files that break readers.
//!
//! [`SessionCorpus`] makes any number of session files with known totals, in the shapes and sizes
//! that the CLI writes.
//! [`traps`] are thirty small libraries with one difficulty each and their true totals.
//! [`hostile_files`] are files that a reader must survive and write back byte for byte.
//! [`write_demo`] writes a few conversations that a person can read, and so does the program
//! `session-corpus`.

pub mod traps;

mod damage;
mod demo;
mod generate;
mod hostile_files;
mod line;
mod price;
mod session;
mod shapes;
mod text;
mod truth;

pub use demo::write_demo;
pub use generate::SessionCorpus;
pub use hostile_files::hostile_files;
pub use price::Tokens;
pub use truth::{Day, Truth};
