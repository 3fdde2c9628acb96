//! What must hold of session files, whatever is in them: the laws that several targets try.

pub mod described;
pub mod lines;
pub mod repair;
