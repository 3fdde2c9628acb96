//! Messages that somebody wants no longer to see.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::library::{is_absent, is_session_id};
use crate::lines::Lines;
use crate::members::Members;
use crate::repair::Repaired;
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
        Self::read(folder_in(data_dir.as_ref()).join(name), session_id)
    }

    /// Those of all sessions that any were kept of. Copies of a message have its uuid: what is
    /// marked in one session is deleted in a repaired one and in a fork too.
    ///
    /// # Errors
    /// The folder, or a file in it, is there but cannot be read.
    pub fn open_all(data_dir: impl AsRef<Path>) -> Result<Vec<Self>, TranscriptError> {
        let folder = folder_in(data_dir.as_ref());
        let failed = |error| TranscriptError::io("list", &folder)(error);
        let found = match std::fs::read_dir(&folder) {
            Ok(found) => found,
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut all = Vec::new();
        for file in found {
            let path = file.map_err(failed)?.path();
            let session = path.file_stem().and_then(|stem| stem.to_str());
            let session = session
                .filter(|session| is_session_id(session))
                .map(str::to_owned);
            if let (Some(session), Some("json")) =
                (session, path.extension().and_then(|e| e.to_str()))
            {
                all.push(Self::read(path, &session)?);
            }
        }
        all.sort_by(|a, b| a.session.cmp(&b.session));
        Ok(all)
    }

    fn read(path: PathBuf, session_id: &str) -> Result<Self, TranscriptError> {
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
        for (uuid, _) in uuids(tree, id)? {
            self.delete(uuid);
        }
        Ok(self.messages.len() - before)
    }

    /// Takes the marks of a whole message away, also of the one that it is a copy of. Gives how
    /// many lines had one.
    ///
    /// # Errors
    /// A file of the tree cannot be read.
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

    /// Marks in a repaired session what is marked in the one that it was made of, `from`. Most
    /// lines keep their uuids, by which marks are found anywhere; this is for those that got
    /// another one, and for ids that mean something in their own session only. Gives how many
    /// marks are new.
    ///
    /// # Errors
    /// Marks cannot be read or written: what somebody hid shows in the repaired session then.
    pub fn follow(
        data_dir: impl AsRef<Path>,
        from: &str,
        repaired: &Repaired,
    ) -> Result<usize, TranscriptError> {
        let data_dir = data_dir.as_ref();
        let all = Self::open_all(data_dir)?;
        let mut marks = Self::open(data_dir, &repaired.session_id)?;
        let before = marks.messages.len();
        let counts = |marks: &&Self, uuid: &str| marks.session == from || is_uuid(uuid);
        for there in all.iter().filter(|there| there.session == from) {
            let only_there = there.messages.iter().filter(|(uuid, _)| !is_uuid(uuid));
            for (uuid, when) in only_there {
                marks.messages.entry(uuid.clone()).or_insert(when.clone());
            }
        }
        // A line that got two new uuids, one after the other, is found by the first.
        for (old, new) in &repaired.new_uuids {
            let mut marked = all.iter().filter(|marks| counts(marks, old));
            if marks.contains(old) || marked.any(|marks| marks.contains(old)) {
                marks.delete(new.as_str());
            }
        }
        let new = marks.messages.len() - before;
        if new > 0 {
            marks.save()?;
        }
        Ok(new)
    }

    /// Whether a mark also counts in other sessions, for copies of its message: ids that are no
    /// UUIDs, as in the document's examples, mean something in their own session only.
    pub fn counts_anywhere(uuid: &str) -> bool {
        is_uuid(uuid)
    }

    /// The session that the marks are kept for.
    pub fn session(&self) -> &str {
        &self.session
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

/// Where the marks lie in a folder.
fn folder_in(data_dir: &Path) -> PathBuf {
    data_dir.join("deleted")
}

/// What counts in a session of all that is marked anywhere.
///
/// Ids that are no UUIDs, as in the document's examples, mean something in their own session only.
pub(super) fn in_session(
    marks: &[SoftDeletes],
    session: Option<&str>,
    tree: &SessionTree,
    given: &mut SoftDeletes,
) -> Result<(), TranscriptError> {
    let mut elsewhere = HashSet::new();
    for marks in marks {
        for (uuid, _) in marks.iter() {
            let own = Some(marks.session()) == session;
            if own || (is_uuid(uuid) && tree.find(uuid).is_some()) {
                given.delete(uuid);
            } else if is_uuid(uuid) {
                elsewhere.insert(uuid);
            }
        }
    }
    if elsewhere.is_empty() {
        return Ok(());
    }
    // What a fork copied has ids of its own, and says which ones it had.
    for path in tree.files().flatten() {
        let file = File::open(path).map_err(TranscriptError::io("open", path))?;
        let mut lines = Lines::new(file);
        while let Some(line) = lines
            .next_line()
            .map_err(TranscriptError::io("read", path))?
        {
            if memchr::memmem::find(line.raw, b"forkedFrom").is_none() {
                continue;
            }
            let entry = Entry::read(line.raw);
            let from = entry.as_ref().and_then(Entry::forked_from);
            let marked = from.is_some_and(|(_, uuid)| elsewhere.contains(uuid.as_str()));
            if let (Some(uuid), true) = (entry.as_ref().and_then(Entry::uuid), marked) {
                given.delete(uuid);
            }
        }
    }
    Ok(())
}

fn is_uuid(id: &str) -> bool {
    uuid::Uuid::try_parse(id).is_ok()
}

/// The lines of a message and of the results that belong to it, each with the line that it is a
/// copy of.
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
        // Results can come one after the other.
        if matches!(tree.node(id).kind(), NodeKind::Reply | NodeKind::Results) {
            let children = tree.children(id).iter().copied();
            open.extend(children.filter(|child| tree.node(*child).kind() == NodeKind::Results));
        }
    }
    Ok(uuids)
}
