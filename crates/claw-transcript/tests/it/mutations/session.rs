//! A clean session file, and what becomes of it.

use std::ops::Range;

use serde_json::Value;

use super::edits::pointer;

/// The lines of a clean file.
pub(super) struct Session {
    lines: Vec<(Vec<u8>, Value)>,
    /// Whether it is the file of a subagent.
    pub(super) of_agent: bool,
}

/// A file that was broken, and the line (from zero) where it shows.
pub(super) struct Broken {
    pub(super) bytes: Vec<u8>,
    pub(super) line: usize,
}

impl Broken {
    pub(super) fn seen_at(self, line: usize) -> Self {
        Self { line, ..self }
    }
}

impl Session {
    pub(super) fn read(bytes: &[u8], of_agent: bool) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty());
        let read = |raw: &[u8]| {
            (
                raw.to_vec(),
                serde_json::from_slice(raw).unwrap_or_default(),
            )
        };
        Self {
            lines: lines.map(read).collect(),
            of_agent,
        }
    }

    pub(super) fn all(&self) -> Range<usize> {
        0..self.lines.len()
    }

    pub(super) fn after(&self, at: usize) -> Range<usize> {
        at + 1..self.lines.len()
    }

    pub(super) fn raw(&self, at: usize) -> &[u8] {
        &self.lines[at].0
    }

    pub(super) fn json(&self, at: usize) -> &Value {
        &self.lines[at].1
    }

    pub(super) fn kind(&self, at: usize) -> &str {
        self.text(at, "/type").unwrap_or_default()
    }

    pub(super) fn uuid(&self, at: usize) -> Option<&str> {
        self.text(at, "/uuid")
    }

    pub(super) fn parent(&self, at: usize) -> Option<&str> {
        self.text(at, "/parentUuid")
    }

    pub(super) fn text(&self, at: usize, path: &str) -> Option<&str> {
        let line = self.json(at);
        line.pointer(&pointer(line, path)?)?.as_str()
    }

    /// Whether a line is part of the conversation, and so has an id and a parent.
    pub(super) fn in_chain(&self, at: usize) -> bool {
        let kinds = "user assistant system attachment compact_system";
        self.uuid(at).is_some() && kinds.split(' ').any(|kind| kind == self.kind(at))
    }

    pub(super) fn of_the_document(&self, at: usize) -> bool {
        let line = self.json(at);
        let message = &line["message"];
        self.kind(at) == "compact_system"
            || message.is_string()
            || (message.is_null() && line["version"].is_null())
    }

    /// Whether a line has a message of the API.
    pub(super) fn is_of_the_api(&self, at: usize) -> bool {
        matches!(self.kind(at), "user" | "assistant") && self.json(at)["message"].is_object()
    }

    /// The first of some lines whose parent is this line.
    pub(super) fn child(&self, at: usize, mut of: impl FnMut(usize) -> bool) -> Option<usize> {
        let uuid = self.uuid(at)?;
        self.after(at)
            .find(|line| self.parent(*line) == Some(uuid) && of(*line))
    }

    /// The file with another line instead of one.
    pub(super) fn with(&self, at: usize, line: impl AsRef<[u8]>) -> Broken {
        let lines = self.all().map(|index| {
            if index == at {
                line.as_ref()
            } else {
                self.raw(index)
            }
        });
        let mut bytes = lines.collect::<Vec<_>>().join(&b'\n');
        bytes.push(b'\n');
        Broken { bytes, line: at }
    }

    /// The file with one line changed.
    pub(super) fn changed(&self, at: usize, change: impl FnOnce(&mut Value)) -> Broken {
        let mut line = self.json(at).clone();
        change(&mut line);
        self.with(at, line.to_string())
    }

    /// The file with a changed copy of a line at its end, which breaks the rule.
    pub(super) fn repeated(&self, at: usize, change: impl FnOnce(&mut Value)) -> Broken {
        let mut copy = self.json(at).clone();
        change(&mut copy);
        let last = self.lines.len() - 1;
        let both = [self.raw(last), b"\n", copy.to_string().as_bytes()].concat();
        self.with(last, both).seen_at(last + 1)
    }
}
