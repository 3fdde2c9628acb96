//! Findings of an auditing reader.

/// The parts of a line that were not decoded into types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Audit {
    /// Paths of members without a field, such as `<assistant>.message.new_field`.
    pub unread: Vec<String>,
    /// Paths of values that are deliberately kept as text, such as tool inputs.
    pub opaque: Vec<String>,
    /// Tagged values of an unrecognized kind: path and tag.
    pub unknown: Vec<(String, String)>,
    /// Paths of known members with a value of an unrecognized shape.
    pub new_shapes: Vec<String>,
}

impl Audit {
    /// Returns whether every value of the line was read or is deliberately opaque.
    pub fn is_clean(&self) -> bool {
        self.unread.is_empty() && self.unknown.is_empty() && self.new_shapes.is_empty()
    }

    /// Returns the number of findings of each kind.
    pub(crate) fn len(&self) -> [usize; 4] {
        [
            self.unread.len(),
            self.opaque.len(),
            self.unknown.len(),
            self.new_shapes.len(),
        ]
    }

    /// Restores an earlier [`Audit::len`].
    pub(crate) fn truncate(&mut self, [unread, opaque, unknown, new_shapes]: [usize; 4]) {
        self.unread.truncate(unread);
        self.opaque.truncate(opaque);
        self.unknown.truncate(unknown);
        self.new_shapes.truncate(new_shapes);
    }
}

/// The position and the findings of an auditing reader.
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
