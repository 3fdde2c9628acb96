//! Tracks tool calls without a result. While a tool runs, the idle timeout is paused.

use std::borrow::Cow;
use std::collections::HashSet;

use memchr::memmem;
use serde::Deserialize;

/// The maximum number of tracked calls.
const MOST_CALLS: usize = 1024;

/// The calls of the main conversation without a result. Calls of subagents are covered by the call
/// that started the subagent.
#[derive(Debug, Default)]
pub(super) struct RunningTools {
    ids: HashSet<String>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Content<'a>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    ToolUse {
        id: Cow<'a, str>,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
    },
    #[serde(other)]
    Other,
}

impl RunningTools {
    pub(super) fn any(&self) -> bool {
        !self.ids.is_empty()
    }

    /// Removes all calls at the end of a turn.
    pub(super) fn clear(&mut self) {
        self.ids = HashSet::new();
    }

    /// Records the calls and results in a line of type `assistant` or `user`.
    pub(super) fn note(&mut self, line: &[u8]) {
        let is_about_tools = memmem::find(line, b"\"tool_use\"").is_some()
            || self.any() && memmem::find(line, b"\"tool_result\"").is_some();
        if !is_about_tools {
            return;
        }
        // A line that cannot be parsed starts and ends no call.
        let Ok(entry) = serde_json::from_slice::<Entry<'_>>(line) else {
            return;
        };
        if entry.parent_tool_use_id.is_some() {
            return;
        }
        for block in entry.message.content {
            match block {
                Block::ToolUse { id } if self.ids.len() < MOST_CALLS => {
                    self.ids.insert(id.into_owned());
                }
                Block::ToolResult { tool_use_id } => {
                    self.ids.remove(&*tool_use_id);
                }
                Block::ToolUse { .. } | Block::Other => {}
            }
        }
    }

    /// Records the result in a truncated line of type `user`. If the id of the call was cut off, no
    /// call counts as running any more, so that the idle limit applies again.
    pub(super) fn note_cut_result(&mut self, head: &[u8]) {
        let head = String::from_utf8_lossy(head);
        let id = head
            .split_once("\"tool_use_id\":\"")
            .and_then(|(_, rest)| rest.split_once('"'));
        match id {
            Some((id, _)) => {
                self.ids.remove(id);
            }
            None if head.contains("\"tool_result\"") => self.clear(),
            None => {}
        }
    }
}
