//! Session files to read: made ones with known totals, traps, and files that break readers.
//!
//! [`SessionCorpus`] makes any number of session files with known totals, in the shapes and sizes
//! that the CLI writes.
//! [`traps`] are thirty small libraries with one difficulty each and their true totals.
//! [`hostile_files`] are files that a reader must survive and write back byte for byte.
//! [`write_demo`] writes a few conversations that a person can read.
//! [`grow`] writes a file that is rotated, cut and replaced while a test reads it.
//! The program `session-corpus` does all five.
//! [`mutations`] are clean sessions with one thing wrong, and where it must be found.

pub mod mutations;
pub mod traps;

mod damage;
mod demo;
mod generate;
mod growing;
mod hostile_files;
mod line;
mod price;
mod session;
mod shapes;
mod text;
mod truth;

pub use demo::write_demo;
pub use generate::{CorpusError, SessionCorpus};
pub use growing::{Growth, grow};
pub use hostile_files::{HostileFile, hostile_contents, hostile_files};
pub use price::Tokens;
pub use shapes::{Shapes, ShapesError};
pub use truth::{Day, Truth};
