//! What must hold of session files, whatever is in them: the laws that several targets try.

pub mod conversation;
pub mod described;
pub mod export;
pub mod lines;
pub mod redact;
pub mod repair;
