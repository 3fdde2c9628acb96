//! Messages that somebody wants no longer to see.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::library::{is_absent, is_session_id};
use crate::members::Members;
use crate::time::to_iso;
use crate::tree::{NodeId, NodeKind, SessionTree, TreeReader};

/// The messages of a session that are deleted softly: `isDeleted`, as the document calls it.
///
/// The CLI's file keeps them, since lines that it wrote are never written again. Which ones they
/// are is kept in a file of its own, in a folder of yours outside of the CLI's.
///
/// ```
/// use claw_transcript::SoftDeletes;
///
/// let dir = tempfile::tempdir().expect("a folder");
/// let session = "5e5e5e5e-2222-4222-8222-000000000101";
/// let mut deleted = SoftDeletes::open(dir.path(), session)?;
/// deleted.delete("6b671e08-ecc5-492f-b192-6ffa0e742a0e");
/// deleted.save()?;
/// assert!(SoftDeletes::open(dir.path(), session)?.contains("6b671e08-ecc5-492f-b192-6ffa0e742a0e"));
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SoftDeletes {
    path: PathBuf,
    session: String,
    /// By uuid: when, as the CLI writes times.
    messages: BTreeMap<String, String>,
}

impl SoftDeletes {
    /// Those of a session, kept under `data_dir`. None when none were ever kept.
    ///
    /// # Errors
    /// The id is none, or the file is there but cannot be read: what somebody hid must not show
    /// because a file is broken.
    pub fn open(data_dir: impl AsRef<Path>, session_id: &str) -> Result<Self, TranscriptError> {
        if !is_session_id(session_id) {
            let id = session_id.to_owned();
            return Err(TranscriptError::NotASessionId { id });
        }
        let name = format!("{session_id}.json");
        let path = data_dir.as_ref().join("deleted").join(name);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if is_absent(&error) => r#"{"messages":{}}"#.to_owned(),
            Err(error) => return Err(TranscriptError::io("read", &path)(error)),
        };
        let mut messages = BTreeMap::new();
        let kept = Members::read(text.trim()).and_then(|all| all.object("messages"));
        let kept = kept.ok_or_else(|| {
            let what = "it has no `messages`: mend or remove it";
            TranscriptError::io("understand", &path)(std::io::Error::other(what))
        })?;
        for (uuid, when) in kept.iter() {
            let when = crate::members::string(when).unwrap_or_default();
            messages.insert(uuid.to_owned(), when.into_owned());
        }
        Ok(Self {
            path,
            session: session_id.to_owned(),
            messages,
        })
    }

    /// Marks a message, or one line of it, by its uuid. [`SoftDeletes::save`] keeps it.
    pub fn delete(&mut self, uuid: impl Into<String>) {
        let now = to_iso(SystemTime::now());
        self.messages.entry(uuid.into()).or_insert(now);
    }

    /// Takes the mark away. Says whether there was one.
    pub fn restore(&mut self, uuid: &str) -> bool {
        self.messages.remove(uuid).is_some()
    }

    /// Marks a whole message: all its lines, and what its calls returned. Gives how many lines
    /// were not marked before.
    ///
    /// # Errors
    /// A file of the tree cannot be read.
    pub fn delete_message(
        &mut self,
        tree: &SessionTree,
        id: NodeId,
    ) -> Result<usize, TranscriptError> {
        let before = self.messages.len();
        for uuid in uuids(tree, id)? {
            self.delete(uuid);
        }
        Ok(self.messages.len() - before)
    }

    /// Takes the marks of a whole message away. Gives how many lines had one.
    ///
    /// # Errors
    /// A file of the tree cannot be read.
    pub fn restore_message(
        &mut self,
        tree: &SessionTree,
        id: NodeId,
    ) -> Result<usize, TranscriptError> {
        let uuids = uuids(tree, id)?;
        Ok(uuids.iter().filter(|uuid| self.restore(uuid)).count())
    }

    /// Whether a message is marked.
    pub fn contains(&self, uuid: &str) -> bool {
        self.messages.contains_key(uuid)
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The marked messages, and when each was marked.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.messages.iter();
        all.map(|(uuid, when)| (uuid.as_str(), when.as_str()))
    }

    /// Writes the file, all of it or nothing.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn save(&self) -> Result<(), TranscriptError> {
        let failed = |error| TranscriptError::io("write", &self.path)(error);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let json = serde_json::json!({ "session": self.session, "messages": self.messages });
        std::fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        writeln!(file, "{json:#}").map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path)
            .map_err(|error| failed(error.error))?;
        Ok(())
    }
}

/// The lines of a message and of the results that belong to it.
fn uuids(tree: &SessionTree, id: NodeId) -> Result<Vec<String>, TranscriptError> {
    let mut reader = TreeReader::new(tree);
    let mut uuids = Vec::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        for line in reader.lines(id)? {
            let uuid = Entry::read(&line).and_then(|entry| Some(entry.uuid()?.into_owned()));
            uuids.extend(uuid);
        }
        // Results can come one after the other.
        if matches!(tree.node(id).kind(), NodeKind::Reply | NodeKind::Results) {
            let children = tree.children(id).iter().copied();
            open.extend(children.filter(|child| tree.node(*child).kind() == NodeKind::Results));
        }
    }
    Ok(uuids)
}
