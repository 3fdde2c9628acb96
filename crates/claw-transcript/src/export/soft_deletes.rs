//! Soft-deleted messages.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::edit::write_whole;
use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::id_hash::is_uuid;
use crate::library::if_present;
use crate::lines::LineReader;
use crate::members::Members;
use crate::repair::Repaired;
use crate::session_id::is_session_id;
use crate::time::to_iso;
use crate::tree::{NodeId, NodeKind, SessionTree, TreeReader};

/// The text of hidden messages in the document's dialect.
pub(super) const HIDDEN: &str = "[hidden]";

/// The soft-deleted messages of a session: `isDeleted` in the document's dialect.
///
/// The CLI's file keeps the messages, because its lines are never changed. Their ids are stored in
/// a separate file, in a folder outside of the CLI's.
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
    /// The time of deletion, by uuid.
    messages: BTreeMap<String, String>,
}

impl SoftDeletes {
    /// Reads those of a session from `data_dir`.
    ///
    /// # Errors
    /// Returns an error if the id is not one, or if the file exists but cannot be read: a broken
    /// file must not reveal hidden messages.
    pub fn open(data_dir: impl AsRef<Path>, session_id: &str) -> Result<Self, TranscriptError> {
        if !is_session_id(session_id) {
            let id = session_id.to_owned();
            return Err(TranscriptError::NotASessionId { id });
        }
        let name = format!("{session_id}.json");
        Self::read(folder_in(data_dir.as_ref()).join(name), session_id)
    }

    /// Reads those of all sessions. Copies of a message have its uuid, so that a mark in one session
    /// also applies to repaired copies and forks.
    ///
    /// # Errors
    /// Returns an error if the folder, or a file in it, exists but cannot be read.
    pub fn open_all(data_dir: impl AsRef<Path>) -> Result<Vec<Self>, TranscriptError> {
        let folder = folder_in(data_dir.as_ref());
        let failed = |error| TranscriptError::io("list", &folder)(error);
        let found = if_present(std::fs::read_dir(&folder)).map_err(failed)?;
        let mut all = Vec::new();
        for file in found.into_iter().flatten() {
            let path = file.map_err(failed)?.path();
            let session = path.file_stem().and_then(|stem| stem.to_str());
            let session = session.filter(|session| is_session_id(session));
            let is_json = path.extension().is_some_and(|ending| ending == "json");
            if let Some(session) = session.filter(|_| is_json).map(str::to_owned) {
                all.push(Self::read(path, &session)?);
            }
        }
        all.sort_by(|a, b| a.session.cmp(&b.session));
        Ok(all)
    }

    fn read(path: PathBuf, session_id: &str) -> Result<Self, TranscriptError> {
        let text = if_present(std::fs::read_to_string(&path));
        let text = text.map_err(TranscriptError::io("read", &path))?;
        let text = text.unwrap_or_else(|| r#"{"messages":{}}"#.to_owned());
        let kept = Members::read(text.trim()).and_then(|all| all.object("messages"));
        let kept = kept.ok_or_else(|| {
            let what = "it has no `messages`: fix or remove it";
            TranscriptError::io("understand", &path)(std::io::Error::other(what))
        })?;
        let messages = kept.iter().map(|(uuid, when)| {
            let when = crate::members::string(when).unwrap_or_default();
            (uuid.to_owned(), when.into_owned())
        });
        Ok(Self {
            path,
            session: session_id.to_owned(),
            messages: messages.collect(),
        })
    }

    /// Marks a message, or one line of it, by its uuid. [`SoftDeletes::save`] stores the mark.
    pub fn delete(&mut self, uuid: impl Into<String>) {
        let now = to_iso(SystemTime::now());
        self.messages.entry(uuid.into()).or_insert(now);
    }

    /// Removes a mark. Returns whether there was one.
    pub fn restore(&mut self, uuid: &str) -> bool {
        self.messages.remove(uuid).is_some()
    }

    /// Marks a message: all its lines, and the results of its calls. Returns the number of lines
    /// that were not marked before.
    ///
    /// # Errors
    /// Returns an error if a file of the tree cannot be read.
    pub fn delete_message(
        &mut self,
        tree: &SessionTree,
        id: NodeId,
    ) -> Result<usize, TranscriptError> {
        let before = self.messages.len();
        for (uuid, _) in uuids(tree, id)? {
            self.delete(uuid);
        }
        Ok(self.messages.len() - before)
    }

    /// Removes the marks of a message and of the message that it is a copy of. Returns the number of
    /// lines that were marked.
    ///
    /// # Errors
    /// Returns an error if a file of the tree cannot be read.
    pub fn restore_message(
        &mut self,
        tree: &SessionTree,
        id: NodeId,
    ) -> Result<usize, TranscriptError> {
        let mut count = 0;
        for (uuid, copied) in uuids(tree, id)? {
            let own = self.restore(&uuid);
            let original = copied.is_some_and(|copied| self.restore(&copied));
            count += usize::from(own || original);
        }
        Ok(count)
    }

    /// Copies the marks of the session `from` to its repaired copy, where uuids changed or are not
    /// globally unique. Returns the number of new marks.
    ///
    /// # Errors
    /// Returns an error if marks cannot be read or written. The repaired session then shows hidden
    /// messages.
    pub fn follow(
        data_dir: impl AsRef<Path>,
        from: &str,
        repaired: &Repaired,
    ) -> Result<usize, TranscriptError> {
        let data_dir = data_dir.as_ref();
        let all = Self::open_all(data_dir)?;
        let mut marks = Self::open(data_dir, &repaired.session_id)?;
        let before = marks.messages.len();
        for there in all.iter().filter(|there| there.session == from) {
            let only_there = there.messages.iter().filter(|(uuid, _)| !is_uuid(uuid));
            for (uuid, when) in only_there {
                marks.messages.entry(uuid.clone()).or_insert(when.clone());
            }
        }
        // A line that got two new uuids in turn is found by the first.
        for (old, new) in &repaired.new_uuids {
            let mut others = all
                .iter()
                .filter(|there| there.session == from || is_uuid(old));
            if marks.contains(old) || others.any(|there| there.contains(old)) {
                marks.delete(new.as_str());
            }
        }
        let new = marks.messages.len() - before;
        if new > 0 {
            marks.save()?;
        }
        Ok(new)
    }

    /// Returns whether a mark also applies to copies of its message in other sessions. Ids that are
    /// not UUIDs, as in the document's examples, are only unique in their own session.
    pub fn counts_anywhere(uuid: &str) -> bool {
        is_uuid(uuid)
    }

    /// The session of the marks.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Returns whether a message is marked.
    pub fn contains(&self, uuid: &str) -> bool {
        self.messages.contains_key(uuid)
    }

    /// Returns whether no message is marked.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The marked messages, and the time of each mark.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.messages.iter();
        all.map(|(uuid, when)| (uuid.as_str(), when.as_str()))
    }

    /// Writes the file atomically.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be written.
    pub fn save(&self) -> Result<(), TranscriptError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let json = serde_json::json!({ "session": self.session, "messages": self.messages });
        let write = |file: &mut File| writeln!(file, "{json:#}").and_then(|()| file.sync_all());
        let written = std::fs::create_dir_all(folder);
        let written = written.and_then(|()| write_whole(&self.path, write));
        written.map_err(TranscriptError::io("write", &self.path))
    }
}

/// The folder of the marks.
fn folder_in(data_dir: &Path) -> PathBuf {
    data_dir.join("deleted")
}

/// Adds those marks to `deleted` that apply to a session.
pub(super) fn add_marks(
    marks: &[SoftDeletes],
    session: Option<&str>,
    tree: &SessionTree,
    deleted: &mut SoftDeletes,
) -> Result<(), TranscriptError> {
    let mut elsewhere = HashSet::new();
    for marks in marks {
        for (uuid, _) in marks.iter() {
            let own = Some(marks.session()) == session;
            if own || (is_uuid(uuid) && tree.find(uuid).is_some()) {
                deleted.delete(uuid);
            } else if is_uuid(uuid) {
                elsewhere.insert(uuid);
            }
        }
    }
    if elsewhere.is_empty() {
        return Ok(());
    }
    // Lines that a fork copied have new ids, and name the old ones.
    for path in tree.files().flatten() {
        let mut lines = LineReader::open(path)?;
        while let Some((_, raw)) = lines.next_line()? {
            if memchr::memmem::find(raw, b"forkedFrom").is_none() {
                continue;
            }
            let entry = Entry::read(raw);
            let from = entry.as_ref().and_then(Entry::forked_from);
            let is_marked = from.is_some_and(|(_, uuid)| elsewhere.contains(uuid.as_str()));
            if let (Some(uuid), true) = (entry.as_ref().and_then(Entry::uuid), is_marked) {
                deleted.delete(uuid);
            }
        }
    }
    Ok(())
}

/// The lines of a message and of the results of its calls, each with the line that it is a copy
/// of.
fn uuids(tree: &SessionTree, id: NodeId) -> Result<Vec<(String, Option<String>)>, TranscriptError> {
    let mut reader = TreeReader::new(tree);
    let mut uuids = Vec::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        for line in reader.lines(id)? {
            let of = |entry: Entry<'_>| {
                let copied = entry.forked_from().map(|(_, uuid)| uuid);
                Some((entry.uuid()?.into_owned(), copied))
            };
            uuids.extend(Entry::read(&line).and_then(of));
        }
        // Results can follow each other.
        if matches!(tree.node(id).kind(), NodeKind::Reply | NodeKind::Results) {
            let children = tree.children(id).iter().copied();
            open.extend(children.filter(|child| tree.node(*child).kind() == NodeKind::Results));
        }
    }
    Ok(uuids)
}
