//! All sessions of a library, one file for each.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::html::index::{Listed, write_index};
use super::job::ExportReport;
use super::losses::{Loss, Losses};
use super::options::{Export, Format};
use super::private_file::private_file;
use super::soft_deletes::SoftDeletes;
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile, session_in};
use crate::library::SessionLibrary;
use crate::parallel::for_each;
use crate::session_id::is_session_id;

/// The result of an export of all sessions.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FolderReport {
    /// The number of exported sessions.
    pub sessions: u64,
    /// The number of their messages.
    pub messages: u64,
    /// The size of all session files.
    pub bytes_in: u64,
    /// The size of all exported files.
    pub bytes_out: u64,
    /// The number of soft-deleted messages.
    pub deleted: u64,
    /// The number of lines that are excluded because they may quote deleted messages.
    pub quoting: u64,
    /// What [`Format::Document`] cannot represent, the most frequent first.
    pub losses: Vec<Loss>,
    /// The sessions that could not be exported, and why.
    pub failed: Vec<(PathBuf, TranscriptError)>,
}

impl Export {
    /// Exports every session of a library into a folder: one file each, in a folder for each
    /// project, and for [`Format::Html`] an `index.html` that lists them. Calls `seen` after each
    /// session. Overwrites the files of an earlier export and nothing else.
    ///
    /// # Errors
    /// Returns an error if the library cannot be listed, or the folder cannot be written. A session
    /// that cannot be read is in [`FolderReport::failed`]; the others are exported.
    pub fn write_folder(
        &self,
        library: &SessionLibrary,
        folder: impl AsRef<Path>,
        seen: impl Fn(&ExportReport) + Sync,
    ) -> Result<FolderReport, TranscriptError> {
        let folder = folder.as_ref();
        let sessions = sessions(library.files()?);
        let marks = self.all_marks()?;
        // The title is for the list.
        let mut each = self.clone();
        each.title = None;
        let size = |files: &Vec<SessionFile>| files.iter().map(|file| file.len).sum();
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
        let written = for_each(&sessions, size, threads, Vec::new, |written, at, files| {
            let one = each.write_into(folder, files, &marks);
            if let Ok((report, _)) = &one {
                seen(report);
            }
            written.push((at, one));
        });
        let (mut report, mut list) = (FolderReport::default(), Vec::new());
        let mut losses = Losses::default();
        for (at, written) in written.into_iter().flatten() {
            let main = &sessions[at][0];
            let (one, path) = match written {
                Ok(written) => written,
                Err(error) => {
                    report.failed.push((main.path.clone(), error));
                    continue;
                }
            };
            report.sessions += 1;
            report.messages += one.messages;
            report.bytes_in += one.bytes_in;
            report.bytes_out += one.bytes_out;
            report.deleted += one.deleted;
            report.quoting += one.quoting;
            for loss in &one.losses {
                losses.add(loss.what, &loss.name, loss.count);
            }
            let project = one.cwd.clone();
            list.push(Listed {
                path,
                project: project.unwrap_or_else(|| main.project.to_string()),
                report: one,
            });
        }
        report.losses = losses.list();
        if self.format == Format::Html {
            let title = self.title.as_deref().unwrap_or("Sessions of Claude Code");
            let page = write_index(title, self.theme, &mut list);
            let path = folder.join("index.html");
            std::fs::create_dir_all(folder).map_err(TranscriptError::io("create", folder))?;
            let written = private_file(&path).and_then(|mut file| file.write_all(page.as_bytes()));
            written.map_err(TranscriptError::io("write", &path))?;
            report.bytes_out += page.len() as u64;
        }
        Ok(report)
    }

    /// Exports one session; also returns its path relative to the folder.
    fn write_into(
        &self,
        folder: &Path,
        files: &[SessionFile],
        marks: &[SoftDeletes],
    ) -> Result<(ExportReport, String), TranscriptError> {
        let project = folder.join(files[0].project.as_str());
        std::fs::create_dir_all(&project).map_err(TranscriptError::io("create", &project))?;
        let name = files[0].session_id.as_deref().unwrap_or("unknown");
        let name = format!("{name}.{}", self.format.ending());
        let path = project.join(&name);
        let mut file = private_file(&path).map_err(TranscriptError::io("create", &path))?;
        let report = self.write_with(files, marks, &mut file)?;
        Ok((report, format!("{}/{name}", files[0].project.as_str())))
    }
}

/// The files of each session, the main one first.
fn sessions(files: Vec<SessionFile>) -> Vec<Vec<SessionFile>> {
    let mut sessions: BTreeMap<(String, String), Vec<SessionFile>> = BTreeMap::new();
    for mut file in files {
        // A journal of a workflow is no conversation.
        if file.role == FileRole::Journal {
            continue;
        }
        // It becomes the name of a file.
        let named = || session_in(&file.path).ok()?.filter(|id| is_session_id(id));
        let id = file.session_id.clone().or_else(named);
        file.session_id = id.clone();
        let key = (file.project.to_string(), id.unwrap_or_default());
        sessions.entry(key).or_default().push(file);
    }
    let mut sessions: Vec<Vec<SessionFile>> = sessions.into_values().collect();
    for files in &mut sessions {
        files.sort_by_key(|file| file.role != FileRole::Main);
    }
    sessions
}
