//! The queue between the session and the mirror's task.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::key::SessionKey;
use super::report::{MirrorReport, MirrorStats};
use crate::Line;
use crate::messages::Message;

/// The next item for the task.
#[derive(Debug)]
pub(super) enum Item {
    /// A frame, and when it was pushed.
    Frame(Bytes, Instant),
    /// Everything that was pushed is to be stored.
    Flush,
    /// No more items follow.
    End,
}

/// Lines of a file that were not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overflow {
    /// The file, as the CLI names it; empty if the frame could not be parsed.
    pub(super) file_path: String,
    pub(super) entries: u64,
}

/// The queue between the session and the mirror's task. Only the `async` methods wait.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    limit: usize,
    /// There may be an item.
    wake: Notify,
    /// There is an overflow to report.
    overflow: Notify,
    closing: CancellationToken,
    ended: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    /// Lines that were not accepted, until the task reports them.
    overflowed: Vec<Overflow>,
    /// Bytes of accepted frames that are neither stored nor lost.
    held: usize,
    /// When the oldest frame was pushed that the task has taken and not settled.
    in_hand: Option<Instant>,
    closed: bool,
    /// When the mirror was dropped.
    abandoned: Option<Instant>,
    appended: u64,
    lost: u64,
    refused: u64,
    longest: Duration,
    damaged: Vec<SessionKey>,
}

impl Queue {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            state: Mutex::default(),
            limit,
            wake: Notify::new(),
            overflow: Notify::new(),
            closing: CancellationToken::new(),
            ended: watch::Sender::new(false),
        }
    }

    pub(super) fn push(&self, frame: Bytes) {
        {
            let mut state = self.lock();
            // If nothing is pending, a frame of any length is accepted, or it could never be
            // stored.
            let fits = state.held == 0 || state.held.saturating_add(frame.len()) <= self.limit;
            if fits && !state.closed {
                state.held += frame.len();
                state.items.push_back(Item::Frame(frame, Instant::now()));
                drop(state);
                self.wake.notify_one();
                return;
            }
        }
        // Parsing the frame takes time, so not under the lock. It is not kept, which is the purpose
        // of the limit.
        let (file_path, entries) = match Line::decode(frame).message() {
            Some(Message::TranscriptMirror(frame)) => {
                (frame.file_path.clone(), frame.entries.len() as u64)
            }
            _ => (String::new(), 0),
        };
        let mut state = self.lock();
        state.lost += entries;
        let known = state
            .overflowed
            .iter_mut()
            .find(|overflow| overflow.file_path == file_path);
        match known {
            Some(overflow) => overflow.entries += entries,
            None => state.overflowed.push(Overflow { file_path, entries }),
        }
        drop(state);
        self.overflow.notify_one();
    }

    pub(super) fn flush(&self) {
        let mut state = self.lock();
        if state.closed || matches!(state.items.back(), Some(Item::Flush)) {
            return;
        }
        state.items.push_back(Item::Flush);
        drop(state);
        self.wake.notify_one();
    }

    pub(super) fn close(&self) {
        let mut state = self.lock();
        if !state.closed {
            state.closed = true;
            state.items.push_back(Item::End);
        }
        drop(state);
        self.closing.cancel();
        self.wake.notify_one();
    }

    /// Waits until the queue is closed. Never completes if it is closed already.
    pub(super) async fn closed(&self) {
        if self.closing.is_cancelled() {
            std::future::pending::<()>().await;
        }
        self.closing.cancelled().await;
    }

    /// Closes the queue of a mirror that was dropped.
    pub(super) fn abandon(&self) {
        self.close();
        self.lock().abandoned = Some(Instant::now());
    }

    /// When the mirror was dropped.
    pub(super) fn abandoned(&self) -> Option<Instant> {
        self.lock().abandoned
    }

    /// Takes the next item, if there is one.
    pub(super) fn pop(&self) -> Option<Item> {
        let mut state = self.lock();
        let item = state.items.pop_front();
        if let Some(Item::Frame(_, at)) = &item {
            state.in_hand.get_or_insert(*at);
        }
        item
    }

    /// When the oldest frame was pushed that was taken and is not settled.
    pub(super) fn in_hand(&self) -> Option<Instant> {
        self.lock().in_hand
    }

    /// Waits until there may be an item. Cancel safe.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Waits for an overflow. Cancel safe.
    pub(super) async fn overflowed(&self) {
        self.overflow.notified().await;
    }

    pub(super) fn take_overflow(&self) -> Vec<Overflow> {
        std::mem::take(&mut self.lock().overflowed)
    }

    /// Records that everything that was taken, so many bytes, is stored or lost.
    pub(super) fn settle(&self, bytes: usize) {
        let mut state = self.lock();
        state.held = state.held.saturating_sub(bytes);
        if let Some(since) = state.in_hand.take() {
            state.longest = state.longest.max(since.elapsed());
        }
    }

    pub(super) fn count_appended(&self, entries: u64) {
        self.lock().appended += entries;
    }

    pub(super) fn count_lost(&self, entries: u64) {
        self.lock().lost += entries;
    }

    /// Returns how many were refused before.
    pub(super) fn count_refused(&self) -> u64 {
        let mut state = self.lock();
        let before = state.refused;
        state.refused += 1;
        before
    }

    pub(super) fn damage(&self, key: &SessionKey) {
        let mut state = self.lock();
        if !state.damaged.contains(key) {
            state.damaged.push(key.clone());
        }
    }

    /// Signals that the task has ended, for whatever reason.
    pub(super) fn end(&self) {
        self.lock().closed = true;
        self.ended.send_replace(true);
    }

    /// Waits until the task has ended. Cancel safe.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.subscribe();
        // The sender lives as long as this queue.
        let _ = ended.wait_for(|ended| *ended).await;
    }

    pub(super) fn stats(&self) -> MirrorStats {
        let state = self.lock();
        let oldest = state.in_hand.or_else(|| {
            state.items.iter().find_map(|item| match item {
                Item::Frame(_, at) => Some(*at),
                Item::Flush | Item::End => None,
            })
        });
        MirrorStats {
            appended: state.appended,
            lost: state.lost,
            refused: state.refused,
            waiting: state.held,
            lag: oldest.map_or(Duration::ZERO, |at| at.elapsed()),
        }
    }

    pub(super) fn report(&self) -> MirrorReport {
        let state = self.lock();
        MirrorReport {
            appended: state.appended,
            lost: state.lost,
            refused: state.refused,
            lag: state.longest,
            damaged: state.damaged.clone(),
            ended: *self.ended.borrow(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics between two changes that belong together.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
