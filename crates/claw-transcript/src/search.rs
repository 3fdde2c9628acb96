//! Search in prompts, replies, tool calls and results.
//!
//! A match is in the text that a person sees, not in the JSON around it: `\n` in the file is a
//! newline, and names of members, ids and images are not text. All arguments of tools are text,
//! numbers included, and so are the results that the CLI stores in separate files because they are
//! too long for a line.
//! Files are searched as bytes first, and only lines that may match are parsed.

mod hits;
mod pattern;
mod results;
mod role;
mod scan;
mod sieve;
mod snippet;
mod tasks;
mod visible;

use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::project_key::ProjectKey;
use crate::time;

pub use hits::Hits;
pub use role::SearchRole;
pub use scan::SearchHit;
pub use snippet::Snippet;

use pattern::{Pattern, Wanted};
use scan::Question;

/// A search for a text in a library or in some files.
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
    roles: Vec<SearchRole>,
    projects: Vec<ProjectKey>,
    session: Option<String>,
    since: Option<SystemTime>,
    until: Option<SystemTime>,
    limit: Option<usize>,
    context: usize,
    threads: Option<NonZero<usize>>,
}

impl SearchQuery {
    fn new(wanted: Wanted) -> Self {
        let roles = SearchRole::ALL.iter().copied();
        Self {
            wanted,
            any_case: false,
            raw: false,
            roles: roles
                .filter(|role| *role != SearchRole::Attachment)
                .collect(),
            projects: Vec::new(),
            session: None,
            since: None,
            until: None,
            limit: None,
            context: 60,
            threads: None,
        }
    }

    /// An exact text, spaces and newlines included.
    pub fn phrase(text: impl Into<String>) -> Self {
        Self::new(Wanted::Words(vec![text.into()]))
    }

    /// All words of a text, in any order, in one message, tool call or result. Words are separated
    /// by white space and may be parts of longer words. The CLI writes every block of a reply on a
    /// separate line; each block is then searched separately.
    pub fn words(text: &str) -> Self {
        let words = text.split_whitespace().map(str::to_owned);
        Self::new(Wanted::Words(words.collect()))
    }

    /// A regular expression in the syntax of the crate `regex`. `^` and `$` match at the start and
    /// end of each line of a text.
    pub fn regex(pattern: impl Into<String>) -> Self {
        Self::new(Wanted::Regex(pattern.into()))
    }

    /// Ignores case, in all scripts that have it.
    pub fn any_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    /// Searches the bytes of the lines: also names, ids, escapes and broken lines. The role of every
    /// hit is then [`SearchRole::Line`].
    pub fn raw(mut self) -> Self {
        self.raw = true;
        self
    }

    /// Searches only these roles. The default is all but attachments.
    pub fn roles(mut self, roles: impl IntoIterator<Item = SearchRole>) -> Self {
        self.roles = roles.into_iter().collect();
        self
    }

    /// Searches only sessions in these folders; see also [`SessionLibrary::in_dir`].
    pub fn projects(mut self, projects: impl IntoIterator<Item = ProjectKey>) -> Self {
        self.projects = projects.into_iter().collect();
        self
    }

    /// Searches only one session, with its subagents.
    pub fn session(mut self, session_id: impl Into<String>) -> Self {
        self.session = Some(session_id.into());
        self
    }

    /// Searches only lines written at this time or later. A line without a time, such as a title,
    /// has that of its file.
    pub fn since(mut self, time: SystemTime) -> Self {
        self.since = Some(time);
        self
    }

    /// Searches only lines written before this time.
    pub fn until(mut self, time: SystemTime) -> Self {
        self.until = Some(time);
        self
    }

    /// Stops after this number of hits.
    pub fn limit(mut self, hits: usize) -> Self {
        self.limit = Some(hits);
        self
    }

    /// The number of characters to show on each side of a match. The default is 60.
    pub fn context(mut self, characters: usize) -> Self {
        self.context = characters;
        self
    }

    /// The number of threads. The default is the number of processors.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Starts the search. Hits are returned as they are found. The session that was modified last
    /// comes first; its main file comes before those of subagents.
    ///
    /// # Errors
    /// Returns an error if the pattern is not a regular expression, or the folder of projects
    /// cannot be read. A file that cannot be read is an error among the hits.
    pub fn run(&self, library: &SessionLibrary) -> Result<Hits, TranscriptError> {
        // An invalid pattern is reported before anything is read.
        let pattern = Pattern::new(&self.wanted, self.any_case, self.raw)?;
        let mut files = library.files()?;
        if self.raw || self.roles.contains(&SearchRole::ToolResult) {
            files.extend(results::beside(&files));
        }
        files.retain(|file| self.takes(file));
        let question = Question {
            pattern,
            roles: self.roles.clone(),
            raw: self.raw,
            context: self.context,
            since_ms: self.since.map(time::to_ms),
            until_ms: self.until.map(time::to_ms),
            stop: AtomicBool::new(false),
        };
        let files = tasks::in_order(files);
        Ok(Hits::start(&files, question, self.limit, self.threads))
    }

    fn takes(&self, file: &SessionFile) -> bool {
        (self.projects.is_empty() || self.projects.contains(&file.project))
            && self.since.is_none_or(|since| file.modified >= since)
            && (self.session.is_none() || self.session == file.session_id)
    }
}
