//! Session files: the program `claw` beside `wc` and `grep`, and its memory.
//!
//! What is measured is the program as a user runs it. Whether its results are right is the subject
//! of tests of `claw-transcript`.

pub mod claw;
pub mod corpora;
pub mod tasks;

mod memory;
mod search;
mod speed;

use crate::{Group, Program};

/// Groups of figures.
pub const GROUPS: &[Group] = &[
    ("usage-speed", speed::usage),
    ("check-speed", speed::check),
    ("html-speed", speed::html),
    ("list", speed::list),
    ("memory", memory::measure),
    ("search", search::measure),
];

/// Programs that groups start.
pub const PROGRAMS: &[Program] = &[("measure", tasks::measure)];
