//! Run Claude Code from Rust.

pub mod framing;
