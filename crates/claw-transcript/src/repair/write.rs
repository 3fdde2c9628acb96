//! Writes a repaired session beside the old one.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::check::{Check, CheckReport};
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::{is_absent, is_session_id};
use crate::lines::Span;
use crate::not_a_session;

use super::error::RepairError;
use super::names::Names;
use super::render::{Renamed, render};
use super::step::RepairAction;
use super::work::Work;
use super::{FilePlan, RepairPlan, kept_in};

/// What was done, in the folder of what was taken out.
pub(super) const PLAN: &str = "plan.json";

/// Where a repaired session goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RepairTarget {
    /// Into the same folder under a new id, so that the CLI lists both.
    #[default]
    NewSession,
    /// Into the same folder under this id.
    Session(String),
    /// Into another folder, under its own id.
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
    /// The directory to resume it in, when a line says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The folder with what was taken out, and the plan; nothing else is lost.
    #[serde(serialize_with = "crate::files::lossy")]
    pub kept_in: PathBuf,
    /// Lines that have another uuid now: the one that they had, and the new one. Programs see it
    /// in the steps.
    #[serde(skip)]
    pub new_uuids: Vec<(String, String)>,
    /// How many steps were done.
    pub steps: usize,
    /// What a second look at the new session would still do. Nothing, unless there is a mistake
    /// in this library.
    pub steps_left: usize,
    /// How many errors checking finds in the old session.
    pub errors_before: u64,
    /// How many it finds in the new one. What a lost line said is not made up, so there may be
    /// some.
    pub errors_left: u64,
}

impl Repaired {
    /// How to go on with it, in its directory.
    pub fn resume_command(&self) -> String {
        format!("claude --resume {}", self.session_id)
    }
}

impl RepairPlan {
    /// Writes the repaired session: always new files, readable by their owner only, the main file
    /// last, so that the session is there whole or not at all. Subagents' files, long tool results
    /// and titles are copied. Then the new session is looked at again.
    ///
    /// # Errors
    /// There is nothing to do, the session changed meanwhile, something is where the new session
    /// would be, or a file cannot be read or written. Nothing is left behind then.
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
                let mut names = Names::default();
                let id = names.fresh(0, &main.id_in_lines().unwrap_or_default());
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
        // Beside the new session, lost lines might be taken for lines of that one.
        let errors_before = self.errors()?;
        let old = main.id_in_lines().filter(|old| *old != new);
        let names = old.as_deref().map(|old| Renamed { old, new: &new });
        let written = self.write(main, &path, &companions, names);
        if let Err(error) = written {
            // What was begun is ours alone: it was not there before.
            let _ = std::fs::remove_dir_all(&companions);
            return Err(error);
        }
        let again = Self::of_file(&path)?;
        Ok(Repaired {
            errors_before,
            errors_left: again.errors()?,
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

    /// How many errors checking finds in the files as they are now. A repair mends what keeps the
    /// CLI from reading a conversation; checking looks at more than that.
    ///
    /// # Errors
    /// A file is not there any more.
    pub fn errors(&self) -> Result<u64, TranscriptError> {
        Ok(self.check()?.total.errors)
    }

    /// Checks the files in their current state. Each finding includes advice.
    ///
    /// # Errors
    /// A file no longer exists.
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
    /// No message is left; the error names the kind of the file.
    pub fn must_leave_a_conversation(&self) -> Result<(), RepairError> {
        let Some(main) = self.main_file() else {
            return Ok(());
        };
        let (last, _) = main.rounds();
        let is_empty = last.items.iter().all(|item| item.gone);
        let says = last.nodes().any(|(_, node)| node.is_said());
        if is_empty || (!says && !main.steps.is_empty()) {
            return Err(not_a_session::refusal(&main.path).into());
        }
        Ok(())
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
        for file in &self.files {
            let removed = match file.agent_id {
                None => kept.join("removed.txt"),
                Some(_) => free_name(&kept, file.path.file_stem().unwrap_or_default()),
            };
            file.keep_removed(&removed)?;
        }
        let (inside, outside): (Vec<&FilePlan>, Vec<&FilePlan>) = self
            .files
            .iter()
            .filter(|file| file.agent_id.is_some())
            .partition(|file| file.path.starts_with(&beside));
        for file in inside {
            let inside = file.path.strip_prefix(&beside).unwrap_or(&file.path);
            file.write_to(&companions.join(inside), session)?;
        }
        for file in outside {
            let name = file.path.file_name().unwrap_or_default();
            let path = free_place(&companions.join("subagents"), name);
            file.write_to(&path, session)?;
            copy_sidecar(&file.path, &path)?;
        }
        main.write_to(path, session)
    }
}

/// Where the file of a subagent goes that stands beside its session, as old releases put it: to
/// the others. Its name says whose it is, so that where one has it already it goes into a folder.
fn free_place(subagents: &Path, name: &OsStr) -> PathBuf {
    let free = |folder: &Path| folder.join(name).symlink_metadata().is_err();
    if free(subagents) {
        return subagents.join(name);
    }
    let folders = (1..).map(|number: u32| subagents.join(format!("beside-{number}")));
    let folder = folders.into_iter().find(|folder| free(folder));
    folder.unwrap_or_default().join(name)
}

/// Where what is taken out of a subagent's file goes. Two of them can have one name.
fn free_name(kept: &Path, stem: &OsStr) -> PathBuf {
    let stem = stem.to_string_lossy();
    let more = (2..).map(|number: u32| format!("removed-{stem}-{number}.txt"));
    let mut names = std::iter::once(format!("removed-{stem}.txt")).chain(more);
    let free = names.find(|name| kept.join(name).symlink_metadata().is_err());
    kept.join(free.unwrap_or_default())
}

/// Copies the file that says how a subagent came to be, when there is one.
fn copy_sidecar(from: &Path, to: &Path) -> Result<(), RepairError> {
    let (from, to) = (
        from.with_extension("meta.json"),
        to.with_extension("meta.json"),
    );
    match File::open(&from) {
        Ok(mut read) => new_file(&to, |file| io::copy(&mut read, file).map(drop)),
        Err(error) if is_absent(&error) => Ok(()),
        Err(error) => Err(TranscriptError::io("open", &from)(error).into()),
    }
}

impl FilePlan {
    /// Whether nobody wrote to it since it was looked at.
    fn is_as_it_was(&self) -> Result<(), RepairError> {
        let meta =
            std::fs::metadata(&self.path).map_err(TranscriptError::io("read", &self.path))?;
        let modified = meta.modified().unwrap_or(self.modified);
        if meta.len() != self.work.length || modified != self.modified {
            let path = self.path.clone();
            return Err(RepairError::Changed { path });
        }
        Ok(())
    }

    fn write_to(&self, path: &Path, session: Option<Renamed<'_>>) -> Result<(), RepairError> {
        let mut source = self.open()?;
        if let Some(folder) = path.parent() {
            private_folder(folder)?;
        }
        new_file(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 18, file);
            let (last, before) = self.rounds();
            match self.after(&before, &mut source)? {
                None => write_lines(last, &mut source, &mut out, session)?,
                Some(mut left) => write_lines(last, &mut left, &mut out, session)?,
            }
            out.flush()
        })
    }

    /// What is taken out of the file goes into one of its own, with where it was.
    fn keep_removed(&self, path: &Path) -> Result<(), RepairError> {
        let all = || std::iter::once(&self.work).chain(&self.later);
        if all().all(|work| work.removed.is_empty()) {
            return Ok(());
        }
        let mut source = self.open()?;
        new_file(path, |file| {
            let mut out = BufWriter::new(file);
            for (round, work) in all().enumerate() {
                let before: Vec<&Work> = all().take(round).collect();
                match self.after(&before, &mut source)? {
                    None => keep(work, &mut source, "", &mut out)?,
                    Some(mut left) => {
                        let when = format!(" of what round {round} left");
                        keep(work, &mut left, &when, &mut out)?;
                    }
                }
            }
            out.flush()
        })
    }

    /// The last round, and those before it.
    fn rounds(&self) -> (&Work, Vec<&Work>) {
        let mut rounds: Vec<&Work> = std::iter::once(&self.work).chain(&self.later).collect();
        let last = rounds.pop().unwrap_or(&self.work);
        (last, rounds)
    }

    /// What some rounds leave; nothing new when there were none.
    fn after(
        &self,
        rounds: &[&Work],
        source: &mut BufReader<File>,
    ) -> io::Result<Option<BufReader<File>>> {
        let mut left: Option<BufReader<File>> = None;
        for work in rounds {
            let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile()?);
            match &mut left {
                None => write_lines(work, source, &mut out, None)?,
                Some(left) => write_lines(work, left, &mut out, None)?,
            }
            let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.rewind()?;
            left = Some(BufReader::with_capacity(1 << 18, file));
        }
        Ok(left)
    }

    fn open(&self) -> Result<BufReader<File>, RepairError> {
        let file = File::open(&self.path).map_err(TranscriptError::io("open", &self.path))?;
        Ok(BufReader::with_capacity(1 << 18, file))
    }
}

/// Writes what a round takes out, with where it was.
fn keep(
    work: &Work,
    source: &mut (impl Read + Seek),
    when: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for span in &work.removed {
        read_at(source, *span, &mut bytes)?;
        writeln!(out, "# byte {}{when}, {} bytes", span.offset, span.length)?;
        out.write_all(&bytes)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes the lines of a file as they are to be.
pub(super) fn write_lines(
    work: &Work,
    source: &mut (impl Read + Seek),
    out: &mut impl Write,
    session: Option<Renamed<'_>>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for item in work.items.iter().filter(|item| !item.gone) {
        read_at(source, item.span, &mut bytes)?;
        out.write_all(&render(item, &bytes, &work.names, session))?;
        out.write_all(item.end.bytes())?;
    }
    Ok(())
}

fn read_at(source: &mut (impl Read + Seek), span: Span, into: &mut Vec<u8>) -> io::Result<()> {
    // Mostly the next line is wanted, and the buffer has it.
    let now = source.stream_position()?;
    let step = i64::try_from(span.offset).and_then(|to| Ok(to - i64::try_from(now)?));
    match step {
        Ok(step) => source.seek_relative(step)?,
        Err(_) => {
            source.seek(SeekFrom::Start(span.offset))?;
        }
    }
    into.clear();
    into.resize(span.length, 0);
    source.read_exact(into)
}

/// Writes a file that was not there, whole or not at all, and makes sure that it is on the disk.
fn new_file(
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), RepairError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = tempfile::Builder::new()
        .prefix(".claw-")
        .tempfile_in(folder)
        .and_then(|mut file| {
            write(file.as_file_mut())?;
            file.as_file().sync_all()?;
            Ok(file)
        });
    let made = made.map_err(TranscriptError::io("write", path))?;
    if let Err(error) = made.persist_noclobber(path) {
        if error.error.kind() == io::ErrorKind::AlreadyExists {
            let path = path.to_path_buf();
            return Err(RepairError::Exists { path });
        }
        return Err(TranscriptError::io("write", path)(error.error).into());
    }
    // Not every system can do that with a folder.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Copies what lies beside a session. Links are not followed.
fn copy_folder(
    from: &Path,
    to: &Path,
    left_out: &dyn Fn(&Path) -> bool,
) -> Result<(), RepairError> {
    let entries = match std::fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(()),
        Err(error) => return Err(TranscriptError::io("list", from)(error).into()),
    };
    private_folder(to)?;
    for entry in entries {
        let entry = entry.map_err(TranscriptError::io("list", from))?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let kind = entry
            .file_type()
            .map_err(TranscriptError::io("read", &source))?;
        if left_out(&source) {
            continue;
        }
        if kind.is_dir() {
            copy_folder(&source, &target, left_out)?;
        } else if kind.is_file() {
            let mut read = File::open(&source).map_err(TranscriptError::io("open", &source))?;
            new_file(&target, |file| io::copy(&mut read, file).map(drop))?;
        }
    }
    Ok(())
}

fn private_folder(path: &Path) -> Result<(), RepairError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder
        .create(path)
        .map_err(TranscriptError::io("create", path))?;
    Ok(())
}
