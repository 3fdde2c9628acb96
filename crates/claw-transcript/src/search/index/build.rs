//! Reads files for an index.

use std::fs::File;
use std::io;
use std::path::Path;

use super::grams::{Collector, Map};
use super::record::{Content, Part, sealed};
use crate::entry::{Body, Entry};
use crate::lines::{Line, LineEnd, Lines};
use crate::search::visible::{Whose, texts, visible};
use crate::search::{Roles, SearchRole};

/// How much text a block has, and how many bytes of a file at most, both but for the last line.
const TEXT: usize = 64 * 1024;
const BYTES: u64 = 1024 * 1024;

/// How large a record grows before it is written.
const RECORD: usize = 1024 * 1024;

/// Reads files, one after another.
#[derive(Debug, Default)]
pub(super) struct Builder {
    said: Collector,
    attached: Collector,
    text: usize,
    payload: Vec<u8>,
    blocks: u32,
    start: u64,
    start_lines: u64,
}

impl Builder {
    /// Reads a file from where the index ends, if everything before that is as it was, and from its
    /// start otherwise. Hands over records as they are to be appended. A last line without an end
    /// is left for later.
    pub(super) fn read(
        &mut self,
        path: &Path,
        id: u64,
        known: Option<&Part>,
        mut append: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let file = File::open(path)?;
        // Taken before reading: what is written meanwhile makes it differ.
        let meta = file.metadata()?;
        let mut lines = Lines::new(file);
        let mut content = Content::default();
        let known = known.filter(|known| known.end <= meta.len());
        let (mut end, mut count) = known.map_or((0, 0), |known| (known.end, known.lines));
        while lines.offset() < end {
            let Some(line) = lines.next_line()? else {
                break;
            };
            content.add(&line);
        }
        if known.is_some_and(|known| lines.offset() != end || content != known.content) {
            lines.restart(File::open(path)?);
            content = Content::default();
            (end, count) = (0, 0);
        }
        (self.start, self.start_lines) = (end, count);
        let mut part_start = end;
        while let Some(line) = lines.next_line()? {
            if line.end == LineEnd::None || line.offset >= meta.len() {
                break;
            }
            content.add(&line);
            self.line(&line);
            (end, count) = (line.offset + line.len_with_end(), line.ordinal + 1);
            if self.text >= TEXT || end - self.start >= BYTES {
                self.close_block(end, count);
            }
            if self.payload.len() >= RECORD && self.start == end {
                let part = Part::new(id, part_start..end, count, content, &meta)?;
                append(&self.take_record(&part.unfinished()))?;
                part_start = end;
            }
        }
        if end > self.start {
            self.close_block(end, count);
        }
        let part = Part::new(id, part_start..end, count, content, &meta)?;
        append(&self.take_record(&part))
    }

    fn line(&mut self, line: &Line<'_>) {
        match line.body() {
            Body::Entry(entry) => self.entry(&entry),
            Body::Broken(damage) => {
                for piece in damage.pieces {
                    if let Some(entry) = Entry::read(&line.raw[piece]) {
                        self.entry(&entry);
                    }
                }
            }
            Body::Blank => {}
        }
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        for said in visible(entry, Roles::all()) {
            let into = match said.role {
                SearchRole::Attachment => &mut self.attached,
                _ => &mut self.said,
            };
            let spare = said.spare.map(|spare| texts(spare, Whose::Result));
            let spare = spare.unwrap_or_default();
            for piece in said.pieces.iter().chain(&spare) {
                into.add(piece);
                self.text += piece.len();
            }
        }
    }

    fn close_block(&mut self, end: u64, lines: u64) {
        let bytes = end - self.start;
        let count = lines - self.start_lines;
        self.payload.extend_from_slice(&bytes.to_le_bytes());
        self.payload.extend_from_slice(&count.to_le_bytes());
        Map::write(self.said.take().as_ref(), &mut self.payload);
        Map::write(self.attached.take().as_ref(), &mut self.payload);
        self.blocks += 1;
        self.text = 0;
        (self.start, self.start_lines) = (end, lines);
    }

    fn take_record(&mut self, part: &Part) -> Vec<u8> {
        let mut payload = Vec::with_capacity(self.payload.len() + 128);
        part.write(&mut payload);
        payload.extend_from_slice(&self.blocks.to_le_bytes());
        payload.append(&mut self.payload);
        self.blocks = 0;
        sealed(&payload)
    }
}
