//! The thread that writes: one transaction for all calls that wait.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

use super::live::LiveState;
use super::schema::{Connector, spawn};
use super::tx::{Fault, Tx, is_busy, refusal, wait_for_lock};
use crate::{OpenError, Result, StoreError};

/// Limits a transaction, so that its first call does not wait for ever.
const MAX_JOBS: usize = 1024;
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// The log is copied into the database after this time without a write, if it has about this size.
const IDLE: Duration = Duration::from_millis(50);
const IDLE_PAGES: u64 = 1000;

/// How long the thread looks for the next call before it sleeps. A session that appends one batch
/// after the other sends it within this time, and to wake a thread takes about as long.
const SPIN: Duration = Duration::from_micros(40);

/// A call. It runs, possibly again after a rollback, and is finished once.
type Job = Box<dyn FnMut(Step<'_, '_>) -> rusqlite::Result<()> + Send>;

enum Step<'a, 'b> {
    Run(&'a mut Tx<'b>),
    /// Replies with the result, or with the error that prevented the commit.
    Finish(Result<()>),
}

/// The queue of the writer. The thread ends when it is dropped.
pub(super) struct Writer {
    queue: Sender<Job>,
}

impl Writer {
    pub(super) fn start(connector: Connector, live: Arc<LiveState>) -> Result<Self, OpenError> {
        let ((queue, jobs), conn) = (channel(), connector.writer()?);
        // The writer's connection has no timeout of its own, and another process may hold the lock
        // because it also opens the database.
        let timeout = connector.options.busy_timeout;
        let thread = WriterThread {
            has_trash: wait_for_lock(timeout, || Tx::new(&conn).has_trash())?,
            connector,
            conn,
            live,
            jobs,
            pages: 0,
        };
        spawn("claw-store-writer", || thread.run())?;
        Ok(Self { queue })
    }

    /// Runs a call in a transaction and returns its result after the commit. The call must not
    /// change anything before it refuses, and must be idempotent, because it may run again.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        mut work: impl FnMut(&mut Tx<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T> {
        let stopped = || StoreError::unavailable("the writer has stopped");
        let (reply, answer) = oneshot::channel();
        let mut call = (Some(reply), Err(stopped()));
        let job = move |step: Step<'_, '_>| {
            match step {
                Step::Run(tx) => match work(tx) {
                    Err(Fault::Engine(error)) => return Err(error),
                    result => call.1 = result.map_err(StoreError::from),
                },
                Step::Finish(outcome) => {
                    let result = std::mem::replace(&mut call.1, Err(stopped()));
                    // A caller that is gone has dropped its future.
                    let _ = call.0.take().map(|reply| reply.send(outcome.and(result)));
                }
            }
            Ok(())
        };
        self.queue.send(Box::new(job)).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

struct WriterThread {
    connector: Connector,
    conn: Connection,
    live: Arc<LiveState>,
    jobs: Receiver<Job>,
    has_trash: bool,
    /// About how many pages were written since the log was copied.
    pages: u64,
}

impl WriterThread {
    fn run(mut self) {
        loop {
            if self.has_trash {
                let swept = self.transact(|tx, _| tx.sweep());
                self.has_trash = swept.unwrap_or(false);
            }
            // While there are rows to delete, only what waits already comes between.
            let pause = match self.has_trash {
                true => Duration::ZERO,
                false if self.pages >= IDLE_PAGES => IDLE,
                false => Duration::MAX,
            };
            match self.next_job(pause) {
                Ok(job) => self.commit_group(job),
                Err(RecvTimeoutError::Timeout) if self.has_trash => {}
                Err(RecvTimeoutError::Timeout) => {
                    self.copy_log();
                    self.has_trash = Tx::new(&self.conn).has_trash().unwrap_or(false);
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn next_job(&self, pause: Duration) -> Result<Job, RecvTimeoutError> {
        let start = Instant::now();
        while start.elapsed() < SPIN {
            match self.jobs.try_recv() {
                Ok(job) => return Ok(job),
                Err(_) => std::hint::spin_loop(),
            }
        }
        self.jobs.recv_timeout(pause)
    }

    /// Copies the log into the database. A failure is not reported: SQLite tries it again.
    fn copy_log(&mut self) {
        let _ = self.conn.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()));
        self.pages = 0;
    }

    /// Runs a job and all that wait in one transaction, and replies to them.
    fn commit_group(&mut self, first: Job) {
        let mut group = vec![first];
        let Err(error) = self.transact(|tx, jobs| run_all(&mut group, tx, Some(jobs))) else {
            return finish(group, &Ok(()));
        };
        tracing::warn!(%error, jobs = group.len(), "a group of writes was rolled back");
        if is_busy(&error) {
            group.extend(self.jobs.try_iter());
            return finish(group, &Err(refusal(&error)));
        }
        // Each job runs again alone: one that does not fit must not fail the others. If the outcome
        // of the commit is unknown, the job finds what it has stored on a new connection.
        if error.sqlite_error_code() != Some(ErrorCode::DiskFull)
            && let Ok(conn) = self.connector.writer()
        {
            self.conn = conn;
        }
        // A log that cannot grow restarts at its beginning.
        self.copy_log();
        for job in group {
            let mut alone = vec![job];
            let outcome = self.transact(|tx, _| run_all(&mut alone, tx, None));
            finish(alone, &outcome.map_err(|error| refusal(&error)));
        }
    }

    fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut Tx<'_>, &Receiver<Job>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let run = || {
            let mut tx = Tx::begin(&self.conn, self.connector.options.busy_timeout)?;
            let value = work(&mut tx, &self.jobs)?;
            let pages = 4 + tx.written / 4096;
            Ok((value, tx.commit()?, pages))
        };
        let (value, notes, pages) = run().inspect_err(|_: &rusqlite::Error| {
            // SQLite has rolled back already after some errors.
            let _ = self.conn.execute_batch("ROLLBACK");
        })?;
        self.pages += pages;
        for note in notes {
            self.has_trash |= self.live.publish(note);
        }
        Ok(value)
    }
}

/// Runs jobs, and those that arrive in the queue meanwhile.
fn run_all(
    group: &mut Vec<Job>,
    tx: &mut Tx<'_>,
    queue: Option<&Receiver<Job>>,
) -> rusqlite::Result<()> {
    let mut done = 0;
    while let Some(job) = group.get_mut(done) {
        job(Step::Run(tx))?;
        done += 1;
        if let Some(queue) = queue.filter(|_| done < MAX_JOBS && tx.written < MAX_BYTES) {
            group.extend(queue.try_recv());
        }
    }
    Ok(())
}

fn finish(group: Vec<Job>, outcome: &Result<()>) {
    for mut job in group {
        let _ = job(Step::Finish(outcome.clone()));
    }
}
