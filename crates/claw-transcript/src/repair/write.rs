//! Writes a repaired session beside the old one.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::check::{Check, CheckReport};
use crate::conversation::Ids;
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::lines::Lines;
use crate::not_a_session;
use crate::session_id::is_session_id;

use super::copy::{copy_folder, copy_sidecar, free_name, free_place, new_file, private_folder};
use super::error::RepairError;
use super::plan::{FilePlan, RepairPlan};
use super::render::{Renamed, rename_session};
use super::step::RepairAction;

/// The name of the plan in [`kept_in`].
pub(super) const PLAN: &str = "plan.json";

/// The folder of the plan and the removed lines, in the folder beside a session.
pub(super) fn kept_in(companions: &Path) -> PathBuf {
    companions.join("repair")
}

/// The location of a repaired session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairTarget {
    /// The same folder, under a new id, so that the CLI lists both.
    #[default]
    NewSession,
    /// The same folder, under this id.
    Session(String),
    /// Another folder, under its own id.
    Folder(PathBuf),
}

/// A repaired session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Repaired {
    /// Its id.
    pub session_id: String,
    /// Its main file.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The directory to resume it in, if a line names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The folder with the removed lines and the plan.
    #[serde(serialize_with = "crate::files::lossy")]
    pub kept_in: PathBuf,
    /// Lines with a new uuid: the old one and the new one. In JSON, this is part of the steps.
    #[serde(skip)]
    pub new_uuids: Vec<(String, String)>,
    /// The number of steps.
    pub steps: usize,
    /// The number of steps that a plan for the new session has. It is zero, unless there is a bug
    /// in this library.
    pub steps_left: usize,
    /// The number of errors in the old session.
    pub errors_before: u64,
    /// The number of errors in the new session: lost text is not invented.
    pub errors_left: u64,
}

impl Repaired {
    /// Returns the command that resumes it, in its directory.
    pub fn resume_command(&self) -> String {
        format!("claude --resume {}", self.session_id)
    }
}

impl RepairPlan {
    /// Writes the repaired session: new files, readable by their owner only, the main file last, so
    /// that the session is written completely or not at all. Files of subagents, long tool results
    /// and titles are copied. Then the new session is checked.
    ///
    /// # Errors
    /// Returns an error if there is nothing to repair, the session changed since the plan, the new
    /// session exists, or a file cannot be read or written. Then no file is left.
    pub fn apply(&self, target: &RepairTarget) -> Result<Repaired, RepairError> {
        let main = self.main_file().ok_or(RepairError::NoMainFile)?;
        self.must_leave_a_conversation()?;
        if self.is_empty() {
            let path = main.path.clone();
            return Err(RepairError::Nothing { path });
        }
        let new = match target {
            RepairTarget::NewSession => uuid::Uuid::new_v4().to_string(),
            RepairTarget::Session(id) if is_session_id(id) => id.clone(),
            RepairTarget::Session(id) => {
                let id = id.clone();
                return Err(TranscriptError::NotASessionId { id }.into());
            }
            // The id is deterministic, so that a second copy is rejected.
            RepairTarget::Folder(_) => main.session_id().unwrap_or_else(|| {
                let mut names = Ids::default();
                let id = names.fresh_uuid(0, &main.id_in_lines().unwrap_or_default());
                names.text(id)
            }),
        };
        let folder = match target {
            RepairTarget::Folder(folder) => folder.as_path(),
            _ => main.path.parent().unwrap_or(Path::new(".")),
        };
        for file in &self.files {
            file.is_as_it_was()?;
        }
        let path = folder.join(format!("{new}.jsonl"));
        let companions = path.with_extension("");
        for there in [&path, &companions] {
            if there.symlink_metadata().is_ok() {
                let path = there.clone();
                return Err(RepairError::Exists { path });
            }
        }
        // Before the new session exists: parents are searched in other sessions too.
        let errors_before = self.check()?.total.errors;
        let old = main.id_in_lines().filter(|old| *old != new);
        let names = old.as_deref().map(|old| Renamed { old, new: &new });
        let written = self.write(main, &path, &companions, names);
        if let Err(error) = written {
            // The folder did not exist before.
            let _ = std::fs::remove_dir_all(&companions);
            return Err(error);
        }
        let again = Self::of_file(&path)?;
        Ok(Repaired {
            errors_before,
            errors_left: again.check()?.total.errors,
            session_id: new.clone(),
            cwd: main.cwd().map(Path::to_owned),
            kept_in: kept_in(&companions),
            new_uuids: self.new_uuids(),
            steps: self.steps().count(),
            steps_left: again.steps().count(),
            path,
        })
    }

    fn new_uuids(&self) -> Vec<(String, String)> {
        let steps = self.steps();
        let renamed = steps.filter(|step| step.action == RepairAction::NewUuid);
        let renamed = renamed.filter_map(|step| step.before.clone().zip(step.after.clone()));
        renamed.collect()
    }

    /// Checks the files in their current state, with more rules than a repair needs. Each finding
    /// includes advice.
    ///
    /// # Errors
    /// Returns an error if a file no longer exists.
    pub fn check(&self) -> Result<CheckReport, TranscriptError> {
        let Some(first) = self.main_file().or(self.files.first()) else {
            return Ok(CheckReport::default());
        };
        let first = SessionFile::at(&first.path)?;
        let mut files = first.agents()?;
        files.insert(0, first);
        Ok(Check::new().threads(1).files(&files))
    }

    /// Checks that messages are left after the repair. Otherwise a file of another kind would
    /// become an empty session.
    ///
    /// # Errors
    /// Returns an error if no message is left; it names the kind of the file.
    pub fn must_leave_a_conversation(&self) -> Result<(), RepairError> {
        let is_left = |main: &FilePlan| {
            main.about.has_lines && (main.about.has_messages || main.steps.is_empty())
        };
        match self.main_file().filter(|main| !is_left(main)) {
            Some(main) => Err(not_a_session::refusal(&main.path).into()),
            None => Ok(()),
        }
    }

    fn write(
        &self,
        main: &FilePlan,
        path: &Path,
        companions: &Path,
        session: Option<Renamed<'_>>,
    ) -> Result<(), RepairError> {
        let kept = kept_in(companions);
        private_folder(&kept)?;
        let beside = main.path.with_extension("");
        // The record of an earlier repair belongs to that one.
        let earlier = kept_in(&beside);
        copy_folder(&beside, companions, &|path| {
            path == earlier || self.files.iter().any(|file| file.path == path)
        })?;
        let plan = serde_json::to_vec_pretty(self).unwrap_or_default();
        let plan_file = kept.join(PLAN);
        new_file(&plan_file, |file| file.write_all(&plan))?;
        let agents = self.files.iter().filter(|file| file.agent_id.is_some());
        let (inside, outside): (Vec<_>, Vec<_>) =
            agents.partition(|file| file.path.starts_with(&beside));
        for file in inside {
            let inside = file.path.strip_prefix(&beside).unwrap_or(&file.path);
            file.write_to(&companions.join(inside), &kept, session)?;
        }
        for file in outside {
            let name = file.path.file_name().unwrap_or_default();
            let path = free_place(&companions.join("subagents"), name);
            file.write_to(&path, &kept, session)?;
            copy_sidecar(&file.path, &path)?;
        }
        main.write_to(path, &kept, session)
    }
}

impl FilePlan {
    /// Checks that the file was not changed since the plan.
    fn is_as_it_was(&self) -> Result<(), RepairError> {
        let meta =
            std::fs::metadata(&self.path).map_err(TranscriptError::io("read", &self.path))?;
        let modified = meta.modified().unwrap_or(self.file.modified);
        if meta.len() != self.length || modified != self.file.modified {
            return Err(self.changed());
        }
        Ok(())
    }

    fn changed(&self) -> RepairError {
        let path = self.path.clone();
        RepairError::Changed { path }
    }

    /// Writes the removed bytes into a folder, and then the repaired lines.
    pub(super) fn write_to(
        &self,
        path: &Path,
        kept: &Path,
        session: Option<Renamed<'_>>,
    ) -> Result<(), RepairError> {
        let mended = self.mend()?;
        // A running CLI may have written to the file since the check.
        if mended.length != self.length || mended.steps != self.steps {
            return Err(self.changed());
        }
        if let Some(mut removed) = mended.removed {
            let kept = match self.agent_id {
                None => kept.join("removed.txt"),
                Some(_) => free_name(kept, self.path.file_stem().unwrap_or_default()),
            };
            new_file(&kept, |file| io::copy(&mut removed, file).map(drop))?;
        }
        let (source, length) = match mended.output {
            Some(output) => (output, u64::MAX),
            None => {
                let open = File::open(&self.path);
                let open = open.map_err(TranscriptError::io("open", &self.path))?;
                (open, self.length)
            }
        };
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        new_file(path, |file| copy_lines(source.take(length), file, session))
    }
}

fn copy_lines(
    source: impl Read,
    out: &mut impl Write,
    session: Option<Renamed<'_>>,
) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let mut lines = Lines::new(source);
    while let Some(line) = lines.next_line()? {
        out.write_all(&rename_session(line.raw, session))?;
        out.write_all(line.end.bytes())?;
    }
    out.flush()
}
