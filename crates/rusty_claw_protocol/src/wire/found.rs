//! The result of reading a value.

/// The text is not JSON. The reader has the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// The result of [`Wire::read`](super::Wire::read).
#[derive(Debug)]
#[must_use]
pub enum Found<T> {
    /// The value represents the text exactly.
    Exact(T),
    /// An explicit `null`, which differs from an absent member; the owner of the field records it.
    Null(T),
    /// The value is a usable view, but the text has more (a rounded number, a list with items of
    /// another shape); the owner of the field keeps the text too.
    Approx(T),
    /// The text is of another JSON type. Nothing was consumed.
    Other,
}

impl<T> Found<T> {
    /// Returns the value. `None` means that nothing was consumed, so the caller must skip the
    /// value.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Exact(value) | Self::Null(value) | Self::Approx(value) => Some(value),
            Self::Other => None,
        }
    }

    /// Converts the value and keeps the kind of finding.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Found<U> {
        match self {
            Self::Exact(value) => Found::Exact(make(value)),
            Self::Null(value) => Found::Null(make(value)),
            Self::Approx(value) => Found::Approx(make(value)),
            Self::Other => Found::Other,
        }
    }
}

/// Names of the tag members on the path to one type: `type`, then possibly `subtype`.
#[derive(Debug, Clone, Copy)]
pub struct Tags {
    names: [&'static str; 3],
    len: usize,
}

impl Tags {
    /// No tags.
    pub const NONE: Self = Self {
        names: [""; 3],
        len: 0,
    };

    /// Returns these tags and one more.
    #[must_use]
    pub fn and(mut self, tag: &'static str) -> Self {
        if let Some(slot) = self.names.get_mut(self.len) {
            *slot = tag;
            self.len += 1;
        }
        self
    }

    /// Returns the names.
    pub fn names(&self) -> &[&'static str] {
        self.names.get(..self.len).unwrap_or_default()
    }
}
