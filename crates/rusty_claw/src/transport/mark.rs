//! The mark that every child has in its environment, and passes on to its own children.
//!
//! A process does not lose it by changing its group, session or parent, so it identifies the owner
//! of a process when nothing else does.

use std::ffi::OsString;
use std::fmt;

use uuid::Uuid;

use super::host_process::Host;

/// The variable that holds the mark.
pub(crate) const VARIABLE: &str = "RUSTY_CLAW_CUSTODY";
/// The variable with the folder in which the host records released children, so that a sweep by a
/// program with another cache folder finds the record.
pub(crate) const NOTES_VARIABLE: &str = "RUSTY_CLAW_RELEASED";

/// Maximum number of marks of outer hosts: nested hosts are plausible, a hundred are not.
const MOST_OUTER_MARKS: usize = 8;

/// Identifies a child, and the host that started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) host: Host,
    pub(crate) id: Uuid,
}

impl Mark {
    /// A mark for a new child of this process.
    pub(crate) fn new() -> Self {
        Self {
            host: Host::this(),
            id: Uuid::new_v4(),
        }
    }

    /// The value of the child's variable: its own mark, then those of this process, so that a host
    /// inside a CLI does not hide its children from the outer host.
    pub(crate) fn value(&self) -> OsString {
        let mut value = self.to_string();
        let outer = std::env::var(VARIABLE).unwrap_or_default();
        for mark in Self::parse_all(&outer).take(MOST_OUTER_MARKS) {
            value.push(',');
            value.push_str(&mark.to_string());
        }
        value.into()
    }

    /// Parses the marks in a variable, innermost first. Invalid marks are skipped.
    pub(crate) fn parse_all(value: &str) -> impl Iterator<Item = Self> {
        value.split(',').filter_map(Self::parse)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mark = Self {
            host: Host {
                pid: parts.next()?.parse().ok()?,
                started: parts.next()?.parse().ok()?,
            },
            id: Uuid::try_parse(parts.next()?).ok()?,
        };
        parts.next().is_none().then_some(mark)
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Host { pid, started } = self.host;
        write!(f, "{pid}.{started}.{}", self.id.simple())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written() {
        let mark = Mark::new();
        let value = mark.value().into_string().unwrap();
        assert_eq!(Mark::parse_all(&value).next(), Some(mark));
    }

    #[test]
    fn the_innermost_mark_is_first_and_what_is_no_mark_is_passed_over() {
        let (inner, outer) = (Mark::new(), Mark::new());
        let value = format!("{inner},1.2,x.y.z,{outer},,{inner}.4");
        let marks: Vec<Mark> = Mark::parse_all(&value).collect();
        assert_eq!(marks, [inner, outer]);
    }
}
