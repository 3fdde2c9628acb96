//! Sessions in forms that other people and programs can read.
//!
//! One page of HTML that needs nothing else and does nothing but show; Markdown; JSON; the raw
//! lines of a branch; and the document's dialect, with a list of what it could not keep. What was
//! [deleted softly](SoftDeletes) is left out, and the CLI's files are never written.

mod deleted;
mod document;
mod facts;
mod folder;
mod html;
mod json;
mod lines;
mod losses;
mod markdown;
mod outline;
mod said;
mod skim;
mod source;

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::is_session_id;
use crate::tree::SessionTree;

pub use deleted::SoftDeletes;
pub use folder::FolderReport;
pub use losses::Loss;

use facts::Facts;
use outline::{Outline, Step};
use source::Source;

/// Creates a file for an export, or truncates an existing one. Only its owner can read the file
/// (mode 0600 on Unix), because it contains a conversation.
///
/// # Errors
/// The file cannot be created, opened or changed.
pub fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
        let file = options.mode(0o600).open(path)?;
        // An existing file keeps its mode when it is opened. Pipes and devices are left unchanged.
        if file.metadata()?.is_file() {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

/// What to make of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Format {
    /// One page that needs nothing else: no script runs that is not its own, nothing is loaded.
    #[default]
    Html,
    /// Markdown, with tools and thinking folded where it is shown as HTML.
    Markdown,
    /// A JSON list of messages, the same for all dialects.
    Json,
    /// The lines as they are in the files, those of the chosen branches only.
    Jsonl,
    /// The dialect of the message type specification, as JSON lines.
    Document,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Html,
        Self::Markdown,
        Self::Json,
        Self::Jsonl,
        Self::Document,
    ];

    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "markdown",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Document => "document",
        }
    }

    /// How names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Html => "html",
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Document => "document.jsonl",
        }
    }
}

/// Which branches of a conversation to write.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Branches {
    /// The one that the CLI would resume, and where it was left the others.
    #[default]
    All,
    /// Only the one that the CLI would resume.
    Live,
    /// Only the one that has the message with this uuid.
    Through(String),
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Theme {
    /// As the reader's system is set.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// An export to be made.
///
/// ```no_run
/// use claw_transcript::{Export, Format, SessionLibrary};
///
/// let library = SessionLibrary::from_env()?;
/// let files = library.session_files("5e5e5e5e-2222-4222-8222-000000000101")?;
/// let mut page = std::fs::File::create("session.html").expect("a file");
/// let report = Export::new(Format::Html).thinking(false).write(&files, &mut page)?;
/// println!("{} messages", report.messages);
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Export {
    format: Format,
    branches: Branches,
    thinking: bool,
    sidechains: bool,
    system: bool,
    title: Option<String>,
    theme: Theme,
    deleted: SoftDeletes,
    deleted_text: bool,
    marks: Option<PathBuf>,
    /// What is in that folder, once it was read.
    marked: Option<Arc<Vec<SoftDeletes>>>,
}

impl Export {
    /// All branches, with thinking and subagents, without what the CLI told the model behind the
    /// user's back.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            branches: Branches::default(),
            thinking: true,
            sidechains: true,
            system: false,
            title: None,
            theme: Theme::default(),
            deleted: SoftDeletes::default(),
            deleted_text: false,
            marks: None,
            marked: None,
        }
    }

    /// Which branches; [`Format::Json`], [`Format::Jsonl`] and [`Format::Document`] write them one
    /// after the other.
    pub fn branches(mut self, branches: Branches) -> Self {
        self.branches = branches;
        self
    }

    /// Whether to write what the model thought.
    pub fn thinking(mut self, included: bool) -> Self {
        self.thinking = included;
        self
    }

    /// Whether to write what subagents did.
    pub fn sidechains(mut self, included: bool) -> Self {
        self.sidechains = included;
        self
    }

    /// Whether to write notices, hidden messages and attachments too.
    pub fn system(mut self, included: bool) -> Self {
        self.system = included;
        self
    }

    /// What to call the session; else its title, else its first prompt.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// The colours of a page.
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// What was deleted softly: it is left out, with the subagents that it started.
    ///
    /// So is what the CLI derived from it or may have: titles that nobody gave, and for
    /// [`Format::Jsonl`] the lines that repeat prompts or requests. [`Format::Document`] keeps the
    /// place of a deleted message with the flag `isDeleted`, without what was said. What other
    /// messages say about it stays.
    pub fn without(mut self, deleted: SoftDeletes) -> Self {
        self.deleted = deleted;
        self
    }

    /// The same, with the [`SoftDeletes`] that are kept in this folder for each session: its own,
    /// and those of sessions that it has copies of messages from.
    pub fn without_deleted_in(mut self, data_dir: impl Into<PathBuf>) -> Self {
        self.marks = Some(data_dir.into());
        self
    }

    /// Whether [`Format::Document`] keeps what was said in messages that were deleted softly.
    pub fn deleted_text(mut self, included: bool) -> Self {
        self.deleted_text = included;
        self
    }

    /// Writes a session: its main file first, then those of its subagents, as
    /// [`SessionLibrary::session_files`](crate::SessionLibrary::session_files) gives them. Reads
    /// the files twice and keeps one message at a time.
    ///
    /// # Errors
    /// A file cannot be read, the export cannot be written, or there is no message to go through.
    pub fn write(
        &self,
        files: &[SessionFile],
        to: &mut dyn Write,
    ) -> Result<ExportReport, TranscriptError> {
        // A journal of a workflow is no conversation.
        let conversations = files.iter().filter(|file| file.role != FileRole::Journal);
        let files: &[SessionFile] = &conversations.cloned().collect::<Vec<_>>();
        let tree = SessionTree::read(files)?;
        let facts = match files.first() {
            Some(main) => Facts::read(&main.path)?,
            None => Facts::default(),
        };
        let deleted = self.deleted_of(files, &facts, &tree)?;
        let mut outline = Outline::new(&tree, &self.branches, self.sidechains);
        outline.leave_out_agents_of(&deleted);
        let steps = outline.main().ok_or_else(|| self.lost(&facts))?;
        let mut job = Job {
            export: self,
            tree: &tree,
            outline: &outline,
            facts: &facts,
            deleted: &deleted,
            source: Source::new(files),
            out: Out {
                buffer: Vec::with_capacity(2 * FLUSH),
                to,
                written: 0,
            },
            report: ExportReport::default(),
        };
        let times = tree.nodes().filter_map(|(_, node)| node.time_ms());
        job.report.began = times.min().map(crate::time::from_ms);
        job.report.cwd = facts.cwd.clone();
        job.report.branches = 1;
        job.report.bytes_in = files.iter().map(|file| file.len).sum();
        match self.format {
            Format::Html => html::write(&mut job, &steps)?,
            Format::Markdown => markdown::write(&mut job, &steps)?,
            Format::Json => json::write(&mut job, &steps)?,
            Format::Jsonl => lines::write(&mut job, &steps)?,
            Format::Document => document::write(&mut job, &steps)?,
        }
        job.out.finish()?;
        job.report.bytes_out = job.out.written;
        Ok(job.report)
    }

    /// What is deleted softly in this session.
    fn deleted_of(
        &self,
        files: &[SessionFile],
        facts: &Facts,
        tree: &SessionTree,
    ) -> Result<Cow<'_, SoftDeletes>, TranscriptError> {
        let marked = self.marked()?;
        if marked.is_empty() {
            return Ok(Cow::Borrowed(&self.deleted));
        }
        let named = files.first().and_then(|main| main.session_id.as_ref());
        let ids = [named, facts.session.as_ref()];
        // A copy has a name of its own; its lines say which session it is.
        let id = ids.into_iter().flatten().find(|id| is_session_id(id));
        let mut deleted = self.deleted.clone();
        deleted::in_session(&marked, id.map(String::as_str), tree, &mut deleted)?;
        Ok(Cow::Owned(deleted))
    }

    /// All marks in the folder of marks.
    fn marked(&self) -> Result<Arc<Vec<SoftDeletes>>, TranscriptError> {
        match (&self.marked, &self.marks) {
            (Some(marked), _) => Ok(Arc::clone(marked)),
            (None, Some(folder)) => Ok(Arc::new(SoftDeletes::open_all(folder)?)),
            (None, None) => Ok(Arc::default()),
        }
    }

    fn lost(&self, facts: &Facts) -> TranscriptError {
        let uuid = match &self.branches {
            Branches::Through(uuid) => uuid.clone(),
            _ => String::new(),
        };
        TranscriptError::MessageNotFound {
            id: facts.session.clone().unwrap_or_default(),
            uuid,
        }
    }
}

/// What came of an export.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ExportReport {
    /// What the session was called.
    pub title: String,
    /// The directory that it worked in.
    pub cwd: Option<String>,
    /// When its first message was written.
    pub began: Option<SystemTime>,
    /// How many messages were written.
    pub messages: u64,
    /// How many branches they were on.
    pub branches: u64,
    /// How many subagents are in it.
    pub subagents: u64,
    /// How many pictures are in it.
    pub images: u64,
    /// How many messages were deleted softly: they are missing, or in [`Format::Document`] marked.
    pub deleted: u64,
    /// How many lines of [`Format::Jsonl`] are missing since they may quote deleted messages.
    pub quoting: u64,
    /// The length of the files.
    pub bytes_in: u64,
    /// The length of the export.
    pub bytes_out: u64,
    /// What [`Format::Document`] could not keep, most frequent first.
    pub losses: Vec<Loss>,
}

/// An export under way.
struct Job<'a> {
    export: &'a Export,
    tree: &'a SessionTree,
    outline: &'a Outline<'a>,
    facts: &'a Facts,
    deleted: &'a SoftDeletes,
    source: Source,
    out: Out<'a>,
    report: ExportReport,
}

impl Job<'_> {
    /// Whether a line was deleted softly, here or in the document's dialect.
    fn is_deleted(&self, entry: &Entry<'_>) -> bool {
        entry.is_true("isDeleted") || self.is_marked(entry)
    }

    /// Whether somebody deleted a line softly here.
    fn is_marked(&self, entry: &Entry<'_>) -> bool {
        let marked = |uuid: Cow<'_, str>| self.deleted.contains(&uuid);
        !self.deleted.is_empty() && entry.uuid().is_some_and(marked)
    }
}

/// How much is written at once.
const FLUSH: usize = 128 * 1024;

/// Where an export goes.
struct Out<'a> {
    buffer: Vec<u8>,
    to: &'a mut dyn Write,
    written: u64,
}

impl Out<'_> {
    /// Passes on what there is, when it is worth it.
    fn flush(&mut self) -> Result<(), TranscriptError> {
        if self.buffer.len() < FLUSH {
            return Ok(());
        }
        self.pass_on()
    }

    fn pass_on(&mut self) -> Result<(), TranscriptError> {
        self.to
            .write_all(&self.buffer)
            .map_err(TranscriptError::export)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), TranscriptError> {
        self.pass_on()?;
        self.to.flush().map_err(TranscriptError::export)
    }
}
