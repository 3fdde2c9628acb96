//! All sessions of a library, one file for each.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::html::{Listed, write_index};
use super::losses::Losses;
use super::{Export, ExportReport, Format, Loss, private_file};
use crate::entry::Entry;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::library::SessionLibrary;
use crate::lines::Lines;

/// What came of the export of everything.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FolderReport {
    /// How many sessions were written.
    pub sessions: u64,
    /// How many messages are in them.
    pub messages: u64,
    /// The length of all session files.
    pub bytes_in: u64,
    /// The length of all that was written.
    pub bytes_out: u64,
    /// How many messages were deleted softly.
    pub deleted: u64,
    /// How many lines are missing since they may quote deleted messages.
    pub quoting: u64,
    /// What [`Format::Document`] could not keep, most frequent first.
    pub losses: Vec<Loss>,
    /// What could not be written, and why. The others are there all the same.
    pub failed: Vec<(PathBuf, TranscriptError)>,
}

impl Export {
    /// Writes every session of a library into a folder: one file for each, in a folder for each
    /// project, and for [`Format::Html`] an `index.html` that lists them. `seen` hears of each
    /// session once it is written. Files of an earlier export are written over; nothing else in
    /// the folder is touched.
    ///
    /// # Errors
    /// The library cannot be listed, or the folder cannot be written. A session that cannot be
    /// read is in [`FolderReport::failed`].
    pub fn write_folder(
        &self,
        library: &SessionLibrary,
        folder: impl AsRef<Path>,
        seen: impl Fn(&ExportReport) + Sync,
    ) -> Result<FolderReport, TranscriptError> {
        let folder = folder.as_ref();
        let sessions = sessions(library.files()?);
        // A title is for one session, or for the list; marks are read once.
        let mut each = self.clone();
        each.title = None;
        each.marked = Some(self.marked()?);
        let done: Mutex<(FolderReport, Vec<Listed>, Losses)> = Mutex::default();
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(files) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                let written = each.write_into(folder, files);
                let mut done = done.lock().unwrap_or_else(|broken| broken.into_inner());
                let (report, list, losses) = &mut *done;
                match written {
                    Ok((one, address)) => {
                        report.sessions += 1;
                        report.messages += one.messages;
                        report.bytes_in += one.bytes_in;
                        report.bytes_out += one.bytes_out;
                        report.deleted += one.deleted;
                        report.quoting += one.quoting;
                        losses.add_all(&one.losses);
                        seen(&one);
                        list.push(Listed {
                            address,
                            project: one.cwd.unwrap_or_else(|| files[0].project.to_string()),
                            title: one.title,
                            began: one.began,
                            messages: one.messages,
                            subagents: one.subagents,
                        });
                    }
                    Err(error) => report.failed.push((files[0].path.clone(), error)),
                }
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
        std::thread::scope(|scope| {
            for _ in 1..threads.min(sessions.len()) {
                scope.spawn(work);
            }
            work();
        });
        let done = done
            .into_inner()
            .unwrap_or_else(|broken| broken.into_inner());
        let (mut report, mut list, losses) = done;
        report.losses = losses.list();
        if self.format == Format::Html {
            let title = self.title.as_deref().unwrap_or("Sessions of Claude Code");
            let page = write_index(title, self.theme, &mut list);
            let path = folder.join("index.html");
            std::fs::create_dir_all(folder).map_err(TranscriptError::io("create", folder))?;
            private_file(&path)
                .and_then(|mut file| file.write_all(&page))
                .map_err(TranscriptError::io("write", &path))?;
            report.bytes_out += page.len() as u64;
        }
        Ok(report)
    }

    /// Writes one session; gives its address in the folder.
    fn write_into(
        &self,
        folder: &Path,
        files: &[SessionFile],
    ) -> Result<(ExportReport, String), TranscriptError> {
        let project = folder.join(files[0].project.as_str());
        std::fs::create_dir_all(&project).map_err(TranscriptError::io("create", &project))?;
        let name = files[0].session_id.as_deref().unwrap_or("unknown");
        let name = format!("{name}.{}", self.format.ending());
        let path = project.join(&name);
        let mut file = private_file(&path).map_err(TranscriptError::io("create", &path))?;
        let report = self.write(files, &mut file)?;
        Ok((report, format!("{}/{name}", files[0].project.as_str())))
    }
}

/// The files of each session together, the main one first, the largest session first, so that no
/// thread is left with it at the end.
fn sessions(files: Vec<SessionFile>) -> Vec<Vec<SessionFile>> {
    let mut sessions: BTreeMap<(String, String), Vec<SessionFile>> = BTreeMap::new();
    // A journal of a workflow is no conversation.
    let files = files
        .into_iter()
        .filter(|file| file.role != FileRole::Journal);
    for mut file in files {
        let id = file.session_id.take().or_else(|| said_session(&file.path));
        file.session_id = id.clone();
        let key = (file.project.to_string(), id.unwrap_or_default());
        sessions.entry(key).or_default().push(file);
    }
    let mut sessions: Vec<Vec<SessionFile>> = sessions.into_values().collect();
    for files in &mut sessions {
        files.sort_by_key(|file| file.role != FileRole::Main);
    }
    sessions.sort_by_key(|files| std::cmp::Reverse(files.iter().map(|file| file.len).sum::<u64>()));
    sessions
}

/// The session that the first line of an old subagent's file names.
fn said_session(path: &Path) -> Option<String> {
    let mut lines = Lines::new(std::fs::File::open(path).ok()?);
    let line = lines.next_line().ok()??;
    let session = Entry::read(line.raw)?.session()?.into_owned();
    // It becomes the name of a file.
    crate::library::is_session_id(&session).then_some(session)
}
