//! Session ids, which are UUIDs.

use crate::error::TranscriptError;

/// Rejects everything but a UUID, so that nothing else becomes part of a path.
pub(crate) fn check_id(id: &str) -> Result<(), TranscriptError> {
    if is_session_id(id) {
        Ok(())
    } else {
        Err(TranscriptError::NotASessionId { id: id.to_owned() })
    }
}

pub(crate) fn is_session_id(id: &str) -> bool {
    crate::id_hash::is_uuid(id)
}
