//! The mirror's task.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::super::SessionStore;
use super::super::batch::{Batch, BatchId};
use super::super::error::StoreError;
use super::super::key::SessionKey;
use super::batcher::Batcher;
use super::options::MirrorOptions;
use super::queue::{Item, Queue};
use crate::future::catch_unwind;
use crate::messages::Message;
use crate::{Json, Line, Received};

/// The pause before the second attempt; each further pause is four times as long.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// How long a dropped mirror retries.
const ABANDONED: Duration = Duration::from_secs(300);
/// The number of attempts after which a warning is logged.
const WORRYING: u32 = 3;
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(super) struct Worker {
    queue: Arc<Queue>,
    store: Arc<dyn SessionStore>,
    options: MirrorOptions,
    give_up: CancellationToken,
    /// Spellings of the CLI's `projects` folder.
    projects: Vec<PathBuf>,
    batcher: Batcher,
    next: BatchId,
    /// Bytes of the frames whose lines are in the batcher.
    taken: usize,
}

/// Ends the queue even if the task panics, so that no waiter hangs.
struct EndOnDrop(Arc<Queue>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Worker {
    pub(super) fn new(
        queue: Arc<Queue>,
        store: Arc<dyn SessionStore>,
        options: MirrorOptions,
        give_up: CancellationToken,
    ) -> Self {
        Self {
            queue,
            store,
            projects: vec![options.config_dir.join("projects")],
            batcher: Batcher::new(options.mode),
            next: BatchId::first(),
            options,
            give_up,
            taken: 0,
        }
    }

    pub(super) async fn run(mut self) {
        let _end = EndOnDrop(Arc::clone(&self.queue));
        loop {
            match self.next_item().await {
                Item::Frame(frame, _) => {
                    if self.take_in(frame) {
                        self.store_waiting().await;
                    }
                }
                Item::Flush => self.store_waiting().await,
                Item::End => {
                    self.store_waiting().await;
                    self.report_overflow();
                    return;
                }
            }
        }
    }

    /// The next item, or a flush if lines have waited long enough.
    async fn next_item(&self) -> Item {
        loop {
            if let Some(item) = self.queue.pop() {
                return item;
            }
            let due = self.queue.in_hand().map(|at| at + self.options.linger);
            let lingered = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.queue.woken() => {}
                () = self.queue.overflowed() => self.report_overflow(),
                () = lingered => return Item::Flush,
            }
        }
    }

    /// Reads a frame. Returns whether the pending lines are to be sent now.
    fn take_in(&mut self, frame: Bytes) -> bool {
        self.taken += frame.len();
        let line = Line::decode(frame);
        let Some(Message::TranscriptMirror(frame)) = line.message() else {
            self.refuse("a frame is not a transcript_mirror that can be read");
            return self.settle_when_idle();
        };
        let key = match self.key_of(&frame.file_path) {
            Ok(key) => key,
            Err(error) => {
                self.refuse(&error.to_string());
                return self.settle_when_idle();
            }
        };
        // A line of a session file is an object; a store may rely on it.
        let (entries, others): (Vec<Json>, Vec<Json>) =
            frame.entries.iter().cloned().partition(Json::is_object);
        if !others.is_empty() {
            self.lose(&key, others.len(), "they are not JSON objects");
        }
        if entries.is_empty() {
            return self.settle_when_idle();
        }
        self.batcher.add(key, entries)
    }

    /// Settles a frame without pending lines, unless other lines are pending.
    fn settle_when_idle(&mut self) -> bool {
        if self.batcher.is_empty() {
            self.queue.settle(std::mem::take(&mut self.taken));
        }
        false
    }

    fn key_of(&mut self, file_path: &str) -> Result<SessionKey, StoreError> {
        let key = self.known_key_of(file_path);
        if key.is_ok() || self.projects.len() > 1 {
            return key;
        }
        // The CLI may have resolved links in the path of its folder, which exists by now.
        let Ok(resolved) = self.options.config_dir.canonicalize() else {
            return key;
        };
        self.projects.push(resolved.join("projects"));
        self.known_key_of(file_path)
    }

    fn known_key_of(&self, file_path: &str) -> Result<SessionKey, StoreError> {
        self.projects
            .iter()
            .find_map(|projects| SessionKey::of_file(projects, file_path).ok())
            .map_or_else(
                || SessionKey::of_file(&self.options.config_dir.join("projects"), file_path),
                Ok,
            )
    }

    async fn store_waiting(&mut self) {
        for (key, entries) in self.batcher.take() {
            self.store_batch(key, entries).await;
        }
        self.queue.settle(std::mem::take(&mut self.taken));
    }

    async fn store_batch(&mut self, key: SessionKey, entries: Vec<Json>) {
        let batch = Batch::new(self.next, entries);
        self.next = self.next.next();
        let mut pause = FIRST_PAUSE;
        let mut attempts = 0_u32;
        let why = loop {
            let attempt = self.attempt(&key, &batch);
            attempts += 1;
            let error = match self.unless_given_up(attempt).await {
                Some(Ok(())) => {
                    self.queue.count_appended(batch.entries.len() as u64);
                    return;
                }
                Some(Err(error)) => error,
                None => break "the time to close the mirror was over".to_owned(),
            };
            tracing::debug!(%key, batch = %batch.id, attempts, error = error.chain(), "the store has not taken a batch");
            let lasting = matches!(
                error,
                StoreError::BadKey { .. }
                    | StoreError::Unsupported { .. }
                    | StoreError::Rejected { .. }
            );
            if lasting {
                break error.chain();
            }
            if self
                .queue
                .abandoned()
                .is_some_and(|since| since.elapsed() > ABANDONED)
            {
                break format!("the mirror was dropped: {}", error.chain());
            }
            if attempts == WORRYING {
                tracing::warn!(%key, attempts, error = error.chain(), "the store fails; lines of a session are queued");
            }
            // Little time is left once the session has ended, so closing cuts a long pause short.
            let rested = async {
                tokio::select! {
                    () = tokio::time::sleep(pause) => (pause * 4).min(LONGEST_PAUSE),
                    () = self.queue.closed() => FIRST_PAUSE,
                }
            };
            let Some(next) = self.unless_given_up(rested).await else {
                break format!(
                    "the time to close the mirror was over after {attempts} attempts: {}",
                    error.chain()
                );
            };
            pause = next;
        };
        self.lose(&key, batch.entries.len(), &why);
    }

    /// Makes one attempt. A panic in the store is a failure.
    async fn attempt(&self, key: &SessionKey, batch: &Batch) -> Result<(), StoreError> {
        // Inside: `append` itself may panic before it returns its future.
        let append = catch_unwind(async { self.store.append(key, batch).await });
        match tokio::time::timeout(self.options.attempt_limit, append).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err(StoreError::Failed {
                what: "the store panicked".to_owned(),
                source: None,
            }),
            Err(_) => Err(StoreError::TimedOut {
                operation: "append",
                after: self.options.attempt_limit,
            }),
        }
    }

    /// Waits for a future until the mirror gives up. Reports overflows meanwhile.
    async fn unless_given_up<T>(&self, what: impl Future<Output = T>) -> Option<T> {
        tokio::pin!(what);
        loop {
            tokio::select! {
                biased;
                () = self.give_up.cancelled() => return None,
                done = &mut what => return Some(done),
                () = self.queue.overflowed() => self.report_overflow(),
            }
        }
    }

    fn report_overflow(&self) {
        for overflow in self.queue.take_overflow() {
            // They are already counted.
            let why = "too much was waiting for the store already, or the mirror was closed";
            match self.known_key_of(&overflow.file_path) {
                Ok(key) => self.report_loss(&key, overflow.entries, why),
                Err(error) => self.refuse(&error.to_string()),
            }
        }
    }

    fn lose(&self, key: &SessionKey, entries: usize, why: &str) {
        self.queue.count_lost(entries as u64);
        self.report_loss(key, entries as u64, why);
    }

    fn report_loss(&self, key: &SessionKey, entries: u64, why: &str) {
        self.queue.damage(key);
        tracing::warn!(%key, entries, why, "lines of a session are lost to its store");
        self.tell(
            key,
            entries,
            &format!("{entries} lines of {key} are not in the store: {why}"),
        );
    }

    /// Counts a frame that does not belong in the store. Only the first is reported, since all that
    /// follow may be refused too.
    fn refuse(&self, why: &str) {
        if self.queue.count_refused() == 0 {
            tracing::warn!(why, "a transcript_mirror frame was refused");
            let nobody = SessionKey::new("", "");
            self.tell(
                &nobody,
                0,
                &format!("a frame for the store was refused: {why}; further ones are only counted"),
            );
        }
    }

    fn tell(&self, key: &SessionKey, entries: u64, error: &str) {
        let Some(on_loss) = &self.options.on_loss else {
            return;
        };
        let mut named = json!({
            "projectKey": key.project_key.as_str(),
            "sessionId": key.session_id.as_str(),
        });
        if let Some(subpath) = &key.subpath {
            named["subpath"] = subpath.as_str().into();
        }
        let line = json!({
            "type": "system",
            "subtype": "mirror_error",
            "error": error,
            "key": named,
            "lost_entries": entries,
            "uuid": Uuid::new_v4().to_string(),
            "session_id": key.session_id.as_str(),
        });
        if let Ok(message) = Received::decode(line.to_string().into_bytes())
            && std::panic::catch_unwind(AssertUnwindSafe(|| on_loss(message))).is_err()
        {
            tracing::error!("the callback for lost lines panicked");
        }
    }
}
