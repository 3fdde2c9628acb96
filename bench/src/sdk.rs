//! The SDK: faults of the CLI, processor time and memory. The host is measured, not the CLI.

pub mod cost;
pub mod driver;
mod interrupt;
mod ours;
pub mod played;
pub mod rows;
pub mod run;

use crate::{Group, Program};

/// In the order of the page.
pub const GROUPS: &[Group] = &[
    ("interrupt", interrupt::measure),
    ("cost-start", cost::start),
    ("cost-turn", cost::turn),
    ("cost-idle", cost::idle),
];

/// What the groups start.
pub const PROGRAMS: &[Program] = &[(run::OURS, ours::main), (cost::PROGRAM, cost::main)];
