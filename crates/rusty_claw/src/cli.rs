//! Finding the CLI, and asking it what it is before it is started for good.
//!
//! A CLI that is given a flag it does not know ends at once, with a line on standard error and
//! nothing else. So it is asked first ([`probe()`]), and a flag it does not know is refused with an
//! error that names it. What a CLI says of itself is kept, in this process and on disk, until its
//! file changes: only the first start on a machine pays for the question.

mod cache;
mod find;
mod flags;
mod length;
mod probe;
mod version;

pub(crate) use cache::cache_folder;
pub use find::{Program, find};
pub use flags::{check_flags, hidden_flags};
pub(crate) use length::check_length;
#[cfg(test)]
pub(crate) use probe::PATIENCE;
pub(crate) use probe::check;
pub use probe::{Probe, ask_for_flag, probe, probe_in};
pub use version::{MINIMUM_VERSION, Version, check_version};
