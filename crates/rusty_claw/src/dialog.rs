//! Dialogs that the CLI requests the program to show.
//!
//! The CLI requests only the kinds that the program declares. One kind is known:
//! [`RefusalFallbackPrompt`], which asks whether to retry with another model after a refusal.
//!
//! ```
//! use rusty_claw::dialog::{Dialog, DialogAnswer, DialogAsk};
//!
//! async fn let_another_model_try(ask: DialogAsk) -> DialogAnswer {
//!     match ask.dialog() {
//!         Dialog::RefusalFallback(prompt) => {
//!             println!("{} refused, {} takes over", prompt.original_model, prompt.fallback_model);
//!             DialogAnswer::retry_with_fallback()
//!         }
//!         _ => DialogAnswer::cancelled(),
//!     }
//! }
//! ```

use std::fmt;
use std::sync::Arc;

use rusty_claw_protocol::control::{self, RequestUserDialog};
use rusty_claw_protocol::{Json, Str};
use tokio_util::sync::CancellationToken;

use crate::future::BoxFuture;

pub use rusty_claw_protocol::control::RefusalFallbackPrompt;

/// The kind of [`RefusalFallbackPrompt`], for the list of kinds that a program declares.
pub const REFUSAL_FALLBACK_PROMPT: &str = "refusal_fallback_prompt";

/// Shows dialogs.
///
/// Implemented for every async closure or function from [`DialogAsk`] to [`DialogAnswer`]. If the
/// future panics, or does not complete within
/// [`Options::dialog_timeout`](crate::Options::dialog_timeout), the dialog is closed unanswered.
/// The future is dropped when its answer is no longer needed.
pub trait DialogHandler: Send + Sync + 'static {
    /// Shows one dialog.
    ///
    /// The future is dropped when its answer is no longer needed.
    fn show(&self, ask: DialogAsk) -> BoxFuture<'static, DialogAnswer>;
}

impl<F, Fut> DialogHandler for F
where
    F: Fn(DialogAsk) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<DialogAnswer>,
{
    fn show(&self, ask: DialogAsk) -> BoxFuture<'static, DialogAnswer> {
        let answer = self(ask);
        Box::pin(async move { answer.await.into() })
    }
}

impl DialogHandler for Arc<dyn DialogHandler> {
    fn show(&self, ask: DialogAsk) -> BoxFuture<'static, DialogAnswer> {
        self.as_ref().show(ask)
    }
}

/// A dialog to show.
#[derive(Clone)]
pub struct DialogAsk {
    pub(crate) request: RequestUserDialog,
    pub(crate) order: u64,
    pub(crate) cancelled: CancellationToken,
}

/// What a dialog shows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Dialog {
    /// The model refused: retry with another one? Answer with [`DialogAnswer::retry_with_fallback`]
    /// or [`DialogAnswer::cancelled`].
    RefusalFallback(RefusalFallbackPrompt),
    /// An unrecognized dialog: see [`DialogAsk::payload`].
    Unknown,
}

impl DialogAsk {
    /// Creates a dialog as the CLI requests it, for testing handlers.
    pub fn new(request: RequestUserDialog) -> Self {
        Self {
            request,
            order: 0,
            cancelled: CancellationToken::new(),
        }
    }

    /// The name of the kind on the wire.
    pub fn kind(&self) -> &str {
        &self.request.dialog_kind
    }

    /// The content of the dialog.
    pub fn dialog(&self) -> Dialog {
        if self.kind() == REFUSAL_FALLBACK_PROMPT
            && let Some(prompt) = self.request.payload.view::<RefusalFallbackPrompt>()
        {
            return Dialog::RefusalFallback(prompt);
        }
        Dialog::Unknown
    }

    /// The raw payload. Its shape depends on the kind.
    pub fn payload(&self) -> &Json {
        &self.request.payload
    }

    /// The complete request of the CLI.
    pub fn request(&self) -> &RequestUserDialog {
        &self.request
    }

    /// The tool call that the dialog is about.
    pub fn tool_use_id(&self) -> Option<&Str> {
        self.request.tool_use_id.as_ref()
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

debug_fields!(DialogAsk, |ask| kind: ask.request.dialog_kind);

/// The answer to a dialog.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct DialogAnswer(control::DialogAnswer);

impl DialogAnswer {
    /// The user made a choice. The shape of `result` depends on the kind.
    pub fn completed(result: Json) -> Self {
        Self(control::DialogAnswer::completed(result))
    }

    /// For [`RefusalFallbackPrompt`]: retries with the fallback model.
    pub fn retry_with_fallback() -> Self {
        Self::completed(Json::from_text_value("retry_fallback"))
    }

    /// The user closed the dialog.
    pub fn cancelled() -> Self {
        Self(control::DialogAnswer::cancelled())
    }

    /// Converts to the wire type. An unrecognized answer becomes `cancelled`.
    pub(crate) fn into_sendable(self) -> control::DialogAnswer {
        match self.0 {
            control::DialogAnswer::Unknown(_) => control::DialogAnswer::cancelled(),
            answer => answer,
        }
    }
}

impl From<control::DialogAnswer> for DialogAnswer {
    fn from(answer: control::DialogAnswer) -> Self {
        Self(answer)
    }
}

/// An error closes the dialog unanswered.
impl<E: fmt::Display> From<Result<DialogAnswer, E>> for DialogAnswer {
    fn from(result: Result<DialogAnswer, E>) -> Self {
        result.unwrap_or_else(|_| {
            // The error text may be secret, so it is not logged.
            tracing::warn!("a dialog handler failed and closes the dialog");
            Self::cancelled()
        })
    }
}

impl fmt::Debug for DialogAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DialogAnswer").field(&self.0.tag()).finish()
    }
}
