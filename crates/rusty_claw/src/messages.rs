//! Everything the CLI prints, as types.
//!
//! [`Message`] is one line. Every enum here may grow, so a `match` needs a catch-all arm and its
//! patterns end in `..`; what is new to this library arrives as `Unknown` or in `extra`, never as
//! an error.
#![doc = include_str!("docs/parsing.md")]
#![doc = include_str!("docs/matching.md")]

pub use rusty_claw_protocol::messages::*;
