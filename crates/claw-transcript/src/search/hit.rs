//! A match of a search.

use std::sync::Arc;

use super::role::SearchRole;
use super::snippet::Snippet;
use crate::files::SessionFile;

/// A message, tool call, result or title that matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchHit {
    /// The file of the match.
    pub file: Arc<SessionFile>,
    /// The session, by the name of the file or else by the line.
    pub session_id: Option<String>,
    /// The number of the line, counted from zero. In a file of one long result, the line of the
    /// first match.
    pub line: u64,
    /// The position of the line in the file.
    pub offset: u64,
    /// The uuid of the line.
    pub uuid: Option<String>,
    /// The time of the line, in milliseconds since 1970.
    pub time_ms: Option<i64>,
    /// The kind of text.
    pub role: SearchRole,
    /// The text around the first match.
    pub snippet: Snippet,
    /// The number of matches in the text.
    pub count: usize,
}
