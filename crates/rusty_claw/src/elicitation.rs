//! Requests of MCP servers for user input.
//!
//! A server may need input during a call: a value, a choice, a visit to a page. The CLI forwards
//! the request, and an [`ElicitationHandler`] answers. Without one, every request is declined.
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

/// Answers MCP servers on behalf of the user.
///
/// Implemented for every async closure or function from [`ElicitationAsk`] to
/// [`ElicitationAnswer`]. If the future panics, or does not complete within
/// [`Options::elicitation_timeout`](crate::Options::elicitation_timeout), the request is declined.
/// The future is dropped when its answer is no longer needed.
pub trait ElicitationHandler: Send + Sync + 'static {
    /// Answers one request.
    ///
    /// The future is dropped when its answer is no longer needed.
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

/// A request of an MCP server for user input.
#[derive(Clone)]
pub struct ElicitationAsk {
    pub(crate) request: Box<Elicitation>,
    pub(crate) order: u64,
    pub(crate) cancelled: CancellationToken,
}

/// The kind of input that a server requests.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitationKind {
    /// A form: answer with [`ElicitationAnswer::accept`].
    Form {
        /// The JSON Schema of the requested content, as sent by the server.
        schema: Option<Json>,
        /// The names of the fields in the server's order.
        order: Vec<Str>,
    },
    /// A page to visit: answer with [`ElicitationAnswer::accept_visit`] once the user has agreed to
    /// open it. The server learns the result from the page.
    Url {
        /// The address. It comes from the server: show it to the user before opening it.
        url: String,
        /// The id with which the server reports that the visit is complete.
        id: Option<Str>,
    },
    /// An unrecognized kind.
    Unknown,
}

impl ElicitationAsk {
    /// Creates a request as the CLI sends it, for testing handlers.
    pub fn new(request: Elicitation) -> Self {
        Self {
            request: Box::new(request),
            order: 0,
            cancelled: CancellationToken::new(),
        }
    }

    /// The name of the server.
    pub fn server_name(&self) -> &str {
        &self.request.mcp_server_name
    }

    /// The display name of the server, or its plain name if it has none.
    pub fn display_name(&self) -> &str {
        self.request
            .display_name
            .as_deref()
            .unwrap_or(self.server_name())
    }

    /// The message to show to the user.
    pub fn message(&self) -> &str {
        &self.request.message
    }

    /// A title for the message.
    pub fn title(&self) -> Option<&str> {
        self.request.title.as_deref()
    }

    /// A description of the request.
    pub fn description(&self) -> Option<&str> {
        self.request.description.as_deref()
    }

    /// The kind of input that is requested.
    pub fn kind(&self) -> ElicitationKind {
        match (&self.request.mode, &self.request.url) {
            // The default in MCP is a form.
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

    /// The complete request of the CLI.
    pub fn request(&self) -> &Elicitation {
        &self.request
    }

    /// The position of this request among all requests of the CLI in this session. Callbacks run
    /// concurrently: a later request may be handled first.
    pub fn order(&self) -> u64 {
        self.order
    }

    /// Returns whether the answer is no longer needed.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// Waits until the answer is no longer needed.
    ///
    /// This method is cancel safe.
    pub async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }
}

debug_fields!(ElicitationAsk, |ask| server_name: ask.request.mcp_server_name);

/// The answer to an MCP server.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct ElicitationAnswer(control::ElicitationAnswer);

impl ElicitationAnswer {
    /// Accepts with the content of the form. It must be an object and is sent unchanged.
    pub fn accept(content: Json) -> Self {
        Self(control::ElicitationAnswer::accept(content))
    }

    /// Accepts: the user visits the page.
    pub fn accept_visit() -> Self {
        Self(control::ElicitationAnswer::Accept {
            content: None,
            extra: Extra::new(),
        })
    }

    /// Declines the request.
    pub fn decline() -> Self {
        Self(control::ElicitationAnswer::decline())
    }

    /// Cancels: the user closed the form without a decision.
    pub fn cancel() -> Self {
        Self(control::ElicitationAnswer::cancel())
    }

    /// Converts to the wire type. Unrecognized answers, and content that is not an object, become a
    /// decline.
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

/// An error declines the request.
impl<E: fmt::Display> From<Result<ElicitationAnswer, E>> for ElicitationAnswer {
    fn from(result: Result<ElicitationAnswer, E>) -> Self {
        result.unwrap_or_else(|_| {
            // The error text may be secret, so it is not logged.
            tracing::warn!("an elicitation handler failed and declines");
            Self::decline()
        })
    }
}

// The content of a form may be secret.
impl fmt::Debug for ElicitationAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ElicitationAnswer")
            .field(&self.0.tag())
            .finish()
    }
}
