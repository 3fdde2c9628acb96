//! Clean sessions in the document's dialect, one for each flow that it draws.

use crate::fixture;

/// A session that was made by hand.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct MadeSession {
    /// The flow that it shows.
    pub name: &'static str,
    /// Its lines.
    pub text: String,
}

/// One clean session for each flow of the document.
pub fn document_sessions() -> Vec<MadeSession> {
    fixture::read(include_str!("../../../data/document_sessions.txt"))
        .into_iter()
        .map(|session| MadeSession {
            name: session.column(0),
            text: String::from_utf8_lossy(&session.bytes).into_owned(),
        })
        .collect()
}
