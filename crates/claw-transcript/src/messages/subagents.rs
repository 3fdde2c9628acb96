//! Reads the conversations of subagents.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::assemble::Parts;
use super::message::{MessageFilter, SessionMessage};
use crate::conversation::{Conversation, Id, Node};
use crate::entry::Kind;
use crate::error::TranscriptError;
use crate::library::SessionLibrary;
use crate::members::Members;

impl SessionLibrary {
    /// The sorted ids of the subagents of a session, including those of workflows.
    ///
    /// # Errors
    /// Returns an error if the session does not exist.
    pub fn subagents(&self, session_id: &str) -> Result<Vec<String>, TranscriptError> {
        let files = self.agent_files(session_id)?.into_iter();
        let mut ids: Vec<String> = files.map(|(id, _)| id).collect();
        ids.sort();
        Ok(ids)
    }

    /// Reads the conversation of a subagent, including hidden messages, which contain its
    /// instructions. Empty if the session has no such subagent.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or the subagent's file cannot be read.
    pub fn subagent_messages(
        &self,
        session_id: &str,
        agent_id: &str,
        filter: &MessageFilter,
    ) -> Result<Vec<SessionMessage>, TranscriptError> {
        let files = self.agent_files(session_id)?;
        let Some((_, path)) = files.into_iter().find(|(id, _)| id == agent_id) else {
            return Ok(Vec::new());
        };
        let about = std::fs::read_to_string(path.with_extension("meta.json")).unwrap_or_default();
        let about = Members::read(&about).unwrap_or_default();
        let (conversation, mut lines) = Conversation::read(&path, |_| {})?;
        let parts = Parts {
            lines: chain_of(&conversation.nodes),
            keep_meta: true,
            parent_tool_use_id: about
                .string("toolUseId")
                .filter(|id| is_plain(id, "_.:-"))
                .map(String::from),
            parent_agent_id: about
                .string("parentAgentId")
                .filter(|id| is_plain(id, "_-"))
                .map(String::from),
            ..Parts::default()
        };
        parts.assemble(&mut lines, filter)
    }

    fn agent_files(&self, session_id: &str) -> Result<Vec<(String, PathBuf)>, TranscriptError> {
        let found = self.find(session_id)?;
        let mut files = Vec::new();
        collect(&found.path.with_extension("").join("subagents"), &mut files);
        Ok(files)
    }
}

/// The path from the root to the last message. A subagent's file has one branch and no compactions.
fn chain_of(nodes: &[Node]) -> Vec<&Node> {
    let told = |node: &&Node| node.is_said() || node.kind == Kind::Attachment;
    let by_id: HashMap<Id, &Node> = nodes
        .iter()
        .filter(told)
        .map(|node| (node.id, node))
        .collect();
    let mut chain = Vec::new();
    let mut seen = HashSet::new();
    let mut next = nodes.iter().rev().find(|node| node.is_said());
    while let Some(node) = next.filter(|node| seen.insert(node.id)) {
        chain.push(node);
        next = node.parent.and_then(|parent| by_id.get(&parent).copied());
    }
    chain.reverse();
    chain
}

fn collect(dir: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let id = name
            .strip_prefix("agent-")
            .and_then(|name| name.strip_suffix(".jsonl"));
        match id {
            Some(id) if kind.is_file() => files.push((id.to_owned(), entry.path())),
            _ if kind.is_dir() => collect(&entry.path(), files),
            _ => {}
        }
    }
}

/// Returns whether an id has only expected characters. Others are left out of results.
fn is_plain(id: &str, also: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || also.contains(c);
    (1..=128).contains(&id.len()) && id.chars().all(plain)
}
