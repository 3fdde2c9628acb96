//! Sessions in a list: what each is about, from its first and last bytes.

mod archived;
mod collide;
mod prompt;
mod scan;
mod summary;
mod window;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use crate::error::TranscriptError;
use crate::library::{Found, SessionLibrary, is_session_id};
use crate::real_place::real_place;
use crate::script_text::clean_title;
use crate::time::{from_ms, parse_ms};

pub(crate) use archived::ArchiveMark;
use prompt::{first_prompt, prompt_of};
use scan::Type;
pub use summary::SessionSummary;
pub(crate) use window::Window;

/// What is known about a session without reading all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The session's id.
    pub session_id: String,
    /// What to show: the title, else the last prompt or summary, else the first prompt.
    pub summary: String,
    /// When the file was last written, to the millisecond.
    pub last_modified: SystemTime,
    /// How long the file is, in bytes.
    pub file_size: u64,
    /// The title that a user gave, or that the CLI made up.
    pub custom_title: Option<String>,
    /// The first thing a user said that was not a command, at most 200 UTF-16 units of it.
    pub first_prompt: Option<String>,
    /// The git branch at the end.
    pub git_branch: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The tag that a user gave.
    pub tag: Option<String>,
    /// When the session began.
    pub created_at: Option<SystemTime>,
    /// Whether it is archived. `None`: it never was. A prompt sent after archiving counts as
    /// taking it out again.
    pub archived: Option<bool>,
    /// The file.
    pub path: PathBuf,
}

/// Which sessions to list. The default is all, newest first.
#[derive(Debug, Clone)]
pub struct SessionFilter {
    limit: Option<usize>,
    offset: usize,
    programmatic: bool,
    silent: bool,
    copies: bool,
}

impl SessionFilter {
    /// All sessions.
    pub fn new() -> Self {
        Self {
            limit: None,
            offset: 0,
            programmatic: true,
            silent: false,
            copies: false,
        }
    }

    /// At most this many. With a limit only the newest files are opened, so ask for what you show.
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Leaves out this many of the newest.
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }

    /// Whether sessions that a program or a daemon ran are listed too; they are unless you say
    /// `false`. The CLI's own picker leaves them out.
    pub fn programmatic(mut self, included: bool) -> Self {
        self.programmatic = included;
        self
    }

    /// Whether sessions are listed too whose first and last bytes show no prompt: it lies behind a
    /// long paste, the file is damaged or in another dialect, or nobody spoke. The official SDK
    /// leaves them out, and so does this list unless you say `true`; then the first prompt is
    /// looked for in the whole file, and the summary is empty where there is none.
    pub fn silent(mut self, included: bool) -> Self {
        self.silent = included;
        self
    }

    /// Whether a session that is in several folders is listed once for each of them. By default it
    /// is listed once, from its newest file, as the official SDK does.
    pub fn copies(mut self, included: bool) -> Self {
        self.copies = included;
        self
    }
}

impl Default for SessionFilter {
    fn default() -> Self {
        Self::new()
    }
}

/// A file that may be a session.
struct Candidate {
    id: String,
    found: Found,
    modified_ms: i64,
    /// Whether a folder of its name lies beside it, with a title or a mark in it perhaps.
    companions: bool,
}

impl SessionLibrary {
    /// Sessions, newest first.
    ///
    /// Of each file at most the first and last 64 KiB are read, and of each thread one file at a
    /// time, so memory does not grow with the files. Files without a prompt, files of subagents and files that cannot
    /// be read are left out. A session that lies in two folders is listed once, as its newer file
    /// says, unless copies are asked for.
    ///
    /// # Errors
    /// The folder of projects is there but cannot be read.
    pub fn list(&self, filter: &SessionFilter) -> Result<Vec<SessionInfo>, TranscriptError> {
        let mut candidates = self.candidates()?;
        candidates.sort_by(|a, b| (b.modified_ms, &b.id).cmp(&(a.modified_ms, &a.id)));
        let own_dirs = self.own_dirs();
        let limit = filter.limit.unwrap_or(usize::MAX);
        let mut seen: HashMap<&str, Vec<&PathBuf>> = HashMap::new();
        let mut listed = Vec::new();
        let mut to_skip = filter.offset;
        let mut rest = candidates.as_slice();
        while !rest.is_empty() && listed.len() < limit {
            // As many as would do if none is left out.
            let wanted = (limit - listed.len()).saturating_add(to_skip);
            let (now, later) = rest.split_at(wanted.min(rest.len()));
            rest = later;
            for (candidate, info) in now.iter().zip(listable_of(now, filter, &own_dirs)) {
                let Some(info) = info else {
                    continue;
                };
                let before = seen.entry(candidate.id.as_str()).or_default();
                let path = &candidate.found.path;
                let is_first = before.is_empty();
                if !is_first && (!filter.copies || !is_another(path, before)) {
                    continue;
                }
                before.push(path);
                if to_skip > 0 {
                    to_skip -= 1;
                } else {
                    listed.push(info);
                }
            }
        }
        Ok(listed)
    }

    /// One session. `None` when there is no such file, when it is a subagent's, or when nobody
    /// said anything in it.
    ///
    /// # Errors
    /// The id is not a UUID, or the folder of projects cannot be read.
    pub fn info(&self, session_id: &str) -> Result<Option<SessionInfo>, TranscriptError> {
        let Some(found) = self.find_if_any(session_id)? else {
            return Ok(None);
        };
        let window = Window::read(&found.path);
        Ok(window.and_then(|window| {
            let asked = Asked {
                companions: true,
                silent: false,
            };
            describe(session_id, &found, &window, asked)
        }))
    }

    fn candidates(&self) -> Result<Vec<Candidate>, TranscriptError> {
        let mut candidates = Vec::new();
        for place in self.places()? {
            let Ok(entries) = std::fs::read_dir(&place.path) else {
                continue;
            };
            let first = candidates.len();
            let mut others = HashSet::new();
            for entry in entries.flatten() {
                let name = entry.file_name();
                let Some(name) = name.to_str() else {
                    continue;
                };
                let Some(id) = name.strip_suffix(".jsonl") else {
                    others.insert(name.to_ascii_lowercase());
                    continue;
                };
                if !is_session_id(id) {
                    continue;
                }
                let path = entry.path();
                // A pipe is none: opening it would wait for a writer.
                let meta = std::fs::metadata(&path).ok().filter(|meta| meta.is_file());
                if let Some(modified) = meta.and_then(|meta| meta.modified().ok()) {
                    candidates.push(Candidate {
                        id: id.to_owned(),
                        found: Found {
                            path,
                            dir: place.dir.clone(),
                        },
                        modified_ms: window::rounded_ms(modified),
                        companions: false,
                    });
                }
            }
            for candidate in &mut candidates[first..] {
                candidate.companions = others.contains(&candidate.id.to_ascii_lowercase());
            }
        }
        Ok(candidates)
    }

    /// The directory and its worktrees, between which sessions may move.
    pub(crate) fn own_dirs(&self) -> Vec<String> {
        let worktrees = self.scope_worktrees();
        if worktrees.is_empty() {
            return Vec::new();
        }
        let scope = self.scope_dir().map(str::to_owned);
        scope.into_iter().chain(worktrees).collect()
    }
}

/// Returns whether a file differs from all others. Paths that lead to the same file through links
/// are equal.
fn is_another(path: &Path, others: &[&PathBuf]) -> bool {
    let real = real_place(path).ok();
    others.iter().all(|other| real_place(other).ok() != real)
}

/// How many files are worth a thread of their own.
const FILES_OF_A_THREAD: usize = 64;

/// What is listed of some files, in their order.
fn listable_of(
    candidates: &[Candidate],
    filter: &SessionFilter,
    own_dirs: &[String],
) -> Vec<Option<SessionInfo>> {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = processors.min(candidates.len().div_ceil(FILES_OF_A_THREAD));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut found = Vec::new();
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed))
            && let Some(candidate) = candidates.get(index)
        {
            let info = listable(candidate, filter, own_dirs);
            found.extend(info.map(|info| (index, info)));
        }
        found
    };
    let mut all = vec![None; candidates.len()];
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for (index, info) in found {
            all[index] = Some(info);
        }
    });
    all
}

/// The session, unless the list leaves it out.
fn listable(
    candidate: &Candidate,
    filter: &SessionFilter,
    own_dirs: &[String],
) -> Option<SessionInfo> {
    let found = &candidate.found;
    let window = Window::of_file(&found.path)?;
    if !filter.programmatic && window.is_programmatic() {
        return None;
    }
    if let Some(next) = window.continued_in()
        && window::has_conversation(&found.path.with_file_name(format!("{next}.jsonl")))
    {
        return None;
    }
    let asked = Asked {
        companions: candidate.companions,
        silent: filter.silent,
    };
    let info = describe(&candidate.id, found, &window, asked)?;
    if let (Some(cwd), Some(dir)) = (window.own_cwd(), &found.dir)
        && collide::is_another_dir(&cwd, dir, own_dirs)
    {
        return None;
    }
    Some(info)
}

/// Whether a session's file runs in another directory than the one whose folder it lies in.
pub(crate) fn runs_elsewhere(path: &Path, dir: &str, own_dirs: &[String]) -> bool {
    let cwd = Window::of_file(path).and_then(|window| window.own_cwd());
    cwd.is_some_and(|cwd| collide::is_another_dir(&cwd, dir, own_dirs))
}

/// How far to look for what a session is about.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// Whether a folder with the session's name may lie beside its file.
    companions: bool,
    /// Whether it is described when its ends show no prompt.
    silent: bool,
}

fn describe(id: &str, found: &Found, window: &Window, asked: Asked) -> Option<SessionInfo> {
    let companions = asked.companions;
    if window.is_sidechain() {
        return None;
    }
    let (head, tail) = (window.head(), window.tail());
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let last_title = tail.last_named(Type::CustomTitle, "customTitle");
    let custom_title = last_title
        .clone()
        .and_then(some)
        .or_else(|| {
            let asked = last_title.is_none() && companions;
            asked.then(|| sidecar_title(&found.path, id)).flatten()
        })
        .or_else(|| {
            head.last_named(Type::CustomTitle, "customTitle")
                .and_then(some)
        })
        .or_else(|| tail.last_named(Type::AiTitle, "aiTitle").and_then(some))
        .or_else(|| head.last_named(Type::AiTitle, "aiTitle").and_then(some));
    let first_prompt = some(first_prompt(head));
    let summary = custom_title
        .clone()
        .or_else(|| scan::last_string(tail.text(), "lastPrompt").and_then(some))
        .or_else(|| scan::last_string(tail.text(), "summary").and_then(some))
        .or_else(|| first_prompt.clone())
        .or_else(|| prompt::attachment_word(head).map(str::to_owned))
        .or_else(|| asked.silent.then(|| prompt::search(&found.path)))?;
    let mark = companions
        .then(|| ArchiveMark::read(&found.path, id))
        .flatten();
    let archived = mark.map(|mark| mark.holds(window));
    Some(SessionInfo {
        session_id: id.to_owned(),
        summary,
        last_modified: from_ms(window.modified_ms),
        file_size: window.size,
        custom_title,
        first_prompt,
        git_branch: scan::last_raw(tail.text(), "gitBranch")
            .and_then(some)
            .or_else(|| scan::first_raw(head.text(), "gitBranch").and_then(some)),
        cwd: window
            .relocated()
            .and_then(some)
            .or_else(|| scan::first_raw(head.text(), "cwd").and_then(some))
            .or_else(|| found.dir.clone()),
        tag: tail.last_named(Type::Tag, "tag").and_then(some),
        created_at: scan::first_raw(head.text(), "timestamp")
            .and_then(|text| parse_ms(&text))
            .map(from_ms),
        archived,
        path: found.path.clone(),
    })
}

/// The title in the file beside the session's own, where newer releases keep it too.
fn sidecar_title(path: &Path, id: &str) -> Option<String> {
    let text = std::fs::read_to_string(path.with_file_name(id).join("custom-title.json")).ok()?;
    let members = crate::members::Members::read(&text)?;
    let title = clean_title(&members.string("customTitle")?);
    (!title.is_empty()).then_some(title)
}

/// What a copy of a session is called after: its title, else its first prompt.
pub(crate) fn derived_title(path: &Path, id: &str) -> Option<String> {
    let window = Window::read(path)?;
    let (head, tail) = (window.head(), window.tail());
    let custom = tail
        .last_named(Type::CustomTitle, "customTitle")
        .or_else(|| sidecar_title(path, id))
        .or_else(|| head.last_named(Type::CustomTitle, "customTitle"));
    let made = |piece: &scan::Piece| piece.last_named(Type::AiTitle, "aiTitle");
    [custom, made(tail), made(head), Some(first_prompt(head))]
        .into_iter()
        .flatten()
        .find(|title| !title.is_empty())
}
