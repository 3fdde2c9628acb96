//! Many sessions on one stream, for one client.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use claw_server::{
    ControllerError, Delivery, EventSink, MobileMessage, SequencedMessage, SessionId, UiMessage,
    WatchEnd,
};
use rusty_claw::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};

use crate::access::Access;
use crate::error::GatewayError;
use crate::frame::{DialectName, raw};
use crate::tenant::Tenant;

/// The most bytes that are queued for a client. A larger frame is queued alone.
const BUFFER: u32 = 256 * 1024;
/// The least size that is counted for a frame, so that the number of queued frames is bounded as
/// well.
const SMALLEST: u32 = 1024;
/// How long a frame waits for room in the buffer. After that, its session is no longer read, and
/// continues from its cursor when there is room again.
const STALL: Duration = Duration::from_secs(10);
/// The most sessions of a client on one stream.
pub(crate) const MAX_SESSIONS: usize = 256;

/// What a client receives of a session: a frame with a message, or a notice.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct Update {
    /// The session.
    #[schema(value_type = String)]
    pub session: SessionId,
    /// The cursor to resume from.
    pub after: u64,
    /// The message, as the dialect writes it. A notice has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub message: Option<Box<RawValue>>,
    /// The client was too slow, and the stream continues from `after`: discard what came since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resync: bool,
    /// Nothing more follows: the session was deleted, or its log cannot be read. Follow it again
    /// from `after` to find out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

impl Update {
    fn new(session: SessionId, after: u64, message: Option<Box<RawValue>>) -> Self {
        Self {
            session,
            after,
            message,
            resync: false,
            ended: false,
        }
    }

    fn weight(&self) -> u32 {
        let message = self.message.as_ref().map_or(0, |text| text.get().len());
        u32::try_from(message)
            .unwrap_or(BUFFER)
            .clamp(SMALLEST, BUFFER)
    }
}

/// The sessions that a client follows.
///
/// All of them share a bounded buffer. While it is full, each session waits for room for one frame,
/// in FIFO order, so that a busy session does not delay the others. Nothing more is read from the
/// logs meanwhile, and streamed text is merged. If a client does not read for 10 s, it receives an
/// [`Update::resync`] after the queued frames, and then the frames after its cursor.
#[derive(Debug)]
pub struct Feed {
    access: Access,
    room: Arc<Semaphore>,
    queue: (
        mpsc::UnboundedSender<Queued>,
        mpsc::UnboundedReceiver<Queued>,
    ),
    sessions: HashMap<SessionId, (u64, AbortHandle)>,
    /// Counts subscriptions, to drop the frames of one that was replaced.
    number: u64,
    /// Aborted when the feed is dropped.
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Queued {
    number: u64,
    update: Update,
    /// Released when the client receives the update.
    _room: OwnedSemaphorePermit,
}

impl Feed {
    /// Creates a feed without sessions.
    pub fn new(access: Access) -> Self {
        Self {
            access,
            room: Arc::new(Semaphore::new(BUFFER as usize)),
            queue: mpsc::unbounded_channel(),
            sessions: HashMap::new(),
            number: 0,
            tasks: JoinSet::new(),
        }
    }

    /// Whether no session is followed.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// Follows a session from a cursor on. Replaces an earlier subscription of the same session.
    ///
    /// # Errors
    /// There is no such session, the cursor is ahead of it, or there are 256 sessions already.
    pub async fn subscribe(
        &mut self,
        session: SessionId,
        dialect: DialectName,
        after: u64,
    ) -> Result<(), GatewayError> {
        let is_full = self.sessions.len() >= MAX_SESSIONS;
        if is_full && !self.sessions.contains_key(&session) {
            let reason = format!("a stream has at most {MAX_SESSIONS} sessions: open another one");
            return Err(GatewayError::Full { reason });
        }
        let tenant = self.access.check_cursor(session, after).await?;
        self.unsubscribe(session);
        while self.tasks.try_join_next().is_some() {}
        self.number += 1;
        let sink = Sink {
            session,
            number: self.number,
            room: Arc::clone(&self.room),
            queue: self.queue.0.clone(),
            after: Arc::new(AtomicU64::new(after)),
            is_stalled: Arc::default(),
        };
        let task = self.tasks.spawn(run(tenant, dialect, sink));
        self.sessions.insert(session, (self.number, task));
        Ok(())
    }

    /// Stops following a session. No more of its updates are received, even if they are queued.
    pub fn unsubscribe(&mut self, session: SessionId) {
        if let Some((_, task)) = self.sessions.remove(&session) {
            task.abort();
        }
    }

    /// Returns the next update, or `None` when no session is followed.
    ///
    /// This method is cancel safe.
    pub async fn recv(&mut self) -> Option<Update> {
        while !self.is_empty() {
            let Queued { number, update, .. } = self.queue.1.recv().await?;
            let current = self.sessions.get(&update.session);
            if current.is_some_and(|(current, _)| *current == number) {
                if update.ended {
                    self.sessions.remove(&update.session);
                }
                return Some(update);
            }
        }
        None
    }
}

/// Follows a session for a client until it ends.
async fn run(tenant: Arc<Tenant>, dialect: DialectName, sink: Sink) {
    loop {
        let after = sink.after.load(Ordering::SeqCst);
        let ended = follow(&tenant, sink.session, dialect, after, sink.clone()).await;
        let mut notice = Update::new(sink.session, sink.after.load(Ordering::SeqCst), None);
        notice.resync = sink.is_stalled.swap(false, Ordering::SeqCst);
        notice.ended = !notice.resync;
        let is_over = notice.ended;
        tracing::debug!(session_id = %sink.session, ?ended, is_over, "a client stopped following");
        // No follower is kept while this waits for the client.
        if sink
            .room_for(&notice)
            .await
            .is_none_or(|room| sink.push(notice, room))
            || is_over
        {
            return;
        }
    }
}

/// Sends a session in a dialect, from a cursor on, until it ends or the sink is closed.
pub(crate) async fn follow<S>(
    tenant: &Tenant,
    session: SessionId,
    dialect: DialectName,
    after: u64,
    sink: S,
) -> Result<WatchEnd, ControllerError>
where
    S: EventSink<SequencedMessage<Box<RawValue>>>
        + EventSink<SequencedMessage<UiMessage>>
        + EventSink<SequencedMessage<MobileMessage>>,
{
    match dialect {
        DialectName::Events => tenant.events.follow(session, after, sink).await,
        DialectName::StreamJson => tenant.lines.follow(session, after, sink).await,
        DialectName::Audit => tenant.audit.follow(session, after, sink).await,
        DialectName::Ui => {
            // The projection contains the number of the session, which may be no longer known.
            if let Err(error) = tenant.row(session).await {
                tracing::debug!(%session, %error, "the number of a session is not known");
            }
            tenant.ui.follow(session, after, sink).await
        }
        DialectName::Mobile => tenant.mobile.follow(session, after, sink).await,
    }
}

/// Queues the messages of one session for a client.
#[derive(Clone)]
struct Sink {
    session: SessionId,
    number: u64,
    room: Arc<Semaphore>,
    queue: mpsc::UnboundedSender<Queued>,
    /// The cursor of the client.
    after: Arc<AtomicU64>,
    is_stalled: Arc<AtomicBool>,
}

impl Sink {
    /// Waits until the update fits into the buffer. The semaphore is fair: sessions get room in
    /// FIFO order.
    async fn room_for(&self, update: &Update) -> Option<OwnedSemaphorePermit> {
        let room = Arc::clone(&self.room).acquire_many_owned(update.weight());
        room.await.ok()
    }

    /// Queues an update. Returns `true` if the client is gone.
    fn push(&self, update: Update, room: OwnedSemaphorePermit) -> bool {
        let queued = Queued {
            number: self.number,
            update,
            _room: room,
        };
        self.queue.send(queued).is_err()
    }
}

impl<M: Serialize + Send + 'static> EventSink<SequencedMessage<M>> for Sink {
    fn send(&mut self, sequenced: SequencedMessage<M>) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            let Some(message) = raw(&sequenced.message) else {
                return Delivery::Taken;
            };
            let update = Update::new(self.session, sequenced.after, Some(message));
            let Ok(room) = tokio::time::timeout(STALL, self.room_for(&update)).await else {
                self.is_stalled.store(true, Ordering::SeqCst);
                return Delivery::Closed;
            };
            let after = update.after;
            match room.is_none_or(|room| self.push(update, room)) {
                true => Delivery::Closed,
                false => {
                    self.after.fetch_max(after, Ordering::SeqCst);
                    Delivery::Taken
                }
            }
        })
    }
}
