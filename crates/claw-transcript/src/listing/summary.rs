//! What a list shows of a session, kept up to date line by line.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::SessionInfo;
use super::prompt::prompt_of;
use crate::members::Members;
use crate::time::{from_ms, parse_ms};

/// Members of lines, and what they are called in a summary: the last one counts.
const LAST: [(&str, &str); 5] = [
    ("customTitle", "customTitle"),
    ("aiTitle", "aiTitle"),
    ("lastPrompt", "lastPrompt"),
    ("summary", "summaryHint"),
    ("gitBranch", "gitBranch"),
];

/// What a list shows of a session, kept up to date as lines are appended, so that none of them is
/// read again.
///
/// For stores that keep sessions elsewhere than in files: they fold each line in, keep the summary
/// beside the lines, and do not look inside. It serialises with the names that the official SDK
/// uses, so both read the summaries of one store.
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
    /// The summary of no lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line behind those that are folded in. What is not a JSON object changes nothing.
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

    /// What a list shows. `None` for the lines of a subagent, and where nobody said anything.
    ///
    /// The size is 0 and the path is empty: a summary is of no file.
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
