//! The lines of messages, read again where the tree says that they lie.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::tree::{FoldedLine, NodeId, SessionTree};

/// The files of a session, open once they are needed.
pub(super) struct Source {
    files: Vec<(PathBuf, Option<File>)>,
    /// How many bytes were read.
    pub(super) read: u64,
}

impl Source {
    pub(super) fn new(files: &[SessionFile]) -> Self {
        let files = files.iter().map(|file| (file.path.clone(), None));
        Self {
            files: files.collect(),
            read: 0,
        }
    }

    /// Reads all lines of a message into the buffers. There are as many as `lines` says then.
    pub(super) fn lines<'b>(
        &mut self,
        tree: &SessionTree,
        id: NodeId,
        buffers: &'b mut Vec<Vec<u8>>,
    ) -> Result<&'b [Vec<u8>], TranscriptError> {
        let spans = tree.spans(id);
        while buffers.len() < spans.len() {
            buffers.push(Vec::new());
        }
        for (span, buffer) in spans.iter().zip(buffers.iter_mut()) {
            self.at(tree.node(id).file(), span.offset, span.len, buffer)?;
        }
        Ok(&buffers[..spans.len()])
    }

    /// Reads a line that belongs to no message.
    pub(super) fn folded(
        &mut self,
        line: &FoldedLine,
        buffer: &mut Vec<u8>,
    ) -> Result<(), TranscriptError> {
        let Some((path, file)) = self.opened(line.file())? else {
            buffer.clear();
            return Ok(());
        };
        let failed = TranscriptError::io("read", path);
        let read = file.seek(SeekFrom::Start(line.offset)).and_then(|_| {
            buffer.clear();
            let mut lines = crate::lines::Lines::new(file);
            let line = lines.next_line()?;
            buffer.extend_from_slice(line.map_or(&[][..], |line| line.raw));
            Ok(())
        });
        read.map_err(failed)
    }

    fn at(
        &mut self,
        file: usize,
        offset: u64,
        length: u64,
        buffer: &mut Vec<u8>,
    ) -> Result<(), TranscriptError> {
        self.read += length;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let Some((path, file)) = self.opened(file)? else {
            buffer.clear();
            return Ok(());
        };
        buffer.resize(length, 0);
        let failed = TranscriptError::io("read", path);
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(buffer))
            .map_err(failed)
    }

    fn opened(&mut self, file: usize) -> Result<Option<(&PathBuf, &mut File)>, TranscriptError> {
        let Some((path, file)) = self.files.get_mut(file) else {
            return Ok(None);
        };
        let file = match file {
            Some(file) => file,
            None => file.insert(File::open(&*path).map_err(TranscriptError::io("open", path))?),
        };
        Ok(Some((path, file)))
    }
}
