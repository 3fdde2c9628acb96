//! Live delivery: from the writer of this process, and from other processes on the same file.

use std::collections::HashMap;
#[cfg(feature = "contract")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::Notify;

use super::schema::{Connector, spawn};
use super::tx::{Head, Note, Tx};
use crate::hub::{Hub, lock};
use crate::{Delta, OpenError, SessionKey};

/// How often other processes' commits are polled, while a session is watched.
const POLL: Duration = Duration::from_millis(50);

/// The watched sessions of this process.
#[derive(Default)]
pub(super) struct LiveState {
    pub(super) hub: Arc<Hub>,
    watches: Mutex<Watches>,
    changed: Condvar,
    /// Loses the changes of this process.
    #[cfg(feature = "contract")]
    pub(super) is_silent: AtomicBool,
}

#[derive(Default)]
struct Watches {
    sessions: HashMap<i64, Watched>,
    /// Whether a session was added since the last poll.
    is_new: bool,
    is_closed: bool,
}

/// A session that is followed or whose inbox is read.
struct Watched {
    key: SessionKey,
    users: usize,
    inbox: Arc<Notify>,
    /// The state of the session when it was looked up last.
    seen: Head,
}

impl LiveState {
    /// Publishes a change of this process. Returns whether it leaves rows to delete.
    pub(super) fn publish(&self, note: Note) -> bool {
        let leaves_trash = matches!(note, Note::Erased(..) | Note::Truncated);
        #[cfg(feature = "contract")]
        if self.is_silent.load(Ordering::Relaxed) {
            return leaves_trash;
        }
        match note {
            Note::Events(key, events) => self.hub.events(&key, &events),
            Note::Moved(sid, key, owner) => {
                self.wake(sid, owner.epoch);
                self.hub.moved(&key, owner);
            }
            Note::Inbox(sid) => self.wake(sid, 0),
            Note::Erased(sid, key) => {
                self.wake(sid, 0);
                self.hub.deleted(&key);
            }
            Note::Truncated => {}
        }
        leaves_trash
    }

    /// Publishes a delta, unless the session has a newer owner.
    pub(super) fn publish_delta(&self, sid: i64, key: &SessionKey, delta: Delta) {
        let seen = lock(&self.watches).sessions.get(&sid).map(|one| one.seen);
        if seen.is_some_and(|seen| seen.epoch <= delta.epoch) {
            self.hub.delta(key, delta);
        }
    }

    fn wake(&self, sid: i64, epoch: u64) {
        if let Some(watched) = lock(&self.watches).sessions.get_mut(&sid) {
            watched.seen.epoch = watched.seen.epoch.max(epoch);
            watched.inbox.notify_waiters();
        }
    }

    /// Starts to look for changes of a session by other processes, until the guard is dropped.
    pub(super) fn watch(self: &Arc<Self>, sid: i64, key: &SessionKey, seen: Head) -> Watch {
        let mut watches = lock(&self.watches);
        watches.is_new = true;
        let watched = watches.sessions.entry(sid).or_insert_with(|| Watched {
            key: key.clone(),
            users: 0,
            inbox: Arc::default(),
            seen,
        });
        watched.users += 1;
        let (live, inbox) = (self.clone(), watched.inbox.clone());
        self.changed.notify_all();
        Watch { live, sid, inbox }
    }

    /// Returns how often a session is watched.
    #[cfg(feature = "contract")]
    pub(super) fn watches(&self, key: &SessionKey) -> usize {
        let watches = lock(&self.watches);
        let watched = watches.sessions.values().find(|one| one.key == *key);
        watched.map_or(0, |watched| watched.users)
    }

    pub(super) fn close(&self) {
        lock(&self.watches).is_closed = true;
        self.changed.notify_all();
    }

    /// Starts the thread that looks for commits of other processes.
    pub(super) fn start(self: &Arc<Self>, connector: &Connector) -> Result<(), OpenError> {
        let (conn, live) = (connector.reader()?, self.clone());
        spawn("claw-store-watcher", move || live.run(&conn))
    }

    fn run(&self, conn: &Connection) {
        let (mut version, mut pause) = (0, POLL);
        while let Some(is_new) = self.wait(pause) {
            let start = Instant::now();
            // It changes with each commit of another connection. A failed lookup is repeated.
            let current = conn.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0));
            match current {
                Ok(current) if current == version && !is_new => {}
                Ok(current) if self.look_up(conn).is_ok() => version = current,
                _ => version = 0,
            }
            // Many watched sessions take at most a tenth of the time.
            pause = POLL.max(start.elapsed() * 10);
        }
    }

    /// Waits for the next poll, for ever if no session is watched. Returns whether a
    /// session was added, or `None` if the store is closed.
    fn wait(&self, pause: Duration) -> Option<bool> {
        let is_idle = |watches: &mut Watches| watches.sessions.is_empty() && !watches.is_closed;
        let watches = self.changed.wait_while(lock(&self.watches), is_idle);
        let watches = watches.unwrap_or_else(PoisonError::into_inner);
        let is_open = |watches: &mut Watches| !watches.is_closed;
        let watches = self.changed.wait_timeout_while(watches, pause, is_open);
        let (mut watches, _) = watches.unwrap_or_else(PoisonError::into_inner);
        (!watches.is_closed).then(|| std::mem::take(&mut watches.is_new))
    }

    /// Publishes the changes of all watched sessions.
    fn look_up(&self, conn: &Connection) -> rusqlite::Result<()> {
        let tx = Tx::new(conn);
        let sids: Vec<i64> = lock(&self.watches).sessions.keys().copied().collect();
        for sid in sids {
            let head = tx.head(sid)?;
            let (key, seen) = match lock(&self.watches).sessions.get_mut(&sid) {
                Some(watched) if watched.seen != head => {
                    watched.inbox.notify_waiters();
                    (
                        watched.key.clone(),
                        std::mem::replace(&mut watched.seen, head),
                    )
                }
                _ => continue,
            };
            if head.status == 2 {
                self.hub.deleted(&key);
            }
            if head.epoch > seen.epoch
                && let Some(owner) = tx.owner(sid)?
            {
                self.hub.moved(&key, owner);
            }
            self.hub.head(&key, head.last);
        }
        Ok(())
    }
}

/// Keeps a session watched.
pub(super) struct Watch {
    live: Arc<LiveState>,
    sid: i64,
    /// Notified when the inbox or the ownership of the session changes.
    pub(super) inbox: Arc<Notify>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watches = lock(&self.live.watches);
        if let Some(watched) = watches.sessions.get_mut(&self.sid) {
            watched.users -= 1;
            if watched.users == 0 {
                watches.sessions.remove(&self.sid);
            }
        }
    }
}
