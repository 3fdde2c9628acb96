//! Finds the parts of a line that no typed field reads, for the drift report and our own proofs.

mod trail;

use crate::line_text::{readable, trim};
use crate::wire::{Reader, Wire};

pub use trail::Audit;
pub(crate) use trail::Trail;

/// Decodes a line and reports the parts that no typed field reads.
///
/// # Errors
/// Returns an error if the line is not a JSON object.
pub fn audit_line(line: &[u8]) -> Result<Audit, crate::DecodeError> {
    audit::<crate::message::Message>(line)
}

/// [`audit_line`] for any wire type.
///
/// # Errors
/// Returns an error if the text is not JSON, or not of the type's JSON type.
pub fn audit<T: Wire>(line: &[u8]) -> Result<Audit, crate::DecodeError> {
    let text = readable(trim(line));
    let mut reader = Reader::auditing(&text);
    crate::wire::read_to_end::<T>(&mut reader)?;
    Ok(reader
        .into_trail()
        .map(|trail| trail.audit)
        .unwrap_or_default())
}
