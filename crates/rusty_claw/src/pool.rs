//! Sessions that are started before they are needed.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{join_all, select_all};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::StartError;
use crate::future::BoxFuture;
use crate::options::Options;
use crate::session::Session;
use crate::stream::MessageStream;

/// How old a spare may get. Settings, credentials and files change under a process that waits.
const MAX_AGE: Duration = Duration::from_secs(10 * 60);
/// How long to wait after a start that failed; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A spare that ends earlier than this is a sign that the next one will, too.
const YOUNG: Duration = Duration::from_secs(10);

type Started = Result<(Session, MessageStream), StartError>;
type Start = Box<dyn Fn() -> BoxFuture<'static, Started> + Send + Sync>;

/// Sessions that are started before they are needed, all with the same options.
///
/// Starting the CLI takes about half a second, and a spare process holds some 200 MB. Where the
/// first matters more than the second, keep a few ready:
///
/// ```no_run
/// use rusty_claw::{Options, Pool};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let pool = Pool::new(Options::new().cwd("/srv/shop"), 2);
/// let (session, messages) = pool.take().await?;
/// let turn = session.send("What is new?").await?;
/// # drop((messages, turn));
/// pool.close().await;
/// # Ok(())
/// # }
/// ```
///
/// Each session is handed out once and never comes back. Spares that ended by themselves or are
/// too old are replaced. Options that name one conversation (`session_id`, `resume`) are no use
/// here: a conversation runs in one process.
///
/// Dropping the pool closes the spares in the background; what was taken lives on.
pub struct Pool {
    shared: Arc<Shared>,
}

struct Shared {
    start: Start,
    size: usize,
    max_age: Duration,
    spares: Mutex<VecDeque<Spare>>,
    changed: Notify,
    closed: CancellationToken,
}

struct Spare {
    session: Session,
    messages: MessageStream,
    since: Instant,
}

impl Pool {
    /// Keeps this many sessions ready. Must be called inside a tokio runtime; starts at once.
    pub fn new(options: Options, size: usize) -> Self {
        Self::with_start(size, MAX_AGE, move || {
            Box::pin(Session::start(options.clone()))
        })
    }

    /// Keeps this many sessions ready that are started in your own way, on a transport of your
    /// own for example, and none longer than `max_age`. Must be called inside a tokio runtime.
    pub fn with_start(
        size: usize,
        max_age: Duration,
        start: impl Fn() -> BoxFuture<'static, Result<(Session, MessageStream), StartError>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let shared = Arc::new(Shared {
            start: Box::new(start),
            size,
            max_age,
            spares: Mutex::default(),
            changed: Notify::new(),
            closed: CancellationToken::new(),
        });
        tokio::spawn(keep_full(Arc::clone(&shared)));
        Self { shared }
    }

    /// A session that nobody has used: at once when one is ready, started now when none is.
    ///
    /// # Errors
    /// None was ready, and a new one does not start.
    ///
    /// Dropping the future leaves nothing running.
    pub async fn take(&self) -> Result<(Session, MessageStream), StartError> {
        let ready = self.shared.pop();
        self.shared.changed.notify_one();
        match ready {
            Some(spare) => Ok((spare.session, spare.messages)),
            None => (self.shared.start)().await,
        }
    }

    /// How many are ready now.
    pub fn ready(&self) -> usize {
        self.shared.spares().len()
    }

    /// Closes the spares, and waits for that. What was taken lives on.
    ///
    /// Dropping the future leaves the rest to be closed in the background.
    pub async fn close(self) {
        self.shared.closed.cancel();
        let spares = std::mem::take(&mut *self.shared.spares());
        join_all(spares.iter().map(|spare| spare.session.close())).await;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("size", &self.shared.size)
            .field("ready", &self.ready())
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn spares(&self) -> MutexGuard<'_, VecDeque<Spare>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest that is still good.
    fn pop(&self) -> Option<Spare> {
        let mut spares = self.spares();
        while let Some(spare) = spares.pop_front() {
            if self.is_good(&spare) {
                return Some(spare);
            }
        }
        None
    }

    fn is_good(&self, spare: &Spare) -> bool {
        let is_over = spare.session.ended().now_or_never().is_some();
        !is_over && spare.since.elapsed() < self.max_age
    }

    /// Drops what is over or too old. Says how many are missing, and whether one ended by itself
    /// soon after it was ready.
    fn tidy(&self) -> (usize, bool) {
        let mut spares = self.spares();
        let mut died_young = false;
        spares.retain(|spare| {
            let good = self.is_good(spare);
            died_young |= !good && spare.since.elapsed() < YOUNG.min(self.max_age);
            good
        });
        (self.size.saturating_sub(spares.len()), died_young)
    }

    /// Waits until something may have to be done: one was taken, one ended, one is too old.
    async fn news(&self) {
        let (sessions, oldest) = {
            let spares = self.spares();
            let sessions: Vec<Session> = spares.iter().map(|s| s.session.clone()).collect();
            (sessions, spares.front().map(|spare| spare.since))
        };
        let one_ended = async {
            if sessions.is_empty() {
                return std::future::pending().await;
            }
            select_all(sessions.iter().map(|session| session.ended().boxed())).await;
        };
        let too_old = async {
            match oldest {
                Some(since) => tokio::time::sleep_until(since + self.max_age).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.changed.notified() => {}
            () = one_ended => {}
            () = too_old => {}
        }
    }
}

/// Starts sessions until there are enough, again and again. Ends with the pool.
async fn keep_full(shared: Arc<Shared>) {
    let closed = shared.closed.clone();
    let work = async {
        let mut pause = FIRST_PAUSE;
        loop {
            let (missing, died_young) = shared.tidy();
            if died_young {
                // One that starts and ends at once would be started again without end.
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            if missing == 0 {
                pause = FIRST_PAUSE;
                shared.news().await;
                continue;
            }
            match (shared.start)().await {
                Ok((session, messages)) => {
                    shared.spares().push_back(Spare {
                        session,
                        messages,
                        since: Instant::now(),
                    });
                }
                Err(error) => {
                    // Whoever takes one meets the same error, and is told.
                    tracing::warn!(%error, ?pause, "a spare session did not start");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    };
    tokio::select! {
        () = closed.cancelled() => {}
        () = work => {}
    }
    // Dropped handles close their sessions.
    shared.spares().clear();
}
