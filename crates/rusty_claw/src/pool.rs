//! Sessions that are started before they are needed.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::error::StartError;
use crate::future::BoxFuture;
use crate::options::Options;
use crate::session::Session;
use crate::stream::MessageStream;

/// The maximum age of a spare. Settings, credentials and files may change while it waits.
const MAX_AGE: Duration = Duration::from_secs(10 * 60);
/// The pause after a failed start; doubled each time.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// If a spare ends earlier than this, the next one probably will, too.
const YOUNG: Duration = Duration::from_secs(10);

type Started = Result<(Session, MessageStream), StartError>;
type Start = Box<dyn Fn() -> BoxFuture<'static, Started> + Send + Sync>;

/// Sessions that are started before they are needed, all with the same options.
///
/// Starting the CLI takes about half a second, and a spare process needs about 200 MB. If latency
/// matters more than memory, keep a few ready:
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
/// Each session is returned once and not reused. Spares that ended or are too old are replaced.
/// Options that name one conversation (`session_id`, `resume`) do not work here: a conversation
/// runs in one process.
///
/// Dropping the pool closes the spares in the background; taken sessions continue.
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
    /// Keeps this many sessions ready. Starts them at once. Must be called inside a tokio runtime.
    pub fn new(options: Options, size: usize) -> Self {
        Self::with_start(size, MAX_AGE, move || {
            Box::pin(Session::start(options.clone()))
        })
    }

    /// Keeps this many sessions ready that `start` creates, for example on a custom transport, and
    /// none longer than `max_age`. Must be called inside a tokio runtime.
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

    /// Returns an unused session: a spare if one is ready, otherwise a new one.
    ///
    /// # Errors
    /// No spare was ready, and a new session does not start.
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

    /// The number of spares that are ready.
    pub fn ready(&self) -> usize {
        self.shared.spares().len()
    }

    /// Closes the spares and waits until they have ended. Taken sessions continue.
    ///
    /// If the future is dropped, the remaining spares are closed in the background.
    pub async fn close(self) {
        self.shared.closed.cancel();
        let spares = std::mem::take(&mut *self.shared.spares());
        let mut closing = JoinSet::new();
        for spare in spares {
            closing.spawn(async move { spare.session.close().await });
        }
        closing.join_all().await;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.closed.cancel();
    }
}

debug_fields!(Pool, |pool| size: pool.shared.size, ready: pool.ready());

impl Shared {
    fn spares(&self) -> MutexGuard<'_, VecDeque<Spare>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the oldest usable spare.
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
        let mut ended = pin!(spare.session.ended());
        let is_over = ended
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready();
        !is_over && spare.since.elapsed() < self.max_age
    }

    /// Drops spares that ended or are too old. Returns how many are missing, and whether one ended
    /// by itself soon after it was ready.
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

    /// Waits until a spare is taken, ends or is too old.
    async fn news(&self) {
        let (sessions, oldest) = {
            let spares = self.spares();
            let sessions: Vec<Session> = spares.iter().map(|s| s.session.clone()).collect();
            (sessions, spares.front().map(|spare| spare.since))
        };
        let mut ended: Vec<_> = sessions.iter().map(|s| Box::pin(s.ended())).collect();
        let one_ended = std::future::poll_fn(|context| {
            let mut polls = ended.iter_mut().map(|ended| ended.as_mut().poll(context));
            if polls.any(|poll| poll.is_ready()) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
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

/// Keeps the pool full until it is closed.
async fn keep_full(shared: Arc<Shared>) {
    let closed = shared.closed.clone();
    let work = async {
        let mut pause = FIRST_PAUSE;
        loop {
            let (missing, died_young) = shared.tidy();
            if died_young {
                // Prevents a busy loop if sessions end right after they start.
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
                    // `Pool::take` returns such an error to its caller.
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
