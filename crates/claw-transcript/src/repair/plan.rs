//! Plans repairs.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::rounds::{About, Mended, mend};
use super::scan::Place;
use super::step::RepairStep;
use crate::check::across::explained;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::SessionLibrary;
use crate::session_id::is_session_id;

/// The plan to repair a session. Making one changes nothing.
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
    /// The plans for the main file, then for those of its subagents.
    pub files: Vec<FilePlan>,
}

/// The plan for one file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FilePlan {
    /// The path.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The id of the subagent, for a subagent's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The length in bytes when the file was read.
    pub length: u64,
    /// The steps, in the order of the file.
    pub steps: Vec<RepairStep>,
    #[serde(skip)]
    pub(super) file: SessionFile,
    #[serde(skip)]
    pub(super) about: About,
}

impl RepairPlan {
    /// Plans the repair of a session by its main file, with the files of its subagents; or of one
    /// subagent's file.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn of_file(path: impl Into<PathBuf>) -> Result<Self, TranscriptError> {
        let file = SessionFile::at(path)?;
        let agents = file.agents()?;
        Self::of_files(std::iter::once(file).chain(agents))
    }

    /// Plans the repair of these files, which must be those of one session.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn of_files(files: impl IntoIterator<Item = SessionFile>) -> Result<Self, TranscriptError> {
        // The journal of a workflow is not a conversation. It is copied unchanged.
        let files = files.into_iter();
        let files = files.filter(|file| file.role != FileRole::Journal);
        let files: Result<_, _> = files.map(FilePlan::of).collect();
        Ok(Self { files: files? })
    }

    /// Returns whether there is nothing to repair.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.steps.is_empty())
    }

    /// The plan for the main file; `None` if the plan is only for a subagent's file.
    pub fn main_file(&self) -> Option<&FilePlan> {
        self.files.iter().find(|file| file.agent_id.is_none())
    }

    /// All steps, file by file.
    pub fn steps(&self) -> impl Iterator<Item = &RepairStep> {
        self.files.iter().flat_map(|file| &file.steps)
    }
}

impl SessionLibrary {
    /// Plans the repair of a session. Changes nothing.
    ///
    /// # Errors
    /// Returns an error if the session does not exist or cannot be read.
    pub fn plan_repair(&self, session_id: &str) -> Result<RepairPlan, TranscriptError> {
        RepairPlan::of_files(self.session_files(session_id)?)
    }
}

impl FilePlan {
    /// The first working directory in the lines. The CLI finds a session when it is started there.
    pub fn cwd(&self) -> Option<&Path> {
        self.about.cwd.as_deref()
    }

    /// The session's id, by the name of the file, or else by its lines if the file was renamed.
    pub fn session_id(&self) -> Option<String> {
        let by_name = self.file.session_id.iter();
        let mut ids = by_name.chain(&self.about.sessions);
        ids.find(|id| is_session_id(id)).cloned()
    }

    /// The session's id in the lines.
    pub(super) fn id_in_lines(&self) -> Option<String> {
        let by_name = |id: &&String| self.file.session_id.as_ref() == Some(id);
        let by_name = self.about.sessions.iter().find(by_name);
        by_name.or(self.about.sessions.first()).cloned()
    }

    fn of(file: SessionFile) -> Result<Self, TranscriptError> {
        let mended = mend_file(&file, |lost| explained(&file, lost))?;
        Ok(Self {
            path: file.path.clone(),
            agent_id: match &file.role {
                FileRole::Agent { agent_id } => Some(agent_id.clone()),
                _ => None,
            },
            length: mended.length,
            steps: mended.steps,
            file,
            about: mended.about,
        })
    }

    /// Repairs the file once more, which leads to the same steps.
    pub(super) fn mend(&self) -> Result<Mended<File>, TranscriptError> {
        mend_file(&self.file, |_| self.about.elsewhere.clone())
    }
}

fn mend_file(
    file: &SessionFile,
    elsewhere: impl FnOnce(Vec<String>) -> HashSet<String>,
) -> Result<Mended<File>, TranscriptError> {
    let mut open = File::open(&file.path).map_err(TranscriptError::io("open", &file.path))?;
    let place = Place {
        of_agent: matches!(file.role, FileRole::Agent { .. }),
        session: file.session_id.clone(),
    };
    let mended = mend(&mut open, &place, tempfile::tempfile, elsewhere);
    mended.map_err(TranscriptError::io("read", &file.path))
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

/// Repairs the bytes of a main file in memory.
///
/// ```
/// let torn = b"{\"type\":\"mode\",\"mode\":\"normal\"}\n{\"type\":\"tag\",\"ta";
/// let (steps, mended) = claw_transcript::repair_bytes(torn);
/// assert_eq!(steps.len(), 1);
/// assert_eq!(mended, b"{\"type\":\"mode\",\"mode\":\"normal\"}\n");
/// ```
pub fn repair_bytes(bytes: &[u8]) -> (Vec<RepairStep>, Vec<u8>) {
    let mut source = Cursor::new(bytes);
    let buffer = || Ok(Cursor::new(Vec::new()));
    let mended = mend(&mut source, &Place::default(), buffer, |_| HashSet::new());
    match mended.map(|mended| (mended.steps, mended.output)) {
        Ok((steps, Some(output))) => (steps, output.into_inner()),
        // Reading and writing memory cannot fail.
        _ => (Vec::new(), bytes.to_vec()),
    }
}
