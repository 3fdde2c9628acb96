//! The SDK, beside the official SDKs and two crates.

mod codes;
mod cost;
mod faults;
mod official;
mod wrapper;

use claw_bench::{Group, Program};

/// In the order of the page.
pub(crate) const GROUPS: &[Group] = &[
    ("fault-peers", faults::measure),
    ("cost-messages", cost::measure),
];

/// What the groups start.
pub(crate) const PROGRAMS: &[Program] = &[
    (codes::PROGRAM, codes::main),
    (wrapper::PROGRAM, wrapper::main),
    (cost::PROGRAM, cost::main),
];
