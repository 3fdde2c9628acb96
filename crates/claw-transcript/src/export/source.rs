//! The lines of messages, read again where the tree says that they lie.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::tree::{FoldedLine, NodeId, SessionTree};

/// How much of a file is read at once. Lines mostly follow each other.
const WINDOW: usize = 32 * 1024;

/// The files of a session, open once they are needed.
pub(super) struct Source {
    files: Vec<(PathBuf, Option<Opened>)>,
    /// How many bytes were read.
    pub(super) read: u64,
}

/// A file, and the piece of it that was read last.
struct Opened {
    file: File,
    window: Vec<u8>,
    offset: u64,
}

impl Opened {
    /// Reads so many bytes from there.
    fn read(&mut self, offset: u64, length: usize, to: &mut Vec<u8>) -> std::io::Result<()> {
        let inside = |opened: &Self| {
            let from = usize::try_from(offset.checked_sub(opened.offset)?).ok()?;
            let piece = from..from.checked_add(length)?;
            opened.window.get(piece.clone()).map(|_| piece)
        };
        if inside(self).is_none() {
            self.file.seek(SeekFrom::Start(offset))?;
            if length >= WINDOW {
                to.resize(length, 0);
                return self.file.read_exact(to);
            }
            self.window.clear();
            self.offset = offset;
            let mut rest = (&mut self.file).take(WINDOW as u64);
            rest.read_to_end(&mut self.window)?;
        }
        let piece = inside(self).ok_or(std::io::ErrorKind::UnexpectedEof)?;
        to.clear();
        to.extend_from_slice(&self.window[piece]);
        Ok(())
    }
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
        let Some((path, opened)) = self.opened(line.file())? else {
            buffer.clear();
            return Ok(());
        };
        let file = &mut opened.file;
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
        let Some((path, opened)) = self.opened(file)? else {
            buffer.clear();
            return Ok(());
        };
        let failed = TranscriptError::io("read", path);
        opened.read(offset, length, buffer).map_err(failed)
    }

    fn opened(&mut self, file: usize) -> Result<Option<(&PathBuf, &mut Opened)>, TranscriptError> {
        let Some((path, file)) = self.files.get_mut(file) else {
            return Ok(None);
        };
        let opened = match file {
            Some(opened) => opened,
            None => file.insert(Opened {
                file: File::open(&*path).map_err(TranscriptError::io("open", path))?,
                window: Vec::new(),
                offset: 0,
            }),
        };
        Ok(Some((path, opened)))
    }
}
