//! Mends session files.
//!
//! A crash, a full disk, a second writer or a hand edit leaves files that the CLI reads only in
//! part: it skips every line that is not one JSON object, and from the last line it goes up by
//! `parentUuid` until a parent is missing, unless the line before is at most five seconds older.
//! One lost line can hide everything before it. A [`RepairPlan`] says what is wrong and what would
//! be done, and touches nothing; applying it writes a new session and leaves the old one as it is.
//!
//! What holds for every repair: a line that is whole is never lost, except a second copy; lines
//! that need no change keep their bytes; what is taken out is kept in a file of its own; and the
//! repaired file needs no repair.

mod before;
mod chains;
mod copies;
mod error;
mod fields;
mod item;
mod links;
mod names;
mod order;
mod pairs;
mod render;
mod rounds;
mod scan;
mod sides;
mod stand_ins;
mod step;
pub(crate) mod surrogates;
mod work;
mod write;

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::check::across::explained;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::{SessionLibrary, is_session_id};

use scan::Place;
use work::Work;

pub use before::EarlierRepairs;
pub use error::RepairError;
pub use step::{RepairAction, RepairStep};
pub use write::{RepairTarget, Repaired};

/// What would be done to mend a session: a dry run, in words and as data.
///
/// ```no_run
/// use claw_transcript::{RepairPlan, RepairTarget};
///
/// let plan = RepairPlan::of_file("5e5e5e5e-0000-4000-8000-000000000001.jsonl")?;
/// print!("{plan}");
/// if !plan.is_empty() {
///     let repaired = plan.apply(&RepairTarget::NewSession)?;
///     println!("{}", repaired.resume_command());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RepairPlan {
    /// By session: the main file, then those of its subagents.
    pub files: Vec<FilePlan>,
}

/// What would be done to one file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilePlan {
    /// Where it is.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// For the file of a subagent: which one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// How long it was when it was looked at, in bytes.
    pub length: u64,
    /// In the order of the file.
    pub steps: Vec<RepairStep>,
    #[serde(skip)]
    session_id: Option<String>,
    #[serde(skip)]
    modified: SystemTime,
    #[serde(skip)]
    work: Work,
    /// What is done to what the first round leaves, mostly nothing.
    #[serde(skip)]
    later: Vec<Work>,
}

impl RepairPlan {
    /// Looks at a session by its main file, with the files of its subagents; or at one file of a
    /// subagent.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of_file(path: impl Into<PathBuf>) -> Result<Self, TranscriptError> {
        let file = SessionFile::at(path)?;
        let agents = file.agents()?;
        Self::of_files(std::iter::once(file).chain(agents))
    }

    /// Looks at these files, which are those of one session.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of_files(files: impl IntoIterator<Item = SessionFile>) -> Result<Self, TranscriptError> {
        // What a workflow noted is no conversation: it is copied as it is.
        let files = files.into_iter();
        let files = files.filter(|file| file.role != FileRole::Journal);
        let files: Result<_, _> = files.map(FilePlan::of).collect();
        Ok(Self { files: files? })
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.steps.is_empty())
    }

    /// The session's own file; there is none when only a subagent's file was looked at.
    pub fn main_file(&self) -> Option<&FilePlan> {
        self.files.iter().find(|file| file.agent_id.is_none())
    }

    /// All steps, file by file.
    pub fn steps(&self) -> impl Iterator<Item = &RepairStep> {
        self.files.iter().flat_map(|file| &file.steps)
    }
}

impl SessionLibrary {
    /// Looks at what is to be mended in a session. Touches nothing.
    ///
    /// # Errors
    /// There is no such session, or it cannot be read.
    pub fn plan_repair(&self, session_id: &str) -> Result<RepairPlan, TranscriptError> {
        RepairPlan::of_files(self.session_files(session_id)?)
    }
}

impl FilePlan {
    /// The directory that the CLI worked in first, by the lines. The CLI finds a session when it
    /// is started there.
    pub fn cwd(&self) -> Option<&Path> {
        self.work.cwd.as_deref()
    }

    /// The session's id: the name of the file, or what its lines say when somebody renamed it.
    pub fn session_id(&self) -> Option<String> {
        let by_name = self.session_id.as_deref().filter(|id| is_session_id(id));
        let mut by_lines = self
            .work
            .sessions
            .iter()
            .map(|id| self.work.names.text(*id));
        by_name
            .map(str::to_owned)
            .or_else(|| by_lines.find(|id| is_session_id(id)))
    }

    /// The id by which the lines name the session.
    fn id_in_lines(&self) -> Option<String> {
        let ids = self
            .work
            .sessions
            .iter()
            .map(|id| self.work.names.text(*id));
        let ids: Vec<String> = ids.collect();
        let by_name = ids.iter().find(|id| self.session_id.as_ref() == Some(*id));
        by_name.or(ids.first()).cloned()
    }

    fn of(file: SessionFile) -> Result<Self, TranscriptError> {
        let agent_id = match &file.role {
            FileRole::Main | FileRole::Journal | FileRole::ToolResult => None,
            FileRole::Agent { agent_id } => Some(agent_id.clone()),
        };
        let mut open = File::open(&file.path).map_err(TranscriptError::io("open", &file.path))?;
        let elsewhere = |lost: Vec<String>| explained(&file, lost);
        let place = Place {
            of_agent: agent_id.is_some(),
            session: file.session_id.clone(),
        };
        let rounds = rounds::plan(&mut open, &place, tempfile::tempfile, elsewhere);
        let (mut later, steps) = rounds.map_err(TranscriptError::io("read", &file.path))?;
        let work = later.remove(0);
        Ok(Self {
            path: file.path,
            agent_id,
            length: work.length,
            steps,
            session_id: file.session_id,
            modified: file.modified,
            work,
            later,
        })
    }
}

impl fmt::Display for RepairPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return writeln!(f, "nothing to repair");
        }
        for file in self.files.iter().filter(|file| !file.steps.is_empty()) {
            writeln!(f, "{}: {} steps", file.path.display(), file.steps.len())?;
            for step in &file.steps {
                writeln!(f, "  {}", step.to_string().replace('\n', "\n  "))?;
            }
        }
        Ok(())
    }
}

/// Mends the bytes of a main file in memory.
///
/// ```
/// let torn = b"{\"type\":\"mode\",\"mode\":\"normal\"}\n{\"type\":\"tag\",\"ta";
/// let (steps, mended) = claw_transcript::repair_bytes(torn);
/// assert_eq!(steps.len(), 1);
/// assert_eq!(mended, b"{\"type\":\"mode\",\"mode\":\"normal\"}\n");
/// ```
pub fn repair_bytes(bytes: &[u8]) -> (Vec<RepairStep>, Vec<u8>) {
    let mut source = Cursor::new(bytes);
    let nowhere = |_| HashSet::new();
    let place = Place::default();
    let mended = rounds::plan(&mut source, &place, || Ok(Cursor::new(Vec::new())), nowhere)
        .and_then(|(rounds, steps)| {
            let mut mended = bytes.to_vec();
            for work in &rounds {
                let mut next = Vec::with_capacity(mended.len());
                write::write_lines(work, &mut Cursor::new(&mended), &mut next, None)?;
                mended = next;
            }
            Ok((steps, mended))
        });
    // Memory can be read and written without fail.
    mended.unwrap_or_else(|_| (Vec::new(), bytes.to_vec()))
}

/// Finds out what is to be done to a file that was read.
fn planned(mut work: Work) -> Work {
    work.settle_copies();
    work.mend_sides();
    work.mend_links();
    for at in std::mem::take(&mut work.renamed) {
        if !work.is_result_of_parent(at) {
            work.put_on_the_way(at, "uuid-unique");
        }
    }
    work.name_calls();
    work.forget_lost();
    work.mend_pairs();
    work.fill_empty();
    work.settle_order();
    work.leave_last_line();
    work.steps.sort_by_key(|step| step.offset);
    work
}

/// Where a plan's own files lie in the folder beside a session.
fn kept_in(companions: &Path) -> PathBuf {
    companions.join("repair")
}

#[cfg(test)]
mod tests;
