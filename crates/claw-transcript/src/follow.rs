//! Reads files as they grow, are rotated, cut, rewritten or replaced: every line once.

mod cursor;
mod debounce;
mod delivered;
mod event;
mod follower;
mod reading;
mod renamed;
mod rotated;
mod session;
mod window;

pub use cursor::Cursor;
pub use event::{Change, Followed};
pub use follower::Follower;
pub use session::{SessionCursor, SessionFollower};

#[cfg(test)]
mod tests;
