//! Forks sessions.

mod baggage;
mod copy;
mod cut;

use std::io::{BufWriter, Write as _};

use crate::conversation::{Conversation, Node};
use crate::edit::write_whole;
use crate::entry::Kind;
use crate::error::TranscriptError;
use crate::library::SessionLibrary;
use crate::listing::derived_title;
use crate::script_text::trim;
use crate::time::to_iso;

/// Options for forking a session.
#[derive(Debug, Clone, Default)]
pub struct ForkOptions {
    up_to: Option<String>,
    title: Option<String>,
}

impl ForkOptions {
    /// Copies the whole conversation, titled after the original.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies only up to this message, which becomes the last one.
    pub fn up_to(mut self, uuid: impl Into<String>) -> Self {
        self.up_to = Some(uuid.into());
        self
    }

    /// Sets the title. A blank title is ignored.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

impl SessionLibrary {
    /// Copies a session into a new one and returns the new id. The original is not touched.
    ///
    /// Every line gets a new uuid, and names its origin in `forkedFrom`. Subagents, tool results
    /// and file checkpoints are not copied. The new file is written atomically.
    ///
    /// # Errors
    /// There is no such session or message, the session has no messages, or a file cannot be read
    /// or written.
    pub fn fork(&self, session_id: &str, options: &ForkOptions) -> Result<String, TranscriptError> {
        let found = self.find(session_id)?;
        let mut baggage = baggage::Baggage::new(session_id);
        let (mut read, mut lines) = Conversation::read(&found.path, |line| baggage.note(line))?;
        let mut nodes = std::mem::take(&mut read.nodes);
        nodes.retain(|node| !node.sidechain);
        if let (false, Some(uuid)) = (nodes.is_empty(), &options.up_to) {
            nodes = cut::up_to(nodes, uuid, &mut read.ids).ok_or_else(|| {
                TranscriptError::MessageNotFound {
                    id: session_id.to_owned(),
                    uuid: uuid.clone(),
                }
            })?;
        }
        if nodes.iter().all(|node| node.kind == Kind::Progress) {
            return Err(TranscriptError::NothingToFork {
                id: session_id.to_owned(),
            });
        }

        let given = options
            .title
            .as_deref()
            .map(trim)
            .filter(|title| !title.is_empty());
        let title = given.map_or_else(
            || {
                let title = derived_title(&found.path, session_id);
                format!("{} (fork)", title.as_deref().unwrap_or("Forked session"))
            },
            str::to_owned,
        );
        let new_id = uuid::Uuid::new_v4().to_string();
        let now = to_iso(std::time::SystemTime::now());
        let path = found.path.with_file_name(format!("{new_id}.jsonl"));
        let copy = copy::Copy::new(&nodes, &read.ids, session_id, &new_id, &now);
        let written = write_whole(&path, |file| {
            let mut out = BufWriter::new(file);
            if let Some(entry) = baggage.before(&new_id, &now) {
                writeln!(out, "{entry}")?;
            }
            // Progress lines of old releases are omitted, and their children get the next parent.
            let shown = nodes.iter().filter(|node| node.kind != Kind::Progress);
            let shown: Vec<&Node> = shown.collect();
            for (at, node) in shown.iter().enumerate() {
                let line = lines.line_at(node.span).map_err(std::io::Error::other)?;
                if let Some(entry) = copy.entry(&line, node, at + 1 == shown.len()) {
                    writeln!(out, "{entry}")?;
                }
            }
            for entry in baggage.behind(&new_id, &now) {
                writeln!(out, "{entry}")?;
            }
            writeln!(out, "{}", baggage::title_entry(&new_id, &title, &now))?;
            out.flush()
        });
        // Read errors are kept apart from write errors.
        let failed = TranscriptError::io("write", &path);
        written.map_err(|error| error.downcast().unwrap_or_else(failed))?;
        Ok(new_id)
    }
}
