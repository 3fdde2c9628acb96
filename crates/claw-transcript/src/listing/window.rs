//! The first and last bytes of a session file.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use memchr::memmem;

use super::scan::{self, Piece};
use crate::entry::Kind;
use crate::members::Members;
use crate::session_id::is_session_id;
use crate::time::to_ms;

/// The number of bytes that are read at each end. It is the CLI's, so that both find the same
/// titles.
pub(crate) const WINDOW: u64 = 64 * 1024;

/// Both ends of a file as text. They are equal for a short file.
#[derive(Debug)]
pub(crate) struct Window {
    head: Piece,
    tail: Option<Piece>,
    pub(crate) modified_ms: i64,
    pub(crate) size: u64,
}

impl Window {
    /// Reads both ends. `None` if the path is not a file, or the file is empty or unreadable.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        // Opening a pipe would wait for a writer.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        Self::of_file(path)
    }

    /// Reads both ends of a regular file. `None` if it is empty or unreadable.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let meta = file.metadata().ok()?;
        let size = meta.len();
        let head = text_of(&mut file, size)?;
        if head.text().is_empty() {
            return None;
        }
        let tail = if size > WINDOW {
            file.seek(SeekFrom::Start(size - WINDOW)).ok()?;
            Some(text_of(&mut file, WINDOW)?)
        } else {
            None
        };
        Some(Self {
            head,
            tail,
            modified_ms: rounded_ms(meta.modified().ok()?),
            size,
        })
    }

    pub(super) fn head(&self) -> &Piece {
        &self.head
    }

    pub(super) fn tail(&self) -> &Piece {
        self.tail.as_ref().unwrap_or(&self.head)
    }

    /// Returns whether the file belongs to a subagent.
    pub(super) fn is_sidechain(&self) -> bool {
        let first = self.head.text().lines().next().unwrap_or_default();
        scan::has_true(first, "isSidechain")
    }

    /// Returns whether a program or a daemon ran the session.
    pub(super) fn is_programmatic(&self) -> bool {
        let entrypoint = scan::first_raw(self.head.text(), "entrypoint")
            .or_else(|| scan::last_raw(self.tail().text(), "entrypoint"));
        // Each SDK has its own name with this prefix.
        if entrypoint.is_some_and(|name| name.starts_with("sdk-")) {
            return true;
        }
        let mut lines = self.head.text().split('\n');
        let first = lines.find(|line| line.contains("\"parentUuid\":"));
        let kind = scan::first_raw(first.unwrap_or(self.head.text()), "sessionKind");
        matches!(kind.as_deref(), Some("daemon" | "daemon-worker"))
    }

    /// The directory that the session was moved to, if it was.
    pub(super) fn relocated(&self) -> Option<String> {
        self.tail().last_of_type(Kind::Relocated, "relocatedCwd")
    }

    /// The working directory in the session's own lines.
    pub(crate) fn own_cwd(&self) -> Option<String> {
        self.relocated().or_else(|| {
            let mut lines = self.head.text().split('\n');
            lines.find_map(|line| {
                if !line.contains("\"cwd\":") {
                    return None;
                }
                Members::read(line)?.string("cwd").map(Into::into)
            })
        })
    }

    /// The session that continues this one, unless this one has later prompts or replies.
    pub(super) fn continued_in(&self) -> Option<String> {
        const MARK: &str = "\"type\":\"continued-in\"";
        if !self.tail().has_compact(Kind::ContinuedIn) {
            return None;
        }
        for line in self.tail().text().rsplit('\n') {
            let said =
                line.contains("\"type\":\"user\"") || line.contains("\"type\":\"assistant\"");
            if !line.contains(MARK) && !said {
                continue;
            }
            let Some(members) = Members::read(line) else {
                continue;
            };
            match members.string("type").as_deref() {
                Some("continued-in") => {
                    if let Some(next) = members.string("continuedInSessionId") {
                        return is_session_id(&next).then(|| next.into_owned());
                    }
                }
                Some("assistant") => {
                    let message = members.object("message");
                    let ended =
                        message.is_some_and(|message| message.string("stop_reason").is_some());
                    if ended && !members.is_true("isApiErrorMessage") {
                        return None;
                    }
                }
                _ if super::prompt::prompt_of(&members, &mut String::new()).is_some() => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }
}

/// Returns whether a file contains messages. Stops at the first one.
pub(super) fn has_conversation(path: &Path) -> bool {
    const MARK: &[u8] = b"\"parentUuid\":";
    const MOST: u64 = 16 * 1024 * 1024;
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut file = file.take(MOST);
    let mut buffer = Vec::new();
    loop {
        let kept = buffer.len().min(MARK.len());
        buffer.drain(..buffer.len() - kept);
        match file.by_ref().take(1 << 20).read_to_end(&mut buffer) {
            Ok(0) => return file.limit() == 0,
            Ok(_) if memmem::find(&buffer, MARK).is_some() => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

/// Converts to milliseconds, rounded as in the CLI's runtime.
pub(super) fn rounded_ms(time: SystemTime) -> i64 {
    to_ms(time + std::time::Duration::from_micros(500))
}

/// Reads at most `length` bytes from the current position, limited to a window.
fn text_of(file: &mut File, length: u64) -> Option<Piece> {
    // Reads only the length that the file had; appended bytes are left for the next listing.
    let length = length.min(WINDOW);
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(Piece::new(match simdutf8::basic::from_utf8(&bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    }))
}
