//! The data lane: messages that nobody has read yet.
//!
//! Policy, in this order: keep in memory up to a number of bytes; write what is beyond to files
//! up to another number of bytes; then, or when the disk takes nothing, leave the CLI's output
//! unread until somebody reads, and say so. Nothing is ever dropped while there is a reader. When the reader is dropped, messages are
//! not kept at all. Control frames do not come here, so they wait behind nothing but the third
//! case.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

use super::spill::{self, ReadAt, Spill};

/// How long the disk may take for one write; then it counts as full.
const DISK_LIMIT: Duration = Duration::from_secs(5);

/// How many lines the reader takes at once.
const LINES_AT_ONCE: usize = 64;

/// A line that nobody has read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    /// The line.
    pub(crate) raw: Bytes,
    /// Where it ends in the CLI's output, newline included.
    pub(crate) offset: u64,
}

/// Messages on their way from the pump to one reader.
#[derive(Debug)]
pub(crate) struct Lane {
    state: Mutex<State>,
    /// Told when there is room again.
    room: Notify,
    memory_limit: usize,
    file_limit: u64,
}

#[derive(Debug, Default)]
struct State {
    memory: VecDeque<Unread>,
    memory_bytes: usize,
    spill: Spill,
    /// Whether lines go to the files: so long as there are some in them, because order must be
    /// kept.
    spilling: bool,
    /// What the disk did not take; it comes after what is in the files.
    refused: VecDeque<Unread>,
    reader: Option<Waker>,
    reader_gone: bool,
    closed: bool,
    counts: LaneCounts,
}

/// How much a session's messages have piled up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaneCounts {
    /// Messages that were handed over to be read.
    pub delivered: u64,
    /// Messages that were written to a file on the way.
    pub spilled: u64,
    /// How often the CLI's output was left unread because too much was waiting.
    pub stalls: u64,
    /// Messages that nobody wanted: the reader was dropped.
    pub unwanted: u64,
    /// Bytes that were written to a file and could not be read back. Anything but 0 means a
    /// broken disk.
    pub lost_bytes: u64,
}

/// What the reader finds.
pub(crate) enum Front {
    /// Some lines, in order; one at least.
    Lines(VecDeque<Unread>),
    /// Lines that must be read back from a file first.
    Refill(ReadAt),
    /// Nothing, and nothing will come.
    End,
}

impl Lane {
    pub(crate) fn new(memory_limit: usize, file_limit: u64) -> Self {
        Self {
            state: Mutex::default(),
            room: Notify::new(),
            memory_limit,
            file_limit,
        }
    }

    /// Puts lines into the lane, in order.
    ///
    /// Waits only for the disk, and only when memory is full. What the disk does not take is kept
    /// in memory, and the lane is full until it has been read.
    pub(crate) async fn push(&self, lines: &mut Vec<Unread>) {
        let overflow = self.push_to_memory(lines);
        if overflow.is_empty() {
            return;
        }
        let mut bytes = Vec::with_capacity(overflow.iter().map(|line| line.raw.len() + 16).sum());
        overflow
            .iter()
            .for_each(|line| spill::encode(line, &mut bytes));
        let end = self.lock().spill.end();
        let length = bytes.len() as u64;
        let writing = tokio::task::spawn_blocking(move || match end {
            Some(end) => end.write(&bytes).map(|()| None),
            None => spill::begin(&bytes).map(Some),
        });
        // A disk that hangs must not hang the session.
        let written = match tokio::time::timeout(DISK_LIMIT, writing).await {
            Ok(written) => written.map_err(io::Error::other).flatten(),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        let mut state = self.lock();
        match written {
            Ok(made) => {
                match made {
                    Some(file) => state.spill.add_segment(file, length),
                    None => state.spill.wrote(length),
                }
                state.counts.spilled += overflow.len() as u64;
            }
            Err(error) => {
                tracing::warn!(%error, "unread messages cannot be written to a temporary file; the CLI's output waits for its reader");
                state.spill.not_written();
                state.refused.extend(overflow);
            }
        }
        state.wake();
    }

    /// Takes what fits; returns the rest, which must go to a file.
    fn push_to_memory(&self, lines: &mut Vec<Unread>) -> Vec<Unread> {
        let mut state = self.lock();
        if state.reader_gone {
            state.counts.unwanted += lines.len() as u64;
            lines.clear();
            return Vec::new();
        }
        state.counts.delivered += lines.len() as u64;
        let mut lines = lines.drain(..);
        if !state.refused.is_empty() {
            state.refused.extend(lines);
            state.wake();
            return Vec::new();
        }
        if state.spill.unread() == 0 {
            state.spilling = false;
        }
        if !state.spilling {
            for line in lines.by_ref() {
                let fits = state.memory_bytes + line.raw.len() <= self.memory_limit;
                // A line that is longer than the whole limit still passes through an empty lane.
                if !fits && !state.memory.is_empty() {
                    state.spilling = true;
                    let mut rest = vec![line];
                    rest.extend(lines);
                    state.wake();
                    return rest;
                }
                state.memory_bytes += line.raw.len();
                state.memory.push_back(line);
            }
            state.wake();
            return Vec::new();
        }
        lines.collect()
    }

    /// Whether too much waits for the pump to go on reading.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.lock();
        !state.reader_gone && (state.spill.unread() >= self.file_limit || !state.refused.is_empty())
    }

    /// Counts one more time that the CLI's output is left unread.
    pub(crate) fn count_stall(&self) {
        self.lock().counts.stalls += 1;
    }

    /// Waits until there is room. May wake early.
    pub(crate) async fn room(&self) {
        let told = self.room.notified();
        if self.is_full() {
            told.await;
        }
    }

    /// Nothing more will come.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.wake();
    }

    /// The reader is gone: what waits is dropped, and nothing more is kept.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.reader_gone = true;
        state.counts.unwanted += state.memory.len() as u64;
        state.memory = VecDeque::new();
        state.memory_bytes = 0;
        state.spill = Spill::default();
        state.refused = VecDeque::new();
        drop(state);
        self.room.notify_one();
    }

    pub(crate) fn counts(&self) -> LaneCounts {
        self.lock().counts
    }

    /// What is at the front; waits while there is nothing.
    pub(crate) fn poll_front(&self, cx: &mut Context<'_>) -> Poll<Front> {
        let mut state = self.lock();
        if !state.memory.is_empty() {
            return Poll::Ready(Front::Lines(state.take_lines()));
        }
        if let Some(front) = state.spill.front() {
            return Poll::Ready(Front::Refill(front));
        }
        if !state.refused.is_empty() {
            state.memory = std::mem::take(&mut state.refused);
            state.memory_bytes = state.memory.iter().map(|line| line.raw.len()).sum();
            self.room.notify_one();
            return Poll::Ready(Front::Lines(state.take_lines()));
        }
        // The pump takes the lock between writing lines and telling of them, so a closed lane has
        // nothing on its way.
        if state.closed {
            return Poll::Ready(Front::End);
        }
        match &mut state.reader {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Lines that were read back from a file.
    pub(crate) fn refilled(&self, lines: Vec<Unread>, taken: u64) {
        let mut state = self.lock();
        state.memory_bytes += lines.iter().map(|line| line.raw.len()).sum::<usize>();
        state.memory.extend(lines);
        state.spill.took(taken);
        drop(state);
        self.room.notify_one();
    }

    /// Lines in a file that cannot be read back. They are lost; the rest is not.
    pub(crate) fn unreadable(&self, error: &io::Error) {
        let mut state = self.lock();
        let lost = state.spill.skip_segment();
        state.counts.lost_bytes += lost;
        drop(state);
        tracing::error!(%error, lost, "unread messages could not be read back from their temporary file");
        self.room.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes a few lines at once: taking each by itself would have reader and pump meet at the
    /// lock for every line.
    fn take_lines(&mut self) -> VecDeque<Unread> {
        let rest = self.memory.split_off(self.memory.len().min(LINES_AT_ONCE));
        // An idle lane holds on to nothing: an empty rest has no room either.
        let taken = std::mem::replace(&mut self.memory, rest);
        self.memory_bytes -= taken.iter().map(|line| line.raw.len()).sum::<usize>();
        taken
    }

    fn wake(&mut self) {
        if let Some(waker) = self.reader.take() {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests;
