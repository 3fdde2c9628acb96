//! Writes a session in the chosen format.

use std::io::Write;

use super::job::{ExportReport, FLUSH, Job};
use super::metadata::Metadata;
use super::options::{Export, Format};
use super::outline::Outline;
use super::soft_deletes::{SoftDeletes, add_marks};
use super::{document, html, json, markdown, raw_lines};
use crate::error::TranscriptError;
use crate::files::{FileRole, SessionFile};
use crate::session_id::is_session_id;
use crate::tree::{SessionTree, TreeReader};

impl Export {
    /// Writes a session. The main file comes first, then those of its subagents, as
    /// [`SessionLibrary::session_files`](crate::SessionLibrary::session_files) returns them. Keeps
    /// one message in memory at a time.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, the export cannot be written, or
    /// [`Branches::Through`](crate::Branches::Through) names an unknown message.
    pub fn write(
        &self,
        files: &[SessionFile],
        to: &mut dyn Write,
    ) -> Result<ExportReport, TranscriptError> {
        self.write_with(files, &self.all_marks()?, to)
    }

    /// Writes a session without those of the marked messages that it contains.
    pub(super) fn write_with(
        &self,
        files: &[SessionFile],
        marks: &[SoftDeletes],
        to: &mut dyn Write,
    ) -> Result<ExportReport, TranscriptError> {
        // A journal of a workflow is no conversation.
        let conversations = files.iter().filter(|file| file.role != FileRole::Journal);
        let files: Vec<SessionFile> = conversations.cloned().collect();
        let tree = SessionTree::read(&files)?;
        let metadata = match files.first() {
            Some(main) => Metadata::read(&main.path)?,
            None => Metadata::default(),
        };
        // A copy may have another file name; then its lines contain the session id.
        let named = files.first().and_then(|main| main.session_id.as_ref());
        let ids = [named, metadata.session.as_ref()].into_iter().flatten();
        let id = ids.map(String::as_str).find(|id| is_session_id(id));
        let mut deleted = self.deleted.clone();
        add_marks(marks, id, &tree, &mut deleted)?;
        let outline = Outline::new(&tree, self.sidechains, &deleted);
        let not_found = |uuid| TranscriptError::MessageNotFound {
            id: metadata.session.clone().unwrap_or_default(),
            uuid,
        };
        let steps = outline.main(&self.branches).map_err(not_found)?;
        let times = tree.nodes().filter_map(|(_, node)| node.time_ms());
        let report = ExportReport {
            began: times.min().map(crate::time::from_ms),
            cwd: metadata.cwd.clone(),
            branches: 1,
            bytes_in: files.iter().map(|file| file.len).sum(),
            ..ExportReport::default()
        };
        let mut job = Job {
            options: self,
            tree: &tree,
            outline: &outline,
            metadata: &metadata,
            deleted: &deleted,
            reader: TreeReader::new(&tree),
            to,
            buffer: Vec::with_capacity(2 * FLUSH),
            report,
        };
        match self.format {
            Format::Html => html::write(&mut job, &steps)?,
            Format::Markdown => markdown::write(&mut job, &steps)?,
            Format::Json => json::write(&mut job, &steps)?,
            Format::Jsonl => raw_lines::write(&mut job, &steps)?,
            Format::Document => document::write(&mut job, &steps)?,
        }
        job.write_buffer()?;
        job.to.flush().map_err(TranscriptError::export)?;
        Ok(job.report)
    }

    /// The marks of all sessions.
    pub(super) fn all_marks(&self) -> Result<Vec<SoftDeletes>, TranscriptError> {
        match &self.marks {
            Some(folder) => SoftDeletes::open_all(folder),
            None => Ok(Vec::new()),
        }
    }
}
