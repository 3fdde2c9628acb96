//! The crate `claw-server`: decisions of rules, projections, memory of sessions.

mod decisions;
mod load;
mod speed;

use crate::{Group, Program};

/// In the order of the page.
pub const GROUPS: &[Group] = &[
    ("decisions", decisions::measure),
    ("slow-sink", load::slow_sink),
    ("many-sessions", load::sessions),
    ("project-speed", speed::measure),
];

/// What the groups start.
pub const PROGRAMS: &[Program] = &[(load::PROGRAM, load::main)];
