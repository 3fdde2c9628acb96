//! The listed properties of a session, updated line by line.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::info::SessionInfo;
use super::prompt::prompt_of;
use crate::members::Members;
use crate::time::{from_ms, parse_ms};

/// Members of lines and their names in a summary. The last value of each wins.
const LAST: [(&str, &str); 5] = [
    ("customTitle", "customTitle"),
    ("aiTitle", "aiTitle"),
    ("lastPrompt", "lastPrompt"),
    ("summary", "summaryHint"),
    ("gitBranch", "gitBranch"),
];

/// The listed properties of a session, updated as lines are appended, so that no line is read
/// twice.
///
/// It is for stores that do not keep sessions in files: a store folds in each line and saves the
/// summary beside the lines, as an opaque value. It serializes with the names that the official SDK
/// uses, so both SDKs can share a store.
///
/// ```
/// use std::time::SystemTime;
/// use claw_transcript::SessionSummary;
///
/// let mut summary = SessionSummary::new();
/// summary.fold(r#"{"type":"user","message":{"role":"user","content":"Hello"},"cwd":"/w"}"#);
/// summary.fold(r#"{"type":"custom-title","customTitle":"Greetings","sessionId":"5e5e"}"#);
/// let info = summary.info("5e5e", SystemTime::now()).ok_or("a session without a prompt")?;
/// assert_eq!((&*info.summary, info.first_prompt.as_deref()), ("Greetings", Some("Hello")));
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionSummary(Map<String, Value>);

impl SessionSummary {
    /// Creates an empty summary.
    pub fn new() -> Self {
        Self::default()
    }

    /// Folds in the next line. A line that is not a JSON object is ignored.
    pub fn fold(&mut self, line: &str) {
        let Some(line) = Members::read(line) else {
            return;
        };
        let text = |name: &str| line.string(name).filter(|text| !text.is_empty());
        if !self.0.contains_key("isSidechain") {
            self.set("isSidechain", line.is_true("isSidechain"));
        }
        if !self.0.contains_key("createdAt")
            && let Some(at) = line.string("timestamp").and_then(|text| parse_ms(&text))
        {
            self.set("createdAt", at);
        }
        if !self.0.contains_key("cwd")
            && let Some(cwd) = text("cwd")
        {
            self.set("cwd", cwd);
        }
        if self.0.get("firstPromptLocked") != Some(&Value::Bool(true)) {
            let mut command = self.text("commandFallback").unwrap_or_default();
            if let Some(prompt) = prompt_of(&line, &mut command) {
                self.set("firstPrompt", prompt);
                self.set("firstPromptLocked", true);
            }
            if !command.is_empty() {
                self.set("commandFallback", command);
            }
        }
        for (member, name) in LAST {
            if let Some(last) = line.string(member) {
                self.set(name, last);
            }
        }
        match line.string("type").as_deref() {
            Some("tag") => match text("tag") {
                Some(tag) => self.set("tag", tag),
                None => drop(self.0.remove("tag")),
            },
            Some("relocated") => {
                if let Some(cwd) = text("relocatedCwd") {
                    self.set("cwd", cwd);
                }
            }
            _ => {}
        }
    }

    /// The properties for a list. Returns `None` for the lines of a subagent and for a session
    /// without a prompt.
    ///
    /// The size is 0 and the path is empty, because a summary does not belong to a file.
    pub fn info(&self, session_id: &str, last_modified: SystemTime) -> Option<SessionInfo> {
        if self.0.get("isSidechain") == Some(&Value::Bool(true)) {
            return None;
        }
        let locked = self.0.get("firstPromptLocked") == Some(&Value::Bool(true));
        let first_prompt = self.text(if locked {
            "firstPrompt"
        } else {
            "commandFallback"
        });
        let custom_title = self.text("customTitle").or_else(|| self.text("aiTitle"));
        let summary = custom_title
            .clone()
            .or_else(|| self.text("lastPrompt"))
            .or_else(|| self.text("summaryHint"))
            .or_else(|| first_prompt.clone())?;
        Some(SessionInfo {
            session_id: session_id.to_owned(),
            summary,
            last_modified,
            file_size: 0,
            custom_title,
            first_prompt,
            git_branch: self.text("gitBranch"),
            cwd: self.text("cwd"),
            tag: self.text("tag"),
            created_at: self.0.get("createdAt").and_then(Value::as_i64).map(from_ms),
            archived: None,
            path: PathBuf::new(),
        })
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.0.get(name)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }
}
