//! A client of the API.
//!
//! ```no_run
//! use claw_gateway::client::{Client, Followed, NewInput};
//! use claw_gateway::{DialectName, SessionSpec};
//!
//! # async fn run(token: &str) -> Result<(), claw_gateway::client::ClientError> {
//! let client = Client::new("http://127.0.0.1:7171", token)?;
//! let session = client.create(&SessionSpec::new("/srv/project")).await?;
//! client.input(session.id, &NewInput::text("What is this?")).await?;
//! let mut frames = client.follow(session.id, DialectName::Ui, 0);
//! while let Some(item) = frames.next().await {
//!     if let Followed::Frame(frame) = item? {
//!         println!("{}", frame.message);
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod error;
mod events;
mod follow;
mod sse;
mod transport;

use std::time::Duration;

use claw_server::{InputMode, Json, SessionId};
use rusty_claw::permission::PermissionMode;
use serde::{Deserialize, Serialize};

use self::transport::{Call, Transport};
use crate::access::{AnswerOutcome, Pending, SessionInfo, SessionInfos, Stored};
use crate::answer::Answer;
use crate::caller::Scope;
use crate::devices::Device;
use crate::frame::DialectName;
use crate::spec::SessionSpec;

pub use error::ClientError;
pub use events::EventsMessage;
pub use follow::{Follow, Followed};

/// An input for an agent, with its idempotency key. The agent receives it once, however often it is
/// sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NewInput {
    /// A text, or a list of the API's content blocks.
    pub content: Json,
    /// When it reaches the agent.
    pub mode: InputMode,
    /// The key.
    #[serde(skip)]
    pub key: String,
}

impl NewInput {
    /// Creates an input with a random key. It is queued after earlier inputs.
    pub fn new(content: Json) -> Self {
        Self {
            content,
            mode: InputMode::Queue,
            key: random_key(),
        }
    }

    /// Creates an input from a text.
    pub fn text(text: &str) -> Self {
        Self::new(Json::from(serde_json::Value::from(text)))
    }

    /// Sets when it reaches the agent.
    #[must_use]
    pub fn mode(mut self, mode: InputMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the key, for programs that store inputs before they send them.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }
}

#[derive(Serialize)]
struct Interrupt {
    turn: u64,
}

#[derive(Serialize)]
struct NewDevice<'a> {
    name: &'a str,
    scope: Scope,
}

#[derive(Deserialize)]
struct AddedDevice {
    device: Device,
    token: String,
}

/// A client of a gateway. Clones share its connections.
///
/// Requests are repeated under the same idempotency key for 20 s while the gateway is unreachable,
/// unavailable or overloaded. If the gateway has never responded, they fail at once. Redirects are
/// not followed, so that the token is sent only to the gateway.
#[derive(Clone)]
pub struct Client {
    transport: Transport,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("address", &self.transport.address())
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client for the address of a gateway, such as `http://127.0.0.1:7171`, and the token
    /// of a device.
    ///
    /// # Errors
    /// The address is not an http or https URL, the token has invalid characters, or the system's
    /// certificates cannot be read.
    pub fn new(base: &str, token: &str) -> Result<Self, ClientError> {
        let transport = Transport::new(base, token)?;
        Ok(Self { transport })
    }

    /// Sets how long requests are repeated.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.transport.patience = patience;
        self
    }

    /// Sets how long a stream may be silent before it reconnects, 45 s by default. The gateway sends
    /// a comment every 15 s.
    #[must_use]
    pub fn silence(mut self, silence: Duration) -> Self {
        self.transport.silence = silence;
        self
    }

    /// The address of the gateway.
    pub fn address(&self) -> &str {
        self.transport.address()
    }

    /// Creates a session.
    ///
    /// # Errors
    /// The folder is not in a root, or the device may not choose these settings.
    pub async fn create(&self, spec: &SessionSpec) -> Result<SessionInfo, ClientError> {
        let key = random_key();
        let call = Call::post(&["sessions"], Some(&key)).json(spec)?;
        self.transport.call(call).await
    }

    /// Returns a page of sessions, oldest first. The `next` of a page is the `from` of the page
    /// after it.
    ///
    /// # Errors
    /// The page does not exist.
    pub async fn list(&self, from: Option<&str>) -> Result<SessionInfos, ClientError> {
        let mut call = Call::get(&["sessions"]).query("limit", 1000);
        if let Some(from) = from {
            call = call.query("from", from);
        }
        self.transport.call(call).await
    }

    /// Returns all sessions, oldest first.
    ///
    /// # Errors
    /// The gateway cannot be reached, or refuses the token.
    pub async fn all(&self) -> Result<Vec<SessionInfo>, ClientError> {
        let mut page = self.list(None).await?;
        let mut all = std::mem::take(&mut page.sessions);
        while let Some(next) = page.next {
            page = self.list(Some(&next)).await?;
            all.append(&mut page.sessions);
        }
        Ok(all)
    }

    /// Returns a session.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn get(&self, session: SessionId) -> Result<SessionInfo, ClientError> {
        let session = session.to_string();
        self.transport
            .call(Call::get(&["sessions", &session]))
            .await
    }

    /// Deletes a session with everything that is stored of it.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn delete(&self, session: SessionId) -> Result<(), ClientError> {
        let session = session.to_string();
        let path = ["sessions", session.as_str()];
        self.transport.call(Call::delete(&path)).await
    }

    /// Sends an input. The gateway has stored it when this returns.
    ///
    /// # Errors
    /// The session has ended, or the key was used with another input.
    pub async fn input(&self, session: SessionId, input: &NewInput) -> Result<Stored, ClientError> {
        let session = session.to_string();
        let path = ["sessions", session.as_str(), "inputs"];
        let call = Call::post(&path, Some(&input.key)).json(input)?;
        self.transport.call(call).await
    }

    /// Interrupts a turn. Does nothing if the turn has ended.
    ///
    /// # Errors
    /// The session has ended.
    pub async fn interrupt(&self, session: SessionId, turn: u64) -> Result<Stored, ClientError> {
        let (session, key) = (session.to_string(), random_key());
        let path = ["sessions", session.as_str(), "interrupt"];
        let call = Call::post(&path, Some(&key)).json(&Interrupt { turn })?;
        self.transport.call(call).await
    }

    /// Sets the model of a session from its next turn on; `None` selects the default of the CLI.
    ///
    /// # Errors
    /// The name is not valid, or the session has ended.
    pub async fn set_model(
        &self,
        session: SessionId,
        model: Option<&str>,
    ) -> Result<Stored, ClientError> {
        let body = serde_json::json!({ "model": model });
        self.set(session, "model", body).await
    }

    /// Sets the permission mode of a session from the next tool call on.
    ///
    /// # Errors
    /// There is no such mode, it needs another scope, or the session has ended.
    pub async fn set_permission_mode(
        &self,
        session: SessionId,
        mode: PermissionMode,
    ) -> Result<Stored, ClientError> {
        let body = serde_json::json!({ "permission_mode": mode });
        self.set(session, "mode", body).await
    }

    async fn set(
        &self,
        session: SessionId,
        setting: &str,
        body: serde_json::Value,
    ) -> Result<Stored, ClientError> {
        let (session, key) = (session.to_string(), random_key());
        let path = ["sessions", session.as_str(), setting];
        let call = Call::post(&path, Some(&key)).json(&body)?;
        self.transport.call(call).await
    }

    /// Creates a session that continues a conversation that was started in a terminal. The id is
    /// that of `claude --resume`.
    ///
    /// # Errors
    /// There is no such conversation, its folder is not in a root, or it is in use.
    pub async fn adopt(&self, cli_session_id: &str) -> Result<SessionInfo, ClientError> {
        let (key, body) = (
            random_key(),
            serde_json::json!({ "cli_session_id": cli_session_id }),
        );
        let call = Call::post(&["sessions", "adopt"], Some(&key)).json(&body)?;
        self.transport.call(call).await
    }

    /// Creates a session that continues a copy of the conversation of another session, which may
    /// have ended.
    ///
    /// # Errors
    /// The session has no conversation yet, or the device may not choose its settings.
    pub async fn fork(&self, session: SessionId) -> Result<SessionInfo, ClientError> {
        let (session, key) = (session.to_string(), random_key());
        let path = ["sessions", session.as_str(), "fork"];
        self.transport.call(Call::post(&path, Some(&key))).await
    }

    /// Ends a session. Its log can still be read.
    ///
    /// # Errors
    /// The session has already ended.
    pub async fn close(&self, session: SessionId) -> Result<Stored, ClientError> {
        let (session, key) = (session.to_string(), random_key());
        let path = ["sessions", session.as_str(), "close"];
        self.transport.call(Call::post(&path, Some(&key))).await
    }

    /// Lists the pending interactions of one session or of all.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn pending(&self, session: Option<SessionId>) -> Result<Vec<Pending>, ClientError> {
        let mut call = Call::get(&["interactions"]);
        if let Some(session) = session {
            call = call.query("session", session);
        }
        self.transport.call(call).await
    }

    /// Answers an interaction. The first answer wins.
    ///
    /// # Errors
    /// There is no such interaction, or the answer does not fit it or needs another scope.
    pub async fn answer(
        &self,
        session: SessionId,
        interaction: &str,
        answer: &Answer,
    ) -> Result<AnswerOutcome, ClientError> {
        let (session, key) = (session.to_string(), random_key());
        let path = [
            "sessions",
            session.as_str(),
            "interactions",
            interaction,
            "answer",
        ];
        let call = Call::post(&path, Some(&key)).json(answer)?;
        self.transport.call(call).await
    }

    /// Lists the devices of the tenant.
    ///
    /// # Errors
    /// The device may not manage devices.
    pub async fn devices(&self) -> Result<Vec<Device>, ClientError> {
        self.transport.call(Call::get(&["devices"])).await
    }

    /// Adds a device. Returns it with its token, which cannot be shown again. This request is not
    /// repeated.
    ///
    /// # Errors
    /// The name is not valid, or the device may not manage devices.
    pub async fn add_device(
        &self,
        name: &str,
        scope: Scope,
    ) -> Result<(Device, String), ClientError> {
        let call = Call::post(&["devices"], None).json(&NewDevice { name, scope })?;
        let added: AddedDevice = self.transport.call(call).await?;
        Ok((added.device, added.token))
    }

    /// Revokes a device: its token is refused, and its streams end.
    ///
    /// # Errors
    /// There is no such device, or the device may not manage devices.
    pub async fn revoke_device(&self, device: &str) -> Result<(), ClientError> {
        let path = ["devices", device];
        self.transport.call(Call::delete(&path)).await
    }

    /// Follows a session in a dialect from a cursor on, 0 for its beginning.
    pub fn follow(&self, session: SessionId, dialect: DialectName, after: u64) -> Follow {
        Follow::new(self.transport.clone(), session, dialect, after)
    }
}

/// Returns a new idempotency key.
fn random_key() -> String {
    SessionId::random().to_string()
}
