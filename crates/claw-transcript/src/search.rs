//! Search in what was said, called and returned.
//!
//! A match is one in the text that a person would see, not in the JSON around it: a newline is a
//! newline although the file has `\n`, and the names of members, ids and pictures are not text.
//! Arguments of tools are, whatever they are called, numbers too; and so are the results that the
//! CLI keeps in files of their own because they are too long for a line.
//! Files are searched as bytes first, and only the lines that may match are read, so that it goes
//! at about the speed of `grep` and needs no index. An index can be kept all the same, see
//! [`SearchIndex`]; it saves reading and never changes an answer.

mod hits;
mod index;
mod pattern;
mod results;
mod scan;
mod sieve;
mod snippet;
mod tasks;
mod visible;

use std::num::NonZero;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::project_key::ProjectKey;
use crate::time;

pub use hits::{Hits, SearchHit};
pub use index::{IndexUpdate, SearchIndex};
pub use snippet::Snippet;

use pattern::{Pattern, Wanted};
use scan::Question;

/// Whose text a match is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SearchRole {
    /// What was typed, or sent by a program.
    User,
    /// What the model said.
    Assistant,
    /// What the model thought.
    Thinking,
    /// The name and the arguments of a tool call.
    ToolCall,
    /// What a tool returned.
    ToolResult,
    /// What the CLI gave the model beside the prompt. There is much of it in every session, so
    /// that it is searched only when asked for.
    Attachment,
    /// Notices of the CLI, and what it said in the user's place.
    System,
    /// The title of a session.
    Title,
    /// A whole line of the file, see [`SearchQuery::raw`].
    Line,
}

impl SearchRole {
    /// All that can be asked for.
    pub const ALL: &'static [Self] = &[
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::ToolCall,
        Self::ToolResult,
        Self::Attachment,
        Self::System,
        Self::Title,
    ];

    /// Its name, such as `tool-call`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool-call",
            Self::ToolResult => "tool-result",
            Self::Attachment => "attachment",
            Self::System => "system",
            Self::Title => "title",
            Self::Line => "line",
        }
    }
}

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Roles(u16);

impl Roles {
    fn of(roles: impl IntoIterator<Item = SearchRole>) -> Self {
        let bits = roles.into_iter().map(|role| 1 << role as u16);
        Self(bits.fold(0, |all, bit: u16| all | bit))
    }

    fn all() -> Self {
        Self::of(SearchRole::ALL.iter().copied())
    }

    /// What is searched unless somebody asks for something else.
    fn usual() -> Self {
        let all = SearchRole::ALL.iter().copied();
        Self::of(all.filter(|role| *role != SearchRole::Attachment))
    }

    fn has(self, role: SearchRole) -> bool {
        self.0 & (1 << role as u16) != 0
    }
}

/// What to search for, and where.
///
/// ```no_run
/// use claw_transcript::{SearchQuery, SearchRole, SessionLibrary};
///
/// let library = SessionLibrary::from_env()?;
/// let query = SearchQuery::phrase("could not compile")
///     .any_case()
///     .roles([SearchRole::ToolResult])
///     .limit(10);
/// for hit in query.run(&library)? {
///     let hit = hit?;
///     println!("{} line {}: {}", hit.file.path.display(), hit.line + 1, hit.snippet.text);
/// }
/// # Ok::<(), claw_transcript::TranscriptError>(())
/// ```
#[derive(Debug, Clone)]
pub struct SearchQuery {
    wanted: Wanted,
    any_case: bool,
    raw: bool,
    roles: Roles,
    projects: Vec<ProjectKey>,
    session: Option<String>,
    since: Option<SystemTime>,
    until: Option<SystemTime>,
    limit: Option<usize>,
    context: usize,
    threads: Option<NonZero<usize>>,
    index: Option<PathBuf>,
}

impl SearchQuery {
    fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            any_case: false,
            raw: false,
            roles: Roles::usual(),
            projects: Vec::new(),
            session: None,
            since: None,
            until: None,
            limit: None,
            context: 60,
            threads: None,
            index: None,
        }
    }

    /// A text as it is, spaces and newlines included.
    pub fn phrase(text: impl Into<String>) -> Self {
        Self::new(Wanted::Phrase(text.into()))
    }

    /// All words of a text, in any order, in one message, tool call or result. Words are parted by
    /// white space and may be parts of longer ones. Of a reply the CLI writes every block on a line
    /// of its own; then each is looked at for itself.
    pub fn words(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_owned);
        Self::new(Wanted::Words(words.collect()))
    }

    /// A regular expression in the syntax of the crate `regex`. `^` and `$` stand for the ends of
    /// the lines of a text.
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self::new(Wanted::Regex(pattern.into()))
    }

    /// Takes upper and lower case as the same, in all scripts that have them.
    pub fn any_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    /// Searches lines as they stand in the files: names, ids, escapes and broken lines too. All
    /// roles are then [`SearchRole::Line`].
    pub fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Only texts of these. Without this all but attachments are searched.
    pub fn roles(mut self, roles: impl IntoIterator<Item = SearchRole>) -> Self {
        self.roles = Roles::of(roles);
        self
    }

    /// Only sessions in these folders; see also [`SessionLibrary::in_dir`].
    pub fn projects(mut self, projects: impl IntoIterator<Item = ProjectKey>) -> Self {
        self.projects = projects.into_iter().collect();
        self
    }

    /// Only one session, with its subagents.
    pub fn session(mut self, session_id: impl Into<String>) -> Self {
        self.session = Some(session_id.into());
        self
    }

    /// Only what was written at this time or later. Lines without a time, such as titles, are as
    /// old as their file.
    pub fn since(mut self, time: SystemTime) -> Self {
        self.since = Some(time);
        self
    }

    /// Only what was written before this time.
    pub fn until(mut self, time: SystemTime) -> Self {
        self.until = Some(time);
        self
    }

    /// Stops after so many hits.
    pub fn limit(mut self, hits: usize) -> Self {
        self.limit = Some(hits);
        self
    }

    /// How many characters to show to each side of a match: 60 unless said otherwise.
    pub fn context(mut self, characters: usize) -> Self {
        self.context = characters;
        self
    }

    /// How many threads read; as many as there are processors unless said otherwise.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Skips what an index knows to hold no match. It is used as it is; see
    /// [`SearchIndex::update`] for bringing it up to date.
    pub fn index(mut self, index: &SearchIndex) -> Self {
        self.index = Some(index.path().to_path_buf());
        self
    }

    /// Begins the search. Hits come as they are found: those of the session that was written to
    /// last come first, the main file before those of subagents, and each file in its order.
    ///
    /// # Errors
    /// The pattern is not a regular expression, or the folder of projects cannot be read. A file
    /// that cannot be read is an error among the hits.
    pub fn run(&self, library: &SessionLibrary) -> Result<Hits, TranscriptError> {
        // What is wrong with the pattern is said before anything is read.
        let pattern = self.pattern()?;
        let mut files = library.files()?;
        if self.raw || self.roles.has(SearchRole::ToolResult) {
            files.extend(results::beside(&files));
        }
        files.retain(|file| self.takes(file));
        self.start(pattern, files)
    }

    /// The same for files that are not in a library.
    ///
    /// # Errors
    /// The pattern is not a regular expression.
    pub fn run_files(&self, files: Vec<SessionFile>) -> Result<Hits, TranscriptError> {
        self.start(self.pattern()?, files)
    }

    fn pattern(&self) -> Result<Pattern, TranscriptError> {
        Pattern::new(&self.wanted, self.any_case, self.raw)
    }

    fn start(&self, pattern: Pattern, files: Vec<SessionFile>) -> Result<Hits, TranscriptError> {
        let question = Question {
            pattern,
            roles: self.roles,
            raw: self.raw,
            context: self.context,
            since_ms: self.since.map(time::to_ms),
            until_ms: self.until.map(time::to_ms),
        };
        let files = tasks::in_order(files);
        let tasks = match &self.index {
            // An index knows what people see, and nothing about the rest of a line.
            Some(index) if !self.raw => index::tasks(index, &files, &question),
            _ => tasks::whole(&files),
        };
        Ok(Hits::start(
            files,
            tasks,
            question,
            self.limit,
            self.threads,
        ))
    }

    fn takes(&self, file: &SessionFile) -> bool {
        (self.projects.is_empty() || self.projects.contains(&file.project))
            && self.since.is_none_or(|since| file.modified >= since)
            && (self.session.is_none() || self.session == file.session_id)
    }
}
