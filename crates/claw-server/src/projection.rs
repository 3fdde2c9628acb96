//! Projections of a session's events into messages for clients. Pure: no clock, no I/O.
//!
//! A projection consumes the events of a session in order and produces messages of one dialect. It
//! can be serialized to JSON between any two events and resumed elsewhere. Events it has already
//! seen are skipped, so reading a log from an earlier position is safe.

mod calls;
#[cfg(test)]
mod limits_page;
mod mobile;
mod open_interactions;
mod phase;
mod results;
mod step;
mod stop;
mod task;
mod text;
mod track;
mod ui;

pub use mobile::MobileProjection;
pub use track::{NO_TOOL_RESULT, UNFOLLOWED_TOOL};
pub use ui::UiProjection;
