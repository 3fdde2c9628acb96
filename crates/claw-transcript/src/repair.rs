//! Repairs session files.
//!
//! A crash, a full disk, a second writer or a manual edit leaves files that the CLI reads only in
//! part: it skips every line that is not one JSON object, and follows `parentUuid` from the last
//! line until a parent is missing, unless the line before is at most five seconds older. One lost
//! line can hide everything before it. A [`RepairPlan`] lists the damage and the steps, and changes
//! nothing; applying it writes a new session and leaves the old one unchanged.
//!
//! Every repair guarantees: a complete line is never lost, except a second copy; lines without
//! changes keep their bytes; removed bytes are kept in a separate file; and the repaired file needs
//! no repair.

mod before;
mod chains;
mod copies;
mod copy;
mod error;
mod fields;
mod item;
mod links;
mod order;
mod pairs;
mod plan;
mod render;
mod rounds;
mod scan;
mod sides;
mod stand_ins;
mod step;
pub(crate) mod surrogates;
mod work;
mod write;

pub use before::EarlierRepairs;
pub use error::RepairError;
pub use plan::{FilePlan, RepairPlan, repair_bytes};
pub use step::{RepairAction, RepairStep};
pub use write::{RepairTarget, Repaired};

#[cfg(test)]
mod tests;
