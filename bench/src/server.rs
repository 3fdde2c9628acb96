//! The crate `claw-server`: decisions of rules, projections, memory of sessions.

mod decisions;
mod load;
mod speed;

use crate::{Group, Program};

/// In the order of the page.
pub const GROUPS: &[Group] = &[
    ("decisions", decisions::measure),
    ("slow_sink", load::slow_sink),
    ("sessions", load::sessions),
    ("project-speed", speed::measure),
];

/// What the groups start.
pub const PROGRAMS: &[Program] = &[(load::PROGRAM, load::main)];
