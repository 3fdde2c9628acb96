//! The queues of unread messages.
//!
//! Messages wait in queues: one for the session's stream, and one for each turn whose stream was
//! taken. Each queue keeps lines in memory up to a limit in bytes, then spills them to files up to
//! another limit. If the files are full or the disk fails, the CLI's output is not read until the
//! queue is read, and the lines are counted. No line is dropped while the stream exists; once it is
//! dropped, lines are not kept. Control frames do not pass through the queues, so they wait only
//! while the CLI's output is not read.
//!
//! Every line has the number of its turn. If the stream of a turn is taken late, its lines are
//! moved out of the session's queue, from memory and from files.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Notify;

use super::queue::Front;
use super::queue_state::{Destination, LaneCounts, State, TurnEntry};
use super::spill::{self, ReadAt};
use super::unread::{SESSION, TurnNumber, Unread};

/// How long the disk may take for one write; then it counts as full.
const DISK_LIMIT: Duration = Duration::from_secs(5);

/// Messages between the pump and the streams of the session and its turns.
#[derive(Debug)]
pub(crate) struct MessageQueues {
    state: Mutex<State>,
    /// Notified when there is capacity again.
    room: Notify,
    memory_limit: usize,
    file_limit: u64,
    last_turn: AtomicU64,
}

impl MessageQueues {
    pub(crate) fn new(memory_limit: usize, file_limit: u64) -> Self {
        Self {
            state: Mutex::default(),
            room: Notify::new(),
            memory_limit,
            file_limit,
            last_turn: AtomicU64::new(SESSION),
        }
    }

    /// Puts lines into the queues, in order.
    ///
    /// Waits only for the disk, and only if memory is full. Lines that the disk does not take are
    /// kept in memory, and the queues are full until they are read.
    pub(crate) async fn push(&self, lines: &mut Vec<Unread>) {
        for (queue, overflow) in self.push_to_memory(lines) {
            self.spill(queue, overflow).await;
        }
    }

    /// Queues the lines that fit in memory. Returns the rest by queue, to be written to files.
    fn push_to_memory(&self, lines: &mut Vec<Unread>) -> Vec<(TurnNumber, Vec<Unread>)> {
        let mut overflow: Vec<(TurnNumber, Vec<Unread>)> = Vec::new();
        let state = &mut *self.lock();
        for line in lines.drain(..) {
            let Some((number, queue)) = state.destination(line.turn) else {
                state.counts.unwanted += 1;
                continue;
            };
            match overflow.iter_mut().find(|(behind, _)| *behind == number) {
                Some((_, lines)) => lines.push(line),
                None => {
                    if let Some(line) = queue.push(line, self.memory_limit) {
                        overflow.push((number, vec![line]));
                    }
                }
            }
            state.counts.delivered += 1;
        }
        state.wake_readers();
        overflow
    }

    /// Writes lines to the file of a queue.
    async fn spill(&self, queue: TurnNumber, lines: Vec<Unread>) {
        let mut bytes = Vec::new();
        lines
            .iter()
            .for_each(|line| spill::encode(line, &mut bytes));
        let end = self.lock().queue(queue).and_then(|queue| queue.spill.end());
        let writing = tokio::task::spawn_blocking(move || spill::write(end, &bytes));
        // A disk that hangs must not hang the session.
        let written = match tokio::time::timeout(DISK_LIMIT, writing).await {
            Ok(written) => written.map_err(io::Error::other).flatten(),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        };
        let state = &mut *self.lock();
        let mut position = match written {
            Ok(start) => Some(start),
            Err(error) => {
                tracing::warn!(%error, "unread messages cannot be written to a temporary file; the CLI's output waits for its reader");
                None
            }
        };
        for line in lines {
            // The turn's stream may have been taken or dropped during the write.
            let Some((_, queue)) = state.destination(line.turn) else {
                state.counts.unwanted += 1;
                continue;
            };
            match &mut position {
                Some(start) => {
                    let length = spill::encoded_length(&line);
                    let next = start.advance(length);
                    let start = std::mem::replace(start, next);
                    queue.spill.add(line.turn, start, length);
                    state.counts.spilled += 1;
                }
                None => queue.refused.push_back(line),
            }
        }
        state.wake_readers();
        if let Some(queue) = state.queue(queue) {
            queue.spill.set_end(position);
        }
    }

    /// Whether the pump must stop reading until messages are read.
    pub(crate) fn is_full(&self) -> bool {
        let state = self.lock();
        let streams = state.turns.values().filter_map(TurnEntry::queue);
        streams
            .chain([&state.session])
            .any(|queue| queue.is_full(self.file_limit))
    }

    /// Counts that the pump stops reading.
    pub(crate) fn count_stall(&self) {
        self.lock().counts.stalls += 1;
    }

    /// Waits until there is capacity. May wake early.
    pub(crate) async fn room(&self) {
        let notified = self.room.notified();
        if self.is_full() {
            notified.await;
        }
    }

    /// Marks the end of all lines.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.wake_readers();
    }

    /// Handles the drop of the session's stream: unread lines are dropped and no more are kept,
    /// except for turns whose streams may still be taken.
    pub(crate) fn abandon(&self) {
        let state = &mut *self.lock();
        state.reader_gone = true;
        let turns = &state.turns;
        let kept = state
            .session
            .split(|turn| turns.get(&turn).is_some_and(|turn| turn.may_be_taken()));
        let dropped = std::mem::replace(&mut state.session, kept);
        state.counts.unwanted += dropped.in_memory();
        self.room.notify_one();
    }

    pub(crate) fn counts(&self) -> LaneCounts {
        self.lock().counts
    }

    /// Returns the next line of a queue, or waits for it.
    pub(crate) fn poll_front(&self, queue: TurnNumber, cx: &mut Context<'_>) -> Poll<Front> {
        let mut state = self.lock();
        let closed = state.closed;
        let is_held = queue == SESSION && state.is_held();
        let Some(queue) = state.queue(queue) else {
            return Poll::Ready(Front::End);
        };
        if is_held {
            queue.set_reader(cx.waker());
            return Poll::Pending;
        }
        let was_full = queue.is_full(self.file_limit);
        match queue.pop() {
            Some(front) => {
                if was_full {
                    self.room.notify_one();
                }
                Poll::Ready(front)
            }
            // The pump takes the lock between writing lines and announcing them, so closed queues
            // has no line in transit.
            None if closed => Poll::Ready(Front::End),
            None => {
                queue.set_reader(cx.waker());
                Poll::Pending
            }
        }
    }

    /// Queues lines that were read back from a file. They are dropped if they were moved to another
    /// queue in the meantime.
    pub(crate) fn refilled(
        &self,
        queue: TurnNumber,
        from: &ReadAt,
        lines: Vec<Unread>,
        taken: u64,
    ) {
        if let Some(queue) = self.lock().queue(queue)
            && queue.spill.took(from, taken)
        {
            queue.refill(lines);
        }
        self.room.notify_one();
    }

    /// Drops lines in a file that cannot be read back. Other lines are not affected.
    pub(crate) fn unreadable(&self, queue: TurnNumber, from: &ReadAt, error: &io::Error) {
        let lost = from.length();
        let mut state = self.lock();
        if let Some(queue) = state.queue(queue)
            && queue.spill.took(from, lost)
        {
            state.counts.lost_bytes += lost;
            tracing::error!(%error, lost, "unread messages could not be read back from their temporary file");
        }
        drop(state);
        self.room.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// Called by the handles of turns.
impl MessageQueues {
    /// Registers a turn. Call [`MessageQueues::forget_turn`] when its handle is dropped.
    pub(crate) fn add_turn(&self) -> TurnNumber {
        let number = self.last_turn.fetch_add(1, Ordering::Relaxed) + 1;
        let entry = TurnEntry {
            destination: Destination::Undecided,
            ended: false,
        };
        self.lock().turns.insert(number, entry);
        number
    }

    /// Holds the messages of a turn whose stream is about to be taken.
    pub(crate) fn hold_turn(&self, number: TurnNumber) {
        if let Some(turn) = self.lock().turns.get_mut(&number) {
            turn.destination = Destination::Held;
        }
    }

    /// Takes the stream of a turn: its unread lines in the session's queue, and all later ones, go
    /// to their own queue.
    pub(crate) fn take_turn(&self, number: TurnNumber) {
        let state = &mut *self.lock();
        if let Some(turn) = state.turns.get_mut(&number)
            && turn.queue().is_none()
        {
            let queue = state.session.split(|turn| turn == number);
            turn.destination = Destination::Stream(queue);
            // The session's stream may have stopped before these lines.
            state.session.wake();
        }
    }

    /// Assigns the messages of a turn to the session's stream, because the turn is awaited.
    pub(crate) fn leave_turn(&self, number: TurnNumber) {
        let state = &mut *self.lock();
        if let Some(turn) = state.turns.get_mut(&number)
            && let Destination::Undecided = turn.destination
        {
            turn.destination = Destination::Session;
            state.drop_unwanted(number);
        }
    }

    /// Marks the end of a turn's lines.
    pub(crate) fn end_turn(&self, number: TurnNumber) {
        let mut state = self.lock();
        if let Some(turn) = state.turns.get_mut(&number) {
            turn.ended = true;
            if let Destination::Discarded = turn.destination {
                state.turns.remove(&number);
            }
        }
    }

    /// Removes a turn whose handle was dropped. If its stream was taken, the rest of its messages
    /// are discarded.
    pub(crate) fn forget_turn(&self, number: TurnNumber) {
        let state = &mut *self.lock();
        if let Some(turn) = state.turns.get_mut(&number) {
            let is_kept = match std::mem::replace(&mut turn.destination, Destination::Discarded) {
                Destination::Stream(queue) => {
                    state.counts.unwanted += queue.in_memory();
                    !turn.ended
                }
                Destination::Discarded => !turn.ended,
                Destination::Undecided | Destination::Held | Destination::Session => false,
            };
            if !is_kept {
                state.turns.remove(&number);
                state.drop_unwanted(number);
                state.session.wake();
            }
        }
        self.room.notify_one();
    }
}

#[cfg(test)]
mod tests;
