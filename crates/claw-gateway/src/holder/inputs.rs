//! The lines that wait to be written to a CLI, each whole and at most once.

use std::collections::{HashSet, VecDeque};

use bytes::{Buf as _, Bytes};
use serde::Deserialize;

/// The ids of written lines that are remembered. A line is repeated soon after a reconnect, if at
/// all.
const MOST_IDS: usize = 16_384;
/// The bytes that may wait. A gateway sends a line after the one before it was written, or may send
/// a few.
const MOST_WAITING: usize = 256 << 20;

/// The lines for a CLI.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The line that is being written: its id and what is left of it.
    current: Option<(String, Bytes)>,
    waiting: VecDeque<(String, Bytes)>,
    waiting_bytes: usize,
    written: VecDeque<String>,
    written_ids: HashSet<String>,
    is_closed: bool,
}

/// What was done with a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Accepted {
    /// It is written when the lines before it are, or is already being written.
    Queued,
    /// It was written earlier.
    Written,
    /// The input is closed, or the CLI has exited.
    Closed,
    /// It is not a whole line, or too much waits.
    Refused,
}

impl Inputs {
    pub(super) fn accept(&mut self, id: String, line: Bytes) -> Accepted {
        if self.written_ids.contains(&id) {
            return Accepted::Written;
        }
        let mut queued = self.current.iter().chain(&self.waiting);
        if queued.any(|(queued, _)| *queued == id) {
            return Accepted::Queued;
        }
        if self.is_closed {
            return Accepted::Closed;
        }
        let end = line.iter().position(|byte| *byte == b'\n');
        let is_line = end.is_some_and(|end| end + 1 == line.len());
        if !is_line || self.waiting_bytes + line.len() > MOST_WAITING {
            return Accepted::Refused;
        }
        self.waiting_bytes += line.len();
        self.waiting.push_back((id, line));
        Accepted::Queued
    }

    /// Drops the lines that are not begun. Their ids may be used again.
    pub(super) fn drop_waiting(&mut self) {
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    /// Accepts no more lines.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Whether the input of the CLI is to be closed: all lines are written.
    pub(super) fn is_over(&self) -> bool {
        self.is_closed && self.current.is_none() && self.waiting.is_empty()
    }

    /// Returns the bytes to write next.
    pub(super) fn next(&mut self) -> Option<&[u8]> {
        if self.current.is_none() {
            let next = self.waiting.pop_front()?;
            self.waiting_bytes -= next.1.len();
            self.current = Some(next);
        }
        self.current.as_ref().map(|(_, rest)| &rest[..])
    }

    /// Records that bytes were written. Returns the id of the line if it is complete.
    pub(super) fn advance(&mut self, count: usize) -> Option<String> {
        let (_, rest) = self.current.as_mut()?;
        rest.advance(count.min(rest.len()));
        if !rest.is_empty() {
            return None;
        }
        let (id, _) = self.current.take()?;
        if self.written.len() == MOST_IDS
            && let Some(oldest) = self.written.pop_front()
        {
            self.written_ids.remove(&oldest);
        }
        self.written.push_back(id.clone());
        self.written_ids.insert(id.clone());
        Some(id)
    }

    /// Drops everything: the CLI reads no more.
    pub(super) fn abandon(&mut self) {
        self.drop_waiting();
        self.current = None;
        self.close();
    }
}

/// Returns the id under which a line is written once: the id of a prompt, a request or a response.
/// Other lines have none.
pub(super) fn input_id(line: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Ids {
        r#type: String,
        uuid: Option<String>,
        request_id: Option<String>,
        response: Option<ResponseId>,
    }
    #[derive(Deserialize)]
    struct ResponseId {
        request_id: Option<String>,
    }
    let ids: Ids = serde_json::from_slice(line).ok()?;
    let id = match ids.r#type.as_str() {
        "user" => ids.uuid,
        "control_response" => ids.response?.request_id,
        _ => ids.request_id,
    };
    // A cancellation has the id of the request that it cancels.
    Some(format!("{}:{}", ids.r#type, id?))
}

#[cfg(test)]
mod tests;
