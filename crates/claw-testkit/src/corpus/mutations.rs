//! Session files with one thing wrong, and which rule it breaks on which line.
//!
//! Shows that a checker finds something. A clean file becomes many files, each
//! broken in one known way: members removed or changed, ids duplicated, wrong parents, wrong flags,
//! results without calls.

mod made;
mod operators;

use serde_json::Value;

pub use made::{MadeSession, document_sessions};

/// A session file that is broken in one way.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Mutation {
    /// What was done, on which line.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// The id of the rule that is broken.
    pub rule: &'static str,
    /// The line where that shows, counted from one.
    pub line: u64,
}

/// How many lines each way of breaking is tried on, in one file.
const LINES_EACH: usize = 2;

/// Breaks a clean session file in every applicable way. `of_agent` means that it is the
/// file of a subagent.
pub fn mutations(clean: &[u8], of_agent: bool) -> Vec<Mutation> {
    let session = Session::read(clean, of_agent);
    let mut found = Vec::new();
    for operator in operators::ALL {
        let mut times = 0;
        for at in 0..session.lines.len() {
            if times == LINES_EACH {
                break;
            }
            let Some(broken) = (operator.apply)(&session, at) else {
                continue;
            };
            times += 1;
            found.push(Mutation {
                name: format!("{} on line {}", operator.name, at + 1),
                bytes: broken.bytes,
                rule: operator.rule,
                line: broken.line as u64 + 1,
            });
        }
    }
    found
}

/// A clean file, read.
struct Session {
    lines: Vec<Line>,
    of_agent: bool,
}

struct Line {
    raw: Vec<u8>,
    json: Value,
}

/// A file that was broken, and the line (from zero) where it shows.
struct Broken {
    bytes: Vec<u8>,
    line: usize,
}

impl Session {
    fn read(bytes: &[u8], of_agent: bool) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n');
        let lines = lines.filter(|line| !line.is_empty()).map(|raw| Line {
            json: serde_json::from_slice(raw).unwrap_or_default(),
            raw: raw.to_vec(),
        });
        Self {
            lines: lines.collect(),
            of_agent,
        }
    }

    fn json(&self, at: usize) -> &Value {
        &self.lines[at].json
    }

    fn kind(&self, at: usize) -> &str {
        self.json(at)["type"].as_str().unwrap_or_default()
    }

    /// Whether a line is part of the conversation, and so has an id and a parent.
    fn in_chain(&self, at: usize) -> bool {
        let kinds = [
            "user",
            "assistant",
            "system",
            "attachment",
            "compact_system",
        ];
        kinds.contains(&self.kind(at)) && self.uuid(at).is_some()
    }

    fn uuid(&self, at: usize) -> Option<&str> {
        self.json(at)["uuid"].as_str()
    }

    fn parent(&self, at: usize) -> Option<&str> {
        self.json(at)["parentUuid"].as_str()
    }

    fn line_of(&self, uuid: &str) -> Option<usize> {
        (0..self.lines.len()).find(|at| self.uuid(*at) == Some(uuid))
    }

    /// Whether a line is of the document's dialect.
    fn of_the_document(&self, at: usize) -> bool {
        let message = &self.json(at)["message"];
        self.kind(at) == "compact_system"
            || message.is_string()
            || (message.is_null() && self.json(at)["version"].is_null())
    }

    /// The file with one line changed.
    fn with(&self, at: usize, change: impl FnOnce(&mut Value)) -> Broken {
        let mut json = self.json(at).clone();
        change(&mut json);
        self.with_raw(at, json.to_string().into_bytes())
    }

    fn with_raw(&self, at: usize, line: Vec<u8>) -> Broken {
        let mut bytes = Vec::new();
        for (index, clean) in self.lines.iter().enumerate() {
            bytes.extend_from_slice(if index == at { &line } else { &clean.raw });
            bytes.push(b'\n');
        }
        Broken { bytes, line: at }
    }

    /// The file with one more line, which breaks the rule.
    fn and(&self, line: &Value) -> Broken {
        let mut bytes = Vec::new();
        for clean in &self.lines {
            bytes.extend_from_slice(&clean.raw);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line.to_string().as_bytes());
        bytes.push(b'\n');
        let line = self.lines.len();
        Broken { bytes, line }
    }
}
