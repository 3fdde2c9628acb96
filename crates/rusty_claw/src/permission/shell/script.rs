//! A parsed command line, and the commands that a rule matches.

use super::word::Word;

/// A parsed command line.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(super) parts: Vec<Part>,
    pub(super) text: String,
    /// The text after the `<<` of a here-document. Where it ends, and what in it is a command, is
    /// not parsed.
    pub(super) unread: Option<String>,
    /// What in it is more than simple commands with plain words, if anything.
    pub(super) beyond: Option<String>,
}

/// One command of a command line.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) words: Vec<Word>,
    /// Whether it sets variables, redirects input or output, or contains syntax that is not
    /// supported.
    pub(super) opaque: bool,
    /// Whether it reads the output of another command, or a file.
    pub(super) piped: bool,
    pub(super) text: String,
}

/// The commands that a rule matches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CommandRule {
    pub(super) words: Vec<Word>,
    /// Whether further words may follow.
    pub(super) open: bool,
    /// Whether it is one simple command; otherwise it allows nothing.
    pub(super) readable: bool,
}
