//! Lists sessions by the first and last bytes of their files.

mod archived;
mod collide;
mod info;
mod prompt;
mod scan;
mod summary;
pub(crate) mod window;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use crate::entry::Kind;
use crate::error::TranscriptError;
use crate::library::SessionLibrary;
use crate::library::locate::Found;
use crate::parallel;
use crate::real_place::real_place;
use crate::script_text::clean_title;
use crate::session_id::is_session_id;
use crate::time::{from_ms, parse_ms};

pub(crate) use archived::ArchiveMark;
pub use info::{SessionFilter, SessionInfo};
use prompt::first_prompt;
pub use summary::SessionSummary;
use window::Window;

/// A file that may contain a session.
struct Candidate {
    id: String,
    found: Found,
    modified_ms: i64,
    /// Whether a folder with its name exists, which may contain a title or a mark.
    companions: bool,
}

impl SessionLibrary {
    /// Lists sessions, the newest first.
    ///
    /// Reads at most the first and last 64 KiB of each file, and each thread reads one file at a
    /// time, so that memory stays bounded. Leaves out files without a prompt, files of subagents
    /// and unreadable files. A session in two folders is listed once, from its newer file, unless
    /// the filter includes copies.
    ///
    /// # Errors
    /// Returns an error if the folder of projects exists but cannot be read.
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
            // Enough if none is left out.
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

    /// Returns one session. `None` if the file does not exist, belongs to a subagent, or has no
    /// prompt.
    ///
    /// # Errors
    /// Returns an error if the id is not a UUID, or the folder of projects cannot be read.
    pub fn info(&self, session_id: &str) -> Result<Option<SessionInfo>, TranscriptError> {
        let Some(found) = self.find_if_any(session_id)? else {
            return Ok(None);
        };
        let window = Window::read(&found.path);
        Ok(window.and_then(|window| describe(session_id, &found, &window, true, false)))
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
                // Opening a pipe would wait for a writer.
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

    /// The directory and its worktrees, between which sessions can move.
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

/// The number of files per thread, so that starting one is worth it.
const FILES_OF_A_THREAD: usize = 64;

/// Describes files in their order; `None` for those that are not listed.
fn listable_of(
    candidates: &[Candidate],
    filter: &SessionFilter,
    own_dirs: &[String],
) -> Vec<Option<SessionInfo>> {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = processors.min(candidates.len().div_ceil(FILES_OF_A_THREAD));
    let found = parallel::for_each(
        candidates,
        |_| 0,
        threads,
        Vec::new,
        |found, index, candidate| {
            let info = listable(candidate, filter, own_dirs);
            found.extend(info.map(|info| (index, info)));
        },
    );
    let mut all = vec![None; candidates.len()];
    for (index, info) in found.into_iter().flatten() {
        all[index] = Some(info);
    }
    all
}

/// Describes a session; `None` if it is not listed.
fn listable(
    candidate: &Candidate,
    filter: &SessionFilter,
    own_dirs: &[String],
) -> Option<SessionInfo> {
    let found = &candidate.found;
    let window = Window::of_file(&found.path)?;
    if filter.interactive_only && window.is_programmatic() {
        return None;
    }
    if let Some(next) = window.continued_in()
        && window::has_conversation(&found.path.with_file_name(format!("{next}.jsonl")))
    {
        return None;
    }
    let companions = candidate.companions;
    let info = describe(&candidate.id, found, &window, companions, filter.silent)?;
    if let (Some(cwd), Some(dir)) = (window.own_cwd(), &found.dir)
        && collide::is_another_dir(&cwd, dir, own_dirs)
    {
        return None;
    }
    Some(info)
}

/// Returns whether a session ran in a directory other than that of its folder.
pub(crate) fn runs_elsewhere(path: &Path, dir: &str, own_dirs: &[String]) -> bool {
    let cwd = Window::of_file(path).and_then(|window| window.own_cwd());
    cwd.is_some_and(|cwd| collide::is_another_dir(&cwd, dir, own_dirs))
}

/// Describes a session. `companions` is whether it may have a folder beside its file, `silent`
/// whether to describe it even if its ends show no prompt.
fn describe(
    id: &str,
    found: &Found,
    window: &Window,
    companions: bool,
    silent: bool,
) -> Option<SessionInfo> {
    if window.is_sidechain() {
        return None;
    }
    let (head, tail) = (window.head(), window.tail());
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let named = |piece: &scan::Piece, kind, member| piece.last_named(kind, member).and_then(some);
    let last_title = tail.last_named(Kind::CustomTitle, "customTitle");
    let custom_title = last_title
        .clone()
        .and_then(some)
        .or_else(|| {
            let beside = last_title.is_none() && companions;
            beside.then(|| sidecar_title(&found.path, id)).flatten()
        })
        .or_else(|| named(head, Kind::CustomTitle, "customTitle"))
        .or_else(|| named(tail, Kind::AiTitle, "aiTitle"))
        .or_else(|| named(head, Kind::AiTitle, "aiTitle"));
    let first_prompt = some(first_prompt(head));
    let summary = custom_title
        .clone()
        .or_else(|| scan::last_string(tail.text(), "lastPrompt").and_then(some))
        .or_else(|| scan::last_string(tail.text(), "summary").and_then(some))
        .or_else(|| first_prompt.clone())
        .or_else(|| prompt::attachment_word(head).map(str::to_owned))
        .or_else(|| silent.then(|| prompt::search(&found.path)))?;
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
        tag: named(tail, Kind::Tag, "tag"),
        created_at: scan::first_raw(head.text(), "timestamp")
            .and_then(|text| parse_ms(&text))
            .map(from_ms),
        archived,
        path: found.path.clone(),
    })
}

/// The title in the session's folder, where newer releases also store it.
fn sidecar_title(path: &Path, id: &str) -> Option<String> {
    let text = std::fs::read_to_string(path.with_file_name(id).join("custom-title.json")).ok()?;
    let members = crate::members::Members::read(&text)?;
    let title = clean_title(&members.string("customTitle")?);
    (!title.is_empty()).then_some(title)
}

/// The title for a copy of a session: the session's title, or else its first prompt.
pub(crate) fn derived_title(path: &Path, id: &str) -> Option<String> {
    let window = Window::read(path)?;
    let (head, tail) = (window.head(), window.tail());
    let custom = tail
        .last_named(Kind::CustomTitle, "customTitle")
        .or_else(|| sidecar_title(path, id))
        .or_else(|| head.last_named(Kind::CustomTitle, "customTitle"));
    let made = |piece: &scan::Piece| piece.last_named(Kind::AiTitle, "aiTitle");
    [custom, made(tail), made(head), Some(first_prompt(head))]
        .into_iter()
        .flatten()
        .find(|title| !title.is_empty())
}
