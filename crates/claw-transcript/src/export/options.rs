//! The options of an export.

use std::path::PathBuf;

use super::soft_deletes::SoftDeletes;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Format {
    /// One HTML page. It loads nothing and runs no script but its own.
    #[default]
    Html,
    /// Markdown. Tools and thinking are in `details` elements.
    Markdown,
    /// A JSON list of messages, the same for all dialects.
    Json,
    /// The unchanged lines of the chosen branches.
    Jsonl,
    /// The dialect of the message type specification, as JSON lines.
    Document,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [
        Self::Html,
        Self::Markdown,
        Self::Json,
        Self::Jsonl,
        Self::Document,
    ];

    /// The name of the format.
    pub fn as_str(self) -> &'static str {
        self.name_and_ending().0
    }

    /// The file extension.
    pub fn ending(self) -> &'static str {
        self.name_and_ending().1
    }

    fn name_and_ending(self) -> (&'static str, &'static str) {
        match self {
            Self::Html => ("html", "html"),
            Self::Markdown => ("markdown", "md"),
            Self::Json => ("json", "json"),
            Self::Jsonl => ("jsonl", "jsonl"),
            Self::Document => ("document", "document.jsonl"),
        }
    }
}

/// The branches of a conversation to export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Branches {
    /// The one that the CLI would resume, and the others where they fork.
    #[default]
    All,
    /// Only the one that the CLI would resume.
    Live,
    /// Only the one with this message, by uuid.
    Through(String),
}

/// The colours of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Theme {
    /// The setting of the reader's system.
    #[default]
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The name on the page; `None` for [`Theme::Auto`].
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Auto => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }
}

/// Exports sessions.
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
    pub(super) format: Format,
    pub(super) branches: Branches,
    pub(super) thinking: bool,
    pub(super) sidechains: bool,
    pub(super) system: bool,
    pub(super) title: Option<String>,
    pub(super) theme: Theme,
    pub(super) deleted: SoftDeletes,
    pub(super) deleted_text: bool,
    pub(super) marks: Option<PathBuf>,
}

impl Export {
    /// Exports all branches, with thinking and subagents, without instructions of the CLI to the
    /// model.
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
        }
    }

    /// Selects branches. [`Format::Json`], [`Format::Jsonl`] and [`Format::Document`] write them one
    /// after the other.
    pub fn branches(mut self, branches: Branches) -> Self {
        self.branches = branches;
        self
    }

    /// Includes or excludes thinking.
    pub fn thinking(mut self, included: bool) -> Self {
        self.thinking = included;
        self
    }

    /// Includes or excludes subagents.
    pub fn sidechains(mut self, included: bool) -> Self {
        self.sidechains = included;
        self
    }

    /// Includes or excludes notices, hidden messages and attachments.
    pub fn system(mut self, included: bool) -> Self {
        self.system = included;
        self
    }

    /// Sets the title. The default is the session's title, or else its first prompt.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the colours of an HTML page. The default is [`Theme::Auto`].
    pub fn theme(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// Excludes soft-deleted messages, and the subagents that they started.
    ///
    /// Also excludes what the CLI may have derived from them: generated titles, and in
    /// [`Format::Jsonl`] the lines that repeat prompts or requests. [`Format::Document`] keeps a
    /// deleted message without its text and with the flag `isDeleted`. Other messages that mention
    /// it are unchanged.
    pub fn without(mut self, deleted: SoftDeletes) -> Self {
        self.deleted = deleted;
        self
    }

    /// Excludes the [`SoftDeletes`] that this folder has for each session, and for the sessions that
    /// its messages were copied from.
    pub fn without_deleted_in(mut self, data_dir: impl Into<PathBuf>) -> Self {
        self.marks = Some(data_dir.into());
        self
    }

    /// Includes or excludes the text of soft-deleted messages in [`Format::Document`].
    pub fn deleted_text(mut self, included: bool) -> Self {
        self.deleted_text = included;
        self
    }
}
