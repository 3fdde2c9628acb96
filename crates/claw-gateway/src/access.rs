//! What callers do. Every operation knows the tenant and the scope of its caller.

use std::sync::Arc;
use std::time::Duration;

use claw_server::{Input, InputMode, Json, SessionId};
use claw_store::{
    IdempotencyKey, InteractionAnswer, InteractionFilter, InteractionId, SessionKey, SessionRow,
    StoreError, Verdict,
};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::answer::{Answer, StoredAnswer};
use crate::caller::{Caller, Scope};
use crate::command::{Command, answer_key, client_key};
use crate::error::GatewayError;
use crate::feed;
use crate::frame::{DialectName, Encoder, Frame};
use crate::spec::SessionSpec;
use crate::tenant::Tenant;

/// How long after its event an interaction may be missing in the store.
const COPIED: Duration = Duration::from_secs(2);
/// The interval at which a missing interaction is looked up.
const LOOK: Duration = Duration::from_millis(50);

/// A session, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct SessionInfo {
    /// The id of the session.
    #[schema(value_type = String)]
    pub id: SessionId,
    /// Its number in messages of the dialect `ui`.
    pub number: i64,
    /// Whether it is new, awake, asleep or ended.
    pub state: String,
    /// The sequence of its last event.
    pub last: u64,
    /// Its position in the queue of the sessions that wait until another one sleeps or ends, from 1
    /// on. Only if it waits in this gateway.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_position: Option<u64>,
    /// Changes with every update: an update names the revision that it replaces.
    pub revision: u64,
    /// Its settings.
    pub spec: SessionSpec,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct SessionInfos {
    /// The sessions, in the order in which they were created.
    pub sessions: Vec<SessionInfo>,
    /// Where the next page starts, if there may be one.
    pub next: Option<String>,
}

/// A command that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct Stored {
    /// Its position in the inbox of the session.
    pub position: u64,
    /// Whether an earlier request with the same key stored it.
    pub is_repeat: bool,
}

/// An interaction that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct Pending {
    /// The session that waits.
    #[schema(value_type = String)]
    pub session: SessionId,
    /// What is asked.
    #[schema(value_type = Object)]
    pub interaction: claw_server::event::Interaction,
    /// Whether the agent runs isolated from the gateway. If not, programs that it runs could read
    /// the credentials of a device and answer this interaction themselves.
    pub isolated: bool,
}

/// How an answer was received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[non_exhaustive]
pub enum AnswerOutcome {
    /// This answer is stored first. The session's events report when the agent has it.
    Won,
    /// Another answer was first.
    Lost {
        /// The device that answered.
        by: String,
    },
    /// The interaction ended without an answer.
    Closed,
}

/// The operations of a caller.
#[derive(Clone)]
pub struct Access {
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) caller: Caller,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access")
            .field("caller", &self.caller)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Creates a session. The same key again returns the same session.
    ///
    /// # Errors
    /// The folder is not in a root, or the caller may not choose these settings.
    pub async fn create(
        &self,
        spec: SessionSpec,
        key: IdempotencyKey,
    ) -> Result<SessionInfo, GatewayError> {
        self.caller.need(spec.scope())?;
        if spec.origin.is_some() {
            let reason = "fork a session, or adopt a conversation, to continue it";
            return Err(GatewayError::invalid(reason));
        }
        self.store_new(spec, key).await
    }

    /// Returns a session.
    ///
    /// # Errors
    /// The tenant has no such session.
    pub async fn get(&self, session_id: SessionId) -> Result<SessionInfo, GatewayError> {
        self.caller.need(Scope::View)?;
        let mut session = info(self.tenant.row(session_id).await?)?;
        session.queue_position = self.tenant.places.position(session_id);
        Ok(session)
    }

    /// Deletes a session with everything that is stored of it.
    ///
    /// # Errors
    /// The tenant has no such session.
    pub async fn delete(&self, session_id: SessionId) -> Result<(), GatewayError> {
        self.caller.need(Scope::Drive)?;
        let key = self.tenant.key(session_id)?;
        Ok(self.tenant.store.erase(&key).await?)
    }

    /// Stores an input, and wakes the session.
    ///
    /// # Errors
    /// The content is neither a text nor a list of content blocks, the session has ended, or the key
    /// was used with another input.
    pub async fn input(
        &self,
        session_id: SessionId,
        content: Json,
        mode: InputMode,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        self.caller.need(Scope::Drive)?;
        Input::content(session_id, content.clone()).check()?;
        let by = self.caller.device.clone();
        let command = Command::Input { content, mode, by };
        self.submit(session_id, &command, &key).await
    }

    /// Interrupts a turn. Does nothing when the turn has ended.
    ///
    /// # Errors
    /// The session has ended.
    pub async fn interrupt(
        &self,
        session_id: SessionId,
        turn: u64,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        self.caller.need(Scope::Drive)?;
        self.submit(session_id, &Command::Interrupt { turn }, &key)
            .await
    }

    /// Ends a session. Its log can still be read.
    ///
    /// # Errors
    /// The session has ended before.
    pub async fn close(
        &self,
        session_id: SessionId,
        key: IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        self.caller.need(Scope::Drive)?;
        self.submit(session_id, &Command::Close, &key).await
    }

    /// Lists what waits for an answer, in one session or in all.
    ///
    /// # Errors
    /// The tenant has no such session.
    pub async fn pending(
        &self,
        session_id: Option<SessionId>,
    ) -> Result<Vec<Pending>, GatewayError> {
        self.caller.need(Scope::View)?;
        let key = session_id.map(|id| self.tenant.key(id)).transpose()?;
        let filter = InteractionFilter {
            session: key.map(|key| key.session),
            ..InteractionFilter::pending(self.tenant.id.clone())
        };
        let open = self.tenant.store.interactions(&filter).await?;
        let pending = open.into_iter().filter_map(|one| {
            Some(Pending {
                session: one.session.session.as_str().parse().ok()?,
                interaction: serde_json::from_slice(&one.request).ok()?,
                isolated: self.tenant.settings.runner.is_some(),
            })
        });
        Ok(pending.collect())
    }

    /// Answers an interaction. The first answer wins, whichever device it comes from. The same
    /// answer with the same key again has the same result.
    ///
    /// # Errors
    /// There is no such interaction, the answer does not fit it, or it needs another scope. An
    /// answer that does not fit leaves the interaction pending.
    pub async fn answer(
        &self,
        session_id: SessionId,
        interaction: &InteractionId,
        answer: Answer,
        key: IdempotencyKey,
    ) -> Result<AnswerOutcome, GatewayError> {
        self.caller.need(answer.scope())?;
        let (tenant, session) = (Arc::clone(&self.tenant), self.tenant.key(session_id)?);
        let request = self.request(&session, interaction).await?;
        answer.check(&request)?;
        let by = self.caller.device.clone();
        let body = serde_json::to_vec(&StoredAnswer { answer, by });
        let body = body.map_err(|error| GatewayError::invalid(error.to_string()))?;
        let answer = InteractionAnswer {
            key,
            body: body.into(),
        };
        let interaction = interaction.clone();
        let command = Command::Answered {
            interaction: interaction.as_str().to_owned(),
        };
        let command = command.stored_under(answer_key(&interaction)?)?;
        // An answer that won must reach the owner, even if the request is cancelled.
        uncancelled(async move {
            match tenant.store.answer(&session, &interaction, answer).await? {
                Verdict::Won => {}
                Verdict::Lost(winner) => {
                    let winner: Option<StoredAnswer> = serde_json::from_slice(&winner.body).ok();
                    let by = winner.map_or_else(String::new, |winner| winner.by);
                    return Ok(AnswerOutcome::Lost { by });
                }
                _ => return Ok(AnswerOutcome::Closed),
            }
            match tenant.submit(session_id, command).await {
                Ok(_) => Ok(AnswerOutcome::Won),
                // An owner finds the answer when it looks for answers. A session that waits without
                // a process must be woken.
                Err(GatewayError::Full { .. }) => {
                    tenant.wake_for_interaction(session_id).await?;
                    Ok(AnswerOutcome::Won)
                }
                // The client sends the same answer again.
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Returns the request of an interaction. Its event may be visible before its owner has copied
    /// it to the store.
    async fn request(
        &self,
        session: &SessionKey,
        interaction: &InteractionId,
    ) -> Result<claw_server::event::Interaction, GatewayError> {
        let by = Instant::now() + COPIED;
        let found = loop {
            match self.tenant.store.interaction(session, interaction).await {
                Err(StoreError::NotFound { .. }) if Instant::now() < by => sleep(LOOK).await,
                found => break found?,
            }
        };
        let request = serde_json::from_slice(&found.request);
        request.map_err(|error| GatewayError::Unavailable {
            reason: error.to_string(),
        })
    }

    /// Sends a session in a dialect, from a cursor on. The follower waits for a slow
    /// client: at most 16 frames are kept. It ends when the session is deleted, or the store fails;
    /// then the client resumes from its cursor.
    ///
    /// # Errors
    /// The cursor is ahead of the session.
    pub async fn follow(
        &self,
        session_id: SessionId,
        dialect: DialectName,
        after: u64,
    ) -> Result<mpsc::Receiver<Frame>, GatewayError> {
        let tenant = self.check_cursor(session_id, after).await?;
        let (frames, receiver) = mpsc::channel(16);
        tokio::spawn(async move {
            let gone = frames.clone();
            let sink = Encoder::new(session_id, frames);
            // In a quiet session, the follower would not notice that the client is gone.
            let ended = tokio::select! {
                ended = feed::follow(&tenant, session_id, dialect, after, sink) => Some(ended),
                () = gone.closed() => None,
            };
            tracing::debug!(%session_id, ?ended, "a client no longer follows");
        });
        Ok(receiver)
    }

    /// Checks that the caller may follow a session from a cursor.
    pub(crate) async fn check_cursor(
        &self,
        session_id: SessionId,
        after: u64,
    ) -> Result<Arc<Tenant>, GatewayError> {
        self.caller.need(Scope::View)?;
        let latest = self.tenant.row(session_id).await?.last;
        match after > latest {
            true => Err(GatewayError::AheadOfLog { after, latest }),
            false => Ok(Arc::clone(&self.tenant)),
        }
    }

    pub(crate) async fn submit(
        &self,
        session_id: SessionId,
        command: &Command,
        key: &IdempotencyKey,
    ) -> Result<Stored, GatewayError> {
        let command = command.stored_under(client_key(key)?)?;
        let tenant = Arc::clone(&self.tenant);
        // A session that was claimed for the command must start, even if the request is cancelled.
        let submitted =
            uncancelled(async move { tenant.submit(session_id, command).await }).await?;
        Ok(Stored {
            position: submitted.position,
            is_repeat: submitted.is_repeat,
        })
    }
}

/// Runs a future to its end, even if the caller is cancelled.
async fn uncancelled<T: Send + 'static>(
    call: impl Future<Output = Result<T, GatewayError>> + Send + 'static,
) -> Result<T, GatewayError> {
    let done = tokio::spawn(call).await;
    done.unwrap_or_else(|error| {
        let reason = error.to_string();
        Err(GatewayError::Unavailable { reason })
    })
}

pub(crate) fn info(row: SessionRow) -> Result<SessionInfo, GatewayError> {
    let damaged = |reason: String| GatewayError::Unavailable { reason };
    let id = row.key.session.as_str().parse();
    Ok(SessionInfo {
        id: id.map_err(|error: claw_server::InvalidSessionId| damaged(error.to_string()))?,
        number: row.number,
        state: row.state.as_str().to_owned(),
        last: row.last,
        queue_position: None,
        revision: row.revision.0,
        spec: serde_json::from_slice(&row.attributes)
            .map_err(|error| damaged(error.to_string()))?,
    })
}
