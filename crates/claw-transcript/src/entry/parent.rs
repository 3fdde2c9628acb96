//! The link from a line to its parent.

use std::borrow::Cow;

use crate::members;

/// The value of `parentUuid`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParentRef<'e> {
    /// The member is missing.
    Absent,
    /// `null` or empty: the line is the first of its chain.
    Root,
    /// The id of the parent.
    Id(Cow<'e, str>),
    /// Neither a string nor `null`.
    Odd,
}

impl<'e> ParentRef<'e> {
    /// The id, if there is one.
    pub fn id(self) -> Option<Cow<'e, str>> {
        match self {
            Self::Id(id) => Some(id),
            _ => None,
        }
    }

    pub(crate) fn of(value: Option<&'e str>) -> Self {
        match value {
            None => Self::Absent,
            Some("null" | "\"\"") => Self::Root,
            Some(value) => members::string(value).map_or(Self::Odd, Self::Id),
        }
    }
}
