//! What of a line no typed field reads: for the drift report and for our own proofs.

use crate::wire::{Reader, Wire};

/// What decoding a line left untyped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Paths of members that no field takes, such as `<assistant>.message.new_field`.
    pub unread: Vec<String>,
    /// Paths of values that are kept as text on purpose, such as tool inputs.
    pub opaque: Vec<String>,
    /// Tagged values of a kind we do not have: path and tag.
    pub unknown: Vec<(String, String)>,
    /// Paths of known members whose value has a shape we do not have.
    pub new_shapes: Vec<String>,
}

impl Audit {
    /// Whether every value of the line was read or is opaque on purpose.
    pub fn is_clean(&self) -> bool {
        self.unread.is_empty() && self.unknown.is_empty() && self.new_shapes.is_empty()
    }
}

impl Audit {
    /// How many findings of each kind there are.
    pub(crate) fn len(&self) -> [usize; 4] {
        [
            self.unread.len(),
            self.opaque.len(),
            self.unknown.len(),
            self.new_shapes.len(),
        ]
    }

    /// Goes back to an earlier [`Audit::len`].
    pub(crate) fn truncate(&mut self, [unread, opaque, unknown, new_shapes]: [usize; 4]) {
        self.unread.truncate(unread);
        self.opaque.truncate(opaque);
        self.unknown.truncate(unknown);
        self.new_shapes.truncate(new_shapes);
    }
}

/// Decodes a line and says what of it no typed field reads.
///
/// # Errors
/// The line is not a JSON object.
pub fn audit_line(line: &[u8]) -> Result<Audit, crate::DecodeError> {
    audit::<crate::message::Message>(line)
}

/// [`audit_line`] for any wire type.
///
/// # Errors
/// The text is not JSON, or not of the type's JSON kind.
pub fn audit<T: Wire>(line: &[u8]) -> Result<Audit, crate::DecodeError> {
    let text = crate::received::readable(crate::received::trim(line));
    let mut reader = Reader::auditing(&text);
    crate::wire::read_to_end::<T>(&mut reader)?;
    Ok(reader
        .into_trail()
        .map(|trail| trail.audit)
        .unwrap_or_default())
}

/// Where a reader that audits is, and what it has found.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    path: Vec<String>,
    pub(crate) audit: Audit,
}

impl Trail {
    pub(crate) fn enter(&mut self, key: &str) {
        self.path.push(key.to_owned());
    }

    pub(crate) fn leave(&mut self) {
        self.path.pop();
    }

    fn path(&self) -> String {
        self.path.join(".").replace(".[]", "[]").replace(".<", "<")
    }

    pub(crate) fn unread(&mut self) {
        self.audit.unread.push(self.path());
    }

    pub(crate) fn opaque(&mut self) {
        self.audit.opaque.push(self.path());
    }

    pub(crate) fn new_shape(&mut self) {
        self.audit.new_shapes.push(self.path());
    }

    pub(crate) fn unknown(&mut self, tag: Option<&str>) {
        self.audit
            .unknown
            .push((self.path(), tag.unwrap_or("").to_owned()));
    }
}
