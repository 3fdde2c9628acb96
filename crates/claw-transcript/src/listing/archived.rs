//! The mark that a session is archived.

use std::path::{Path, PathBuf};

use super::prompt::words_of;
use super::window::Window;
use crate::members::{self, Members};
use crate::time::parse_ms;

/// The archive mark in the session's folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArchiveMark {
    archived: bool,
    at_ms: i64,
}

impl ArchiveMark {
    /// The path of the mark.
    pub(crate) fn path(session: &Path, id: &str) -> PathBuf {
        session.with_file_name(id).join("archived.json")
    }

    /// Reads the mark. `None` if it is missing, broken or longer than 4 KiB.
    pub(crate) fn read(session: &Path, id: &str) -> Option<Self> {
        let path = Self::path(session, id);
        if std::fs::metadata(&path).ok()?.len() > 4096 {
            return None;
        }
        let text = std::fs::read_to_string(path).ok()?;
        let members = Members::read(&text)?;
        Some(Self {
            archived: match members.get("archived")? {
                "true" => true,
                "false" => false,
                _ => return None,
            },
            at_ms: parse_ms(&members.string("at")?)?,
        })
    }

    /// Returns whether the session is still archived: a later prompt removes it from the archive.
    pub(super) fn holds(self, window: &Window) -> bool {
        self.archived
            && !self.spoken_since(window.tail().text())
            && !self.spoken_since(window.head().text())
    }

    fn spoken_since(self, text: &str) -> bool {
        text.split('\n')
            .filter(|line| line.contains("\"user\"") || line.contains("\"queued_command\""))
            .filter(|line| !line.contains("\"tool_result\""))
            .filter_map(Members::read)
            .any(|line| prompt_time(&line).is_some_and(|time| time > self.at_ms))
    }
}

/// The time of a prompt that a person typed.
fn prompt_time(line: &Members<'_>) -> Option<i64> {
    /// Flags of lines that are not prompts of the user.
    const NOT_TYPED: [&str; 8] = [
        "isCompactSummary",
        "isSidechain",
        "isVirtual",
        "isVisibleInTranscriptOnly",
        "isMeta",
        "textNotTyped",
        "handedOff",
        "queueSkipAttachments",
    ];
    const MADE: [&str; 4] = [
        "toolUseResult",
        "wakeupSource",
        "scheduledTaskId",
        "persist",
    ];
    let (content, origin) = match &*line.string("type")? {
        "user" => {
            let typed = NOT_TYPED.iter().all(|name| !line.is_truthy(name))
                && MADE.iter().all(|name| line.get(name).is_none());
            let message = line.object("message").filter(|_| typed)?;
            (message.get("content")?, line.object("origin"))
        }
        "attachment" => {
            let queued = line.object("attachment")?;
            let typed = queued.string("type")? == "queued_command"
                && !line.is_truthy("isSidechain")
                && !queued.is_truthy("isMeta");
            (
                queued.get("prompt").filter(|_| typed)?,
                queued.object("origin"),
            )
        }
        _ => return None,
    };
    let by_person = origin
        .as_ref()
        .map(|origin| origin.string("kind").as_deref() == Some("human"));
    if by_person == Some(false) {
        return None;
    }
    let said = says_something(content, by_person.is_some());
    parse_ms(&line.string("timestamp")?).filter(|_| said)
}

fn says_something(content: &str, by_person: bool) -> bool {
    let mut texts = Vec::new();
    if let Some(text) = members::string(content) {
        texts.push(text.trim_start().to_owned());
    }
    for block in members::list(content) {
        let Some(block) = Members::read(block) else {
            continue;
        };
        match block.string("type").as_deref() {
            Some("image" | "document") => return true,
            _ => texts.extend(
                block
                    .string("text")
                    .map(|text| text.trim_start().to_owned()),
            ),
        }
    }
    if by_person {
        return texts.iter().any(|text| !text.is_empty())
            && !texts.iter().any(|text| text.starts_with("<command-name>"));
    }
    words_of(content, &mut String::new()).is_some()
        || texts
            .iter()
            .any(|text| text.starts_with("<command-message>"))
}
