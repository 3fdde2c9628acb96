//! What the session hands over and the mirror's task picks up.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::key::SessionKey;
use super::{MirrorReport, MirrorStats};
use crate::Line;
use crate::messages::Message;

/// What the task does next.
#[derive(Debug)]
pub(super) enum Item {
    /// A frame as it came, and when.
    Frame(Bytes, Instant),
    /// What was pushed goes to the store.
    Flush,
    /// Nothing more will come.
    End,
}

/// Lines of a file that came when too much waited.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Overflow {
    /// The file, as the CLI names it; empty when the frame could not be read.
    pub(super) file_path: String,
    pub(super) entries: u64,
}

/// Between the session and the mirror's task. Every method is quick, and none waits but the
/// `async` ones.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    limit: usize,
    /// There is something to pick up.
    wake: Notify,
    /// There is something that was not taken.
    overflow: Notify,
    closing: CancellationToken,
    ended: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    /// What was not taken, until the task reports it.
    overflowed: Vec<Overflow>,
    /// Bytes of frames that were taken and are neither stored nor lost.
    held: usize,
    /// When the oldest frame was pushed that the task has in hand.
    in_hand: Option<Instant>,
    closed: bool,
    /// Since when nobody waits for the end.
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
            // One frame is taken however long it is, or it could never be stored.
            let fits = state.held == 0 || state.held.saturating_add(frame.len()) <= self.limit;
            if fits && !state.closed {
                state.held += frame.len();
                state.items.push_back(Item::Frame(frame, Instant::now()));
                drop(state);
                self.wake.notify_one();
                return;
            }
        }
        // Reading the frame takes a while, so not under the lock. It is not kept: that is what
        // the limit is for.
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

    /// Waits until nothing more will come. For ever when that is so already.
    pub(super) async fn closed(&self) {
        if self.closing.is_cancelled() {
            std::future::pending::<()>().await;
        }
        self.closing.cancelled().await;
    }

    /// Closes it, and nobody will wait for the end.
    pub(super) fn abandon(&self) {
        self.close();
        self.lock().abandoned = Some(Instant::now());
    }

    /// Since when nobody waits for the end.
    pub(super) fn abandoned(&self) -> Option<Instant> {
        self.lock().abandoned
    }

    /// The next thing to do, if there is one.
    pub(super) fn pop(&self) -> Option<Item> {
        let mut state = self.lock();
        let item = state.items.pop_front();
        if let Some(Item::Frame(_, at)) = &item {
            state.in_hand.get_or_insert(*at);
        }
        item
    }

    /// When the oldest frame was pushed that was picked up and is not settled.
    pub(super) fn in_hand(&self) -> Option<Instant> {
        self.lock().in_hand
    }

    /// Waits until there may be something to pick up. Dropping the future loses nothing.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// Waits until something was not taken. Dropping the future loses nothing.
    pub(super) async fn overflowed(&self) {
        self.overflow.notified().await;
    }

    pub(super) fn take_overflow(&self) -> Vec<Overflow> {
        std::mem::take(&mut self.lock().overflowed)
    }

    /// Everything that was picked up, so many bytes, is stored or lost.
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

    /// Says how many were refused before.
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

    /// Tells everybody that the task has ended, however it did.
    pub(super) fn end(&self) {
        self.lock().closed = true;
        self.ended.send_replace(true);
    }

    /// Waits until the task has ended. Dropping the future loses nothing.
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
