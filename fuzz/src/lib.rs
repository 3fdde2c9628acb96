//! Invariants for arbitrary session files, shared by several targets.

pub mod conversation;
pub mod described;
pub mod export;
pub mod lines;
pub mod redact;
pub mod repair;
pub mod scratch;
