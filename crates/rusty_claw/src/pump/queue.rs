//! The unread messages of one stream.

use std::collections::VecDeque;
use std::task::Waker;

use super::spill::{ReadAt, Spill};
use super::unread::{TurnNumber, Unread};

/// The state of a queue for its reader.
pub(crate) enum Front {
    Line(Unread),
    /// Lines that must be read back from a file first.
    Refill(ReadAt),
    /// No line, now or later.
    End,
}

/// Unread lines, in this order: in memory, in files, and lines that could not be written to a file.
#[derive(Debug, Default)]
pub(super) struct Queue {
    memory: VecDeque<Unread>,
    memory_bytes: usize,
    pub(super) spill: Spill,
    pub(super) refused: VecDeque<Unread>,
    reader: Option<Waker>,
}

impl Queue {
    /// Adds a line. Returns it if it must go to a file, because memory is full or earlier lines are
    /// in files.
    pub(super) fn push(&mut self, line: Unread, memory_limit: usize) -> Option<Unread> {
        if !self.refused.is_empty() {
            self.refused.push_back(line);
        } else {
            let fits = self.memory_bytes + line.raw.len() <= memory_limit;
            // An empty queue accepts a line that is longer than the limit.
            if self.spill.unread() > 0 || !fits && !self.memory.is_empty() {
                return Some(line);
            }
            self.memory_bytes += line.raw.len();
            self.memory.push_back(line);
        }
        None
    }

    /// The next line, or its position in a file.
    pub(super) fn pop(&mut self) -> Option<Front> {
        if self.memory.is_empty() {
            if let Some(front) = self.spill.front() {
                return Some(Front::Refill(front));
            }
            let refused = std::mem::take(&mut self.refused);
            self.refill(refused);
        }
        let line = self.memory.pop_front()?;
        self.memory_bytes -= line.raw.len();
        if self.memory.is_empty() {
            // An idle queue holds no memory.
            self.memory = VecDeque::new();
        }
        Some(Front::Line(line))
    }

    /// The turn of the next line that is in memory.
    pub(super) fn front(&self) -> Option<TurnNumber> {
        // Lines in files are read back first.
        let refused = self.refused.front().filter(|_| self.spill.unread() == 0);
        self.memory.front().or(refused).map(|line| line.turn)
    }

    /// Adds lines that were read back from a file or could not be written to one.
    pub(super) fn refill(&mut self, lines: impl IntoIterator<Item = Unread>) {
        self.memory.extend(lines);
        self.memory_bytes = self.memory.iter().map(|line| line.raw.len()).sum();
    }

    /// Moves the lines of some turns to another queue, in order.
    pub(super) fn split(&mut self, is_moved: impl Fn(TurnNumber) -> bool) -> Self {
        let mut moved = Self {
            spill: self.spill.split(&is_moved),
            ..Self::default()
        };
        let of = |lines: &mut VecDeque<Unread>| {
            let (moved, kept) = std::mem::take(lines)
                .into_iter()
                .partition(|line| is_moved(line.turn));
            *lines = kept;
            moved
        };
        moved.refill(of(&mut self.memory));
        moved.refused = of(&mut self.refused);
        self.refill([]);
        moved
    }

    pub(super) fn is_full(&self, file_limit: u64) -> bool {
        self.spill.unread() >= file_limit || !self.refused.is_empty()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.refused.is_empty() && self.spill.unread() == 0
    }

    /// The number of lines in memory.
    pub(super) fn in_memory(&self) -> u64 {
        (self.memory.len() + self.refused.len()) as u64
    }

    /// Sets the waker for the next line.
    pub(super) fn set_reader(&mut self, waker: &Waker) {
        match &mut self.reader {
            Some(reader) => reader.clone_from(waker),
            none => *none = Some(waker.clone()),
        }
    }

    pub(super) fn wake(&mut self) {
        if let Some(waker) = self.reader.take() {
            waker.wake();
        }
    }
}
