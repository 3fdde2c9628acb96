//! Views of a session's events: what applications are sent. Pure: no clock, no I/O.
//!
//! A projection takes the events of a session in order, and says what each means in a dialect.
//! It can be put away between any two of them, as JSON, and taken up again elsewhere; an event
//! that it has seen it passes over, so reading a log from an earlier place does no harm.

mod calls;
#[cfg(test)]
mod limits_page;
mod mobile;
mod open_prompts;
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
