//! The session file of the CLI.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use claw_server::SessionId;
use rusty_claw::sessions::ProjectKey;
use serde_json::{Value, json};

/// The id of the conversation of a session.
pub(crate) fn conversation(session: SessionId) -> String {
    format!("5e5e5e5e-0000-4000-8000-{}", &session.to_string()[20..])
}

/// A session file that this process of the CLI appends to.
pub(crate) struct SessionFile {
    pub(crate) path: PathBuf,
    conversation: String,
    cwd: String,
    parent: Option<String>,
}

impl SessionFile {
    pub(crate) fn open(folder: &Path, session: SessionId) -> Self {
        let work = folder.join("work");
        let project = folder
            .join("config/projects")
            .join(ProjectKey::of_dir(&work).as_str());
        fs::create_dir_all(&project).unwrap();
        let conversation = conversation(session);
        let mut file = Self {
            path: project.join(format!("{conversation}.jsonl")),
            conversation,
            cwd: work.to_string_lossy().into_owned(),
            parent: None,
        };
        let uuid = file
            .lines()
            .last()
            .and_then(|line| line["uuid"].as_str().map(str::to_owned));
        file.parent = uuid;
        file
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_default());
        lines.collect()
    }

    /// Appends a line of the conversation, and returns it.
    pub(crate) fn append(&mut self, kind: &str, uuid: &str, message: &Value) -> Value {
        let entry = json!({
            "parentUuid": self.parent, "isSidechain": false, "type": kind, "message": message,
            "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z", "userType": "external",
            "cwd": self.cwd, "sessionId": self.conversation, "version": "2.1.325",
        });
        self.parent = Some(uuid.to_owned());
        let mut file = File::options()
            .create(true)
            .append(true)
            .open(&self.path)
            .unwrap();
        file.write_all(format!("{entry}\n").as_bytes()).unwrap();
        entry
    }

    /// Returns the calls of the last reply that have no result: id, name and input.
    pub(crate) fn open_calls(&self) -> Vec<(String, Value)> {
        let mut open: Vec<(String, Value)> = Vec::new();
        for line in self.lines() {
            for block in line["message"]["content"].as_array().into_iter().flatten() {
                let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
                match block["type"].as_str() {
                    Some("tool_use") => open.push((text("id"), block["input"].clone())),
                    Some("tool_result") => open.retain(|(id, _)| *id != text("tool_use_id")),
                    _ => {}
                }
            }
        }
        open
    }

    /// Returns the call that a resume asks for again.
    pub(crate) fn parked_call(&self) -> Option<(String, Value)> {
        let lines = self.lines();
        let parked = lines.iter().rev().find_map(|line| {
            let attachment = &line["attachment"];
            let is_parked = attachment["type"] == "hook_deferred_tool";
            is_parked.then(|| attachment["toolUseID"].as_str().unwrap_or_default())
        })?;
        self.open_calls().into_iter().find(|(id, _)| id == parked)
    }
}
