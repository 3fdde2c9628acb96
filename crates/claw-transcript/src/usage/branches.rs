//! Which replies lie on branches that the user left.
//!
//! A session file is a tree: each line names the one before it. Editing a prompt or trying again
//! starts a second branch, and only the one with the last line goes on. Parallel calls fork the
//! chain too, each result hanging under its own call, without anything being left. So the walk from
//! the last line back goes over messages, not lines: one line of a reply being on the way, all are.

use std::collections::{HashMap, HashSet};

use super::scan;
use super::tables::hash;
use super::walk::Walk;

/// The links of one file.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// For each line by the hash of its uuid: the line before, and its message.
    lines: HashMap<u64, Link>,
    /// The lines that each message hangs under.
    before: HashMap<u64, Vec<u64>>,
    last: Option<u64>,
    last_in_sidechain: HashMap<u64, u64>,
}

#[derive(Debug, Clone, Copy)]
struct Link {
    before: Option<u64>,
    message: Option<u64>,
}

const UUID: u8 = 10;

impl Links {
    /// Sees a line.
    pub(super) fn note(&mut self, line: &[u8]) {
        let mut chain = Chain::default();
        if chain.read(line).is_none() || !chain.is_chain {
            return;
        }
        let Some(uuid) = chain.uuid else {
            return;
        };
        let uuid = hash(UUID, uuid);
        // A compaction begins a new chain and names the old one beside.
        let before = chain.parent.or(chain.logical_parent);
        let before = before.map(|parent| hash(UUID, parent));
        let message = chain.message.map(scan::message_key);
        if let Some(message) = message {
            self.before.entry(message).or_default().extend(before);
        }
        self.lines.insert(uuid, Link { before, message });
        // Only what is said moves the conversation on; what is attached to a line that was left
        // does not bring it back.
        if chain.is_said {
            if chain.is_sidechain {
                let agent = chain.agent.map_or(0, |agent| hash(UUID, agent));
                self.last_in_sidechain.insert(agent, uuid);
            } else {
                self.last = Some(uuid);
            }
        }
    }

    /// The keys of all messages that no way back from a last line leads over.
    pub(super) fn abandoned(self) -> impl Iterator<Item = u64> {
        let mut lines_seen = HashSet::new();
        let mut live = HashSet::new();
        let mut open: Vec<u64> = self.last.into_iter().collect();
        open.extend(self.last_in_sidechain.values());
        while let Some(uuid) = open.pop() {
            if !lines_seen.insert(uuid) {
                continue;
            }
            let Some(link) = self.lines.get(&uuid) else {
                continue;
            };
            open.extend(link.before);
            if let Some(message) = link.message
                && live.insert(message)
            {
                open.extend(self.before.get(&message).into_iter().flatten());
            }
        }
        self.before
            .into_keys()
            .filter(move |message| !live.contains(message))
    }
}

#[derive(Default)]
struct Chain<'a> {
    uuid: Option<&'a [u8]>,
    parent: Option<&'a [u8]>,
    logical_parent: Option<&'a [u8]>,
    message: Option<&'a [u8]>,
    agent: Option<&'a [u8]>,
    is_chain: bool,
    is_said: bool,
    is_sidechain: bool,
}

impl<'a> Chain<'a> {
    fn read(&mut self, line: &'a [u8]) -> Option<()> {
        let mut walk = Walk::new(line);
        walk.object(|walk, name| {
            match name {
                b"uuid" => self.uuid = walk.text()?,
                b"parentUuid" => self.parent = walk.text()?,
                b"logicalParentUuid" => self.logical_parent = walk.text()?,
                b"agentId" => self.agent = walk.text()?,
                b"isSidechain" => self.is_sidechain = walk.is_true()?,
                b"type" => {
                    let kind = walk.text()?.unwrap_or_default();
                    self.is_said = matches!(kind, b"user" | b"assistant");
                    self.is_chain = self.is_said || matches!(kind, b"system" | b"attachment");
                }
                b"message" if walk.peek()? == b'{' => {
                    walk.object(|walk, name| {
                        if name != b"id" {
                            return Some(false);
                        }
                        self.message = walk.text()?;
                        Some(true)
                    })?;
                }
                _ => return Some(false),
            }
            Some(true)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abandoned(lines: &[(&str, Option<&str>, &str)]) -> Vec<String> {
        let mut links = Links::default();
        let mut messages = Vec::new();
        for (uuid, parent, message) in lines {
            let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
            let kind = match *message {
                "" => r#""type":"user","message":{"role":"user"}"#.to_owned(),
                "attachment" => r#""type":"attachment""#.to_owned(),
                id => {
                    messages.push(id);
                    format!(r#""type":"assistant","message":{{"id":"{id}"}}"#)
                }
            };
            links.note(format!(r#"{{"parentUuid":{parent},{kind},"uuid":"{uuid}"}}"#).as_bytes());
        }
        let left: HashSet<u64> = links.abandoned().collect();
        messages.dedup();
        messages.retain(|id| left.contains(&scan::message_key(id.as_bytes())));
        messages.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn an_edit_leaves_what_came_before_it() {
        let lines = [
            ("1", None, ""),
            ("2", Some("1"), "first"),
            ("3", Some("2"), ""),
            ("4", Some("3"), "left"),
            ("3b", Some("2"), ""),
            ("4b", Some("3b"), "kept"),
            ("5", Some("4"), "attachment"),
        ];
        assert_eq!(abandoned(&lines), ["left"]);
    }

    #[test]
    fn parallel_calls_leave_nothing() {
        let lines = [
            ("1", None, ""),
            ("2a", Some("1"), "calls"),
            ("2b", Some("2a"), "calls"),
            ("2c", Some("2b"), "calls"),
            ("r3", Some("2c"), ""),
            ("r1", Some("2a"), ""),
            ("4", Some("r1"), "answer"),
        ];
        assert_eq!(abandoned(&lines), [""; 0]);
    }

    #[test]
    fn circles_end() {
        let lines = [
            ("1", Some("2"), "a"),
            ("2", Some("1"), "b"),
            ("3", Some("9"), "c"),
        ];
        assert_eq!(abandoned(&lines), ["a", "b"]);
    }
}
