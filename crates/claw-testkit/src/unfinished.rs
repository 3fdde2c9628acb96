//! Requests without a turn and unused turns.

use std::fmt;

/// A request that found no turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DryRequest {
    /// Its position in the order of arrival, from 1.
    pub index: usize,
    /// What it was: model, stream or not, and the start of the last user text.
    pub summary: String,
}

/// The script and the requests did not match.
#[derive(Debug, Clone, Default, PartialEq, Eq, thiserror::Error)]
pub struct Unfinished {
    /// Requests that came when no turn was left for them.
    pub ran_dry: Vec<DryRequest>,
    /// Unused turns, by number and content.
    pub leftover: Vec<String>,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        if !self.ran_dry.is_empty() {
            write!(
                f,
                "the script ran dry for {} request(s); add a turn for each:",
                self.ran_dry.len()
            )?;
            for request in &self.ran_dry {
                write!(f, "\n  request {}: {}", request.index, request.summary)?;
            }
            gap = "\n";
        }
        if !self.leftover.is_empty() {
            write!(
                f,
                "{gap}{} turn(s) were never asked for; remove them, or check their match rules:",
                self.leftover.len()
            )?;
            for turn in &self.leftover {
                write!(f, "\n  {turn}")?;
            }
        }
        Ok(())
    }
}
