//! MCP servers that ask the user.
//!
//! A server may need something in the middle of a call: a value, a choice, a visit to a page. The
//! CLI passes it on, and an [`ElicitationHandler`] answers. Without one, every such question is
//! declined.
//!
//! ```
//! use rusty_claw::elicitation::{ElicitationAnswer, ElicitationAsk, ElicitationKind};
//! use rusty_claw::Json;
//!
//! async fn ask_the_user(ask: ElicitationAsk) -> ElicitationAnswer {
//!     match ask.kind() {
//!         ElicitationKind::Form { schema, .. } => {
//!             println!("{} asks: {} ({schema:?})", ask.server_name(), ask.message());
//!             ElicitationAnswer::accept(Json::from_value(&serde_json::json!({"name": "Ada"})))
//!         }
//!         ElicitationKind::Url { url, .. } => {
//!             println!("please visit {url}");
//!             ElicitationAnswer::accept_visit()
//!         }
//!         _ => ElicitationAnswer::decline(),
//!     }
//! }
//! ```

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::control::{self, Elicitation, ElicitationMode};
use rusty_claw_protocol::{Extra, Json, Str};
use tokio_util::sync::CancellationToken;

use crate::future::BoxFuture;

/// Answers MCP servers in the place of the user, or by asking one.
///
/// Every async closure or function from [`ElicitationAsk`] to [`ElicitationAnswer`] is one. A
/// future that panics declines, and so does one that is not done within
/// [`Options::elicitation_timeout`](crate::Options::elicitation_timeout). The future is dropped
/// when nobody waits for its answer any more.
pub trait ElicitationHandler: Send + Sync + 'static {
    /// Answers one server.
    ///
    /// Dropping the future means that nobody wants the answer any more.
    fn answer(&self, ask: ElicitationAsk) -> BoxFuture<'static, ElicitationAnswer>;
}

impl<F, Fut> ElicitationHandler for F
where
    F: Fn(ElicitationAsk) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<ElicitationAnswer>,
{
    fn answer(&self, ask: ElicitationAsk) -> BoxFuture<'static, ElicitationAnswer> {
        let answer = self(ask);
        Box::pin(async move { answer.await.into() })
    }
}

impl ElicitationHandler for Arc<dyn ElicitationHandler> {
    fn answer(&self, ask: ElicitationAsk) -> BoxFuture<'static, ElicitationAnswer> {
        self.as_ref().answer(ask)
    }
}

/// An MCP server asks the user.
#[derive(Clone)]
pub struct ElicitationAsk {
    request: Box<Elicitation>,
    order: u64,
    cancelled: CancellationToken,
}

/// How a server asks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationKind {
    /// With a form: answer with [`ElicitationAnswer::accept`].
    Form {
        /// JSON Schema of what is asked for; the server's own.
        schema: Option<Json>,
        /// Its fields in the server's order.
        order: Vec<Str>,
    },
    /// With a page to visit: answer with [`ElicitationAnswer::accept_visit`] once the user has
    /// agreed to go there. The server learns the rest from the page.
    Url {
        /// The page. It comes from the server: show it before it is opened.
        url: String,
        /// By which the server tells that the page is done.
        id: Option<Str>,
    },
    /// In a way that is new to this library.
    Unknown,
}

impl ElicitationAsk {
    /// A question, as the CLI puts it: for tests of handlers.
    pub fn new(request: Elicitation) -> Self {
        Self::asked(Box::new(request), 0, CancellationToken::new())
    }

    pub(crate) fn asked(
        request: Box<Elicitation>,
        order: u64,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            request,
            order,
            cancelled,
        }
    }

    /// The server.
    pub fn server_name(&self) -> &str {
        &self.request.mcp_server_name
    }

    /// The server's name for people; its plain name when it has none.
    pub fn display_name(&self) -> &str {
        self.request
            .display_name
            .as_deref()
            .unwrap_or(self.server_name())
    }

    /// What it says.
    pub fn message(&self) -> &str {
        &self.request.message
    }

    /// A heading.
    pub fn title(&self) -> Option<&str> {
        self.request.title.as_deref()
    }

    /// What it is about.
    pub fn description(&self) -> Option<&str> {
        self.request.description.as_deref()
    }

    /// How it asks.
    pub fn kind(&self) -> ElicitationKind {
        match (&self.request.mode, &self.request.url) {
            // MCP means a form when nothing is said.
            (None | Some(ElicitationMode::Form), _) => ElicitationKind::Form {
                schema: self.request.requested_schema.clone(),
                order: self.request.property_order.clone().unwrap_or_default(),
            },
            (Some(ElicitationMode::Url), Some(url)) => ElicitationKind::Url {
                url: url.clone(),
                id: self.request.elicitation_id.clone(),
            },
            _ => ElicitationKind::Unknown,
        }
    }

    /// Everything that the CLI said.
    pub fn request(&self) -> &Elicitation {
        &self.request
    }

    /// Which question of the session this is, counted over all that the CLI asks, in the order in
    /// which it asked. Callbacks run beside each other: one that was asked later may be called
    /// first.
    pub fn order(&self) -> u64 {
        self.order
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until nobody waits for the answer any more.
    ///
    /// Dropping the future loses nothing.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}

impl fmt::Debug for ElicitationAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElicitationAsk")
            .field("server_name", &self.request.mcp_server_name)
            .finish_non_exhaustive()
    }
}

/// What the user says to an MCP server.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct ElicitationAnswer(control::ElicitationAnswer);

impl ElicitationAnswer {
    /// The form as it was filled in, an object; it reaches the server unchanged.
    pub fn accept(content: Json) -> Self {
        Self(control::ElicitationAnswer::accept(content))
    }

    /// The user goes to the page.
    pub fn accept_visit() -> Self {
        Self(control::ElicitationAnswer::Accept {
            content: None,
            extra: Extra::new(),
        })
    }

    /// No.
    pub fn decline() -> Self {
        Self(control::ElicitationAnswer::decline())
    }

    /// Neither yes nor no: the user closed the form.
    pub fn cancel() -> Self {
        Self(control::ElicitationAnswer::cancel())
    }

    /// What is sent: only what the CLI understands, and a decline in place of anything else.
    pub(crate) fn into_sendable(self) -> control::ElicitationAnswer {
        match self.0 {
            control::ElicitationAnswer::Accept {
                content: Some(content),
                ..
            } if !content.is_object() => control::ElicitationAnswer::decline(),
            control::ElicitationAnswer::Unknown(_) => control::ElicitationAnswer::decline(),
            answer => answer,
        }
    }
}

impl From<control::ElicitationAnswer> for ElicitationAnswer {
    fn from(answer: control::ElicitationAnswer) -> Self {
        Self(answer)
    }
}

/// A handler that fails declines.
impl<E: fmt::Display> From<Result<ElicitationAnswer, E>> for ElicitationAnswer {
    fn from(result: Result<ElicitationAnswer, E>) -> Self {
        result.unwrap_or_else(|_| {
            // What it says is the program's own, and perhaps secret.
            tracing::warn!("an elicitation handler failed and declines");
            Self::decline()
        })
    }
}

// What a user typed into a form may be a secret.
impl fmt::Debug for ElicitationAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ElicitationAnswer")
            .field(&self.0.tag())
            .finish()
    }
}
