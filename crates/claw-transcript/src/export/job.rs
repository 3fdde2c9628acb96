//! The state of an export.

use std::io::Write;
use std::time::SystemTime;

use super::losses::Loss;
use super::metadata::Metadata;
use super::options::Export;
use super::outline::{Outline, Step};
use super::soft_deletes::SoftDeletes;
use super::user_text::{parts, preview_of};
use crate::error::TranscriptError;
use crate::facts::{Facts, Member};
use crate::lines::readable;
use crate::tree::{NodeId, NodeKind, SessionTree, TreeReader};

/// The number of bytes that are written at once.
pub(super) const FLUSH: usize = 128 * 1024;

/// The result of an export.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ExportReport {
    /// The title of the session.
    pub title: String,
    /// The working directory.
    pub cwd: Option<String>,
    /// The time of the first message.
    pub began: Option<SystemTime>,
    /// The number of exported messages.
    pub messages: u64,
    /// The number of their branches.
    pub branches: u64,
    /// The number of subagents.
    pub subagents: u64,
    /// The number of soft-deleted messages. They are excluded, or marked in the document's dialect.
    pub deleted: u64,
    /// The number of raw lines that are excluded because they may quote deleted messages.
    pub quoting: u64,
    /// The size of the files.
    pub bytes_in: u64,
    /// The size of the export.
    pub bytes_out: u64,
    /// What the document's dialect cannot represent, the most frequent first.
    pub losses: Vec<Loss>,
}

/// An export that is being written.
pub(super) struct Job<'a> {
    pub(super) options: &'a Export,
    pub(super) tree: &'a SessionTree,
    pub(super) outline: &'a Outline<'a>,
    pub(super) metadata: &'a Metadata,
    pub(super) deleted: &'a SoftDeletes,
    pub(super) reader: TreeReader<'a>,
    pub(super) to: &'a mut dyn Write,
    /// The end of the export, which is not written yet.
    pub(super) buffer: Vec<u8>,
    pub(super) report: ExportReport,
}

impl Job<'_> {
    pub(super) fn put(&mut self, text: &str) {
        self.buffer.extend_from_slice(text.as_bytes());
    }

    pub(super) fn put_line(&mut self, text: &str) {
        self.put(text);
        self.buffer.push(b'\n');
    }

    /// Writes the buffer if it holds at least [`FLUSH`] bytes.
    pub(super) fn flush(&mut self) -> Result<(), TranscriptError> {
        if self.buffer.len() < FLUSH {
            return Ok(());
        }
        self.write_buffer()
    }

    pub(super) fn write_buffer(&mut self) -> Result<(), TranscriptError> {
        let written = self.to.write_all(&self.buffer);
        written.map_err(TranscriptError::export)?;
        self.report.bytes_out += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// The lines of a message.
    pub(super) fn texts(&mut self, id: NodeId) -> Result<Vec<String>, TranscriptError> {
        let lines = self.reader.lines(id)?;
        let texts = lines.iter().map(|line| readable(line).into_owned());
        Ok(texts.collect())
    }

    /// The lines that are not soft-deleted.
    pub(super) fn shown<'t>(&self, texts: &'t [String]) -> Vec<Facts<'t>> {
        let lines = texts.iter().filter_map(|text| Facts::read(text));
        lines.filter(|line| !self.is_deleted(line)).collect()
    }

    /// Returns whether a line is soft-deleted, by a mark or by its own flag.
    pub(super) fn is_deleted(&self, line: &Facts<'_>) -> bool {
        line.is_true(Member::Deleted) || self.is_marked(line)
    }

    /// Returns whether a line is marked as deleted.
    pub(super) fn is_marked(&self, line: &Facts<'_>) -> bool {
        let uuid = line.id(Member::Uuid);
        !self.deleted.is_empty() && uuid.is_some_and(|uuid| self.deleted.contains(&uuid))
    }

    /// The title: the given one, else the session's, else its first prompt.
    pub(super) fn title(&mut self, steps: &[Step]) -> Result<String, TranscriptError> {
        let own = self.metadata.title(!self.deleted.is_empty());
        if let Some(title) = self.options.title.as_ref().or(own) {
            return Ok(title.clone());
        }
        let tree = self.tree;
        let nodes = steps.iter().filter_map(Step::node);
        for id in nodes.filter(|id| tree.node(*id).kind() == NodeKind::Prompt) {
            let title = self.preview(id, 100)?;
            if !title.is_empty() {
                return Ok(title);
            }
        }
        Ok("A session of Claude Code".to_owned())
    }

    /// The start of a message's first line; empty if the line is deleted.
    pub(super) fn preview(&mut self, id: NodeId, limit: usize) -> Result<String, TranscriptError> {
        let texts = self.texts(id)?;
        let first = texts.first().and_then(|text| Facts::read(text));
        let first = first.filter(|line| !self.is_deleted(line));
        Ok(first.map_or_else(String::new, |line| preview_of(&parts(&line), limit)))
    }
}
