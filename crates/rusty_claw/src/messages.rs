//! The messages that the CLI prints, as types.
//!
//! [`Message`] is one line. Every enum here may grow, so a `match` needs a catch-all arm and
//! patterns that end in `..`. Unrecognized values are `Unknown` or in `extra`, never an error.
#![doc = include_str!("docs/parsing.md")]
#![doc = include_str!("docs/matching.md")]

pub use rusty_claw_protocol::messages::*;
