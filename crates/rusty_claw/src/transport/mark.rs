//! The mark that every child carries in its environment, and hands on to its own children.
//!
//! A process cannot lose it by changing its group, session or parent, so it is what tells whose a
//! process is when nothing else does.

use std::ffi::OsString;
use std::fmt;
use std::sync::LazyLock;

use uuid::Uuid;

/// The variable that holds the mark.
pub(crate) const VARIABLE: &str = "RUSTY_CLAW_CUSTODY";
/// The variable with the folder in which the host records released children, so that a sweep by a
/// program with another cache folder finds the record.
pub(crate) const NOTES_VARIABLE: &str = "RUSTY_CLAW_RELEASED";

/// A host inside a host inside a host is plausible, a hundred of them is not.
const MOST_OUTER_MARKS: usize = 8;

/// Who started a child, and which child it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) host: Host,
    pub(crate) id: Uuid,
}

/// A process that starts children. The number alone says little: numbers are used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Host {
    pub(crate) pid: u32,
    /// When it started, in ticks since the machine did; zero where that is not known.
    pub(crate) started: u64,
}

impl Host {
    /// This process.
    pub(crate) fn this() -> Self {
        static THIS: LazyLock<Host> = LazyLock::new(Host::look);
        // A process that forked without exec is another host with the same memory.
        if THIS.pid == std::process::id() {
            *THIS
        } else {
            Self::look()
        }
    }

    fn look() -> Self {
        let pid = std::process::id();
        let started = super::proc_table::start_time(pid).unwrap_or_default();
        Self { pid, started }
    }
}

impl Mark {
    /// A mark for a new child of this process.
    pub(crate) fn new() -> Self {
        Self {
            host: Host::this(),
            id: Uuid::new_v4(),
        }
    }

    /// What the child's variable holds: its own mark, then those that this process carries, so
    /// that a host that runs inside a CLI does not hide its children from the outer host.
    pub(crate) fn value(&self) -> OsString {
        let mut value = self.to_string();
        let outer = std::env::var(VARIABLE).unwrap_or_default();
        for mark in Self::parse_all(&outer).take(MOST_OUTER_MARKS) {
            value.push(',');
            value.push_str(&mark.to_string());
        }
        value.into()
    }

    /// The marks in a variable, the innermost first. What is no mark is passed over.
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
