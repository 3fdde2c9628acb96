//! Dialogs that the CLI asks a program to show.
//!
//! The CLI asks only for the kinds that the program says it can show. The one that is known is
//! [`RefusalFallbackPrompt`]: the model refused, shall another one try?
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

/// The kind of [`RefusalFallbackPrompt`], for the list of kinds that a program can show.
pub const REFUSAL_FALLBACK_PROMPT: &str = "refusal_fallback_prompt";

/// Shows dialogs.
///
/// Every async closure or function from [`DialogAsk`] to [`DialogAnswer`] is one. A future that
/// panics closes the dialog unanswered, and so does one that is not done within
/// [`Options::dialog_timeout`](crate::Options::dialog_timeout). The future is dropped when nobody
/// waits for its answer any more.
pub trait DialogHandler: Send + Sync + 'static {
    /// Shows one dialog.
    ///
    /// Dropping the future means that nobody wants the answer any more.
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
    request: RequestUserDialog,
    order: u64,
    cancelled: CancellationToken,
}

/// What a dialog shows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Dialog {
    /// The model refused; shall another one try? Answer with
    /// [`DialogAnswer::retry_with_fallback`] or [`DialogAnswer::cancelled`].
    RefusalFallback(RefusalFallbackPrompt),
    /// A dialog that is new to this library: see [`DialogAsk::payload`].
    Unknown,
}

impl DialogAsk {
    /// A dialog, as the CLI asks for it: for tests of handlers.
    pub fn new(request: RequestUserDialog) -> Self {
        Self::asked(request, 0, CancellationToken::new())
    }

    pub(crate) fn asked(
        request: RequestUserDialog,
        order: u64,
        cancelled: CancellationToken,
    ) -> Self {
        Self {
            request,
            order,
            cancelled,
        }
    }

    /// The kind, by its name on the wire.
    pub fn kind(&self) -> &str {
        &self.request.dialog_kind
    }

    /// What the dialog shows.
    pub fn dialog(&self) -> Dialog {
        if self.kind() == REFUSAL_FALLBACK_PROMPT
            && let Some(prompt) = self.request.payload.view::<RefusalFallbackPrompt>()
        {
            return Dialog::RefusalFallback(prompt);
        }
        Dialog::Unknown
    }

    /// The same as it came; its shape depends on the kind.
    pub fn payload(&self) -> &Json {
        &self.request.payload
    }

    /// Everything that the CLI said.
    pub fn request(&self) -> &RequestUserDialog {
        &self.request
    }

    /// The tool call that the dialog is about.
    pub fn tool_use_id(&self) -> Option<&Str> {
        self.request.tool_use_id.as_ref()
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

impl fmt::Debug for DialogAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialogAsk")
            .field("kind", &self.request.dialog_kind)
            .finish_non_exhaustive()
    }
}

/// What came of a dialog.
#[derive(Clone, PartialEq)]
#[must_use = "an answer that is not returned answers nothing"]
pub struct DialogAnswer(control::DialogAnswer);

impl DialogAnswer {
    /// The user chose; what they chose has the shape that the kind asks for.
    pub fn completed(result: Json) -> Self {
        Self(control::DialogAnswer::completed(result))
    }

    /// For [`RefusalFallbackPrompt`]: the other model tries.
    pub fn retry_with_fallback() -> Self {
        Self::completed(Json::from_text_value("retry_fallback"))
    }

    /// The user closed the dialog.
    pub fn cancelled() -> Self {
        Self(control::DialogAnswer::cancelled())
    }

    /// What is sent: only what the CLI understands.
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

/// A handler that fails closes the dialog unanswered.
impl<E: fmt::Display> From<Result<DialogAnswer, E>> for DialogAnswer {
    fn from(result: Result<DialogAnswer, E>) -> Self {
        result.unwrap_or_else(|_| {
            // What it says is the program's own, and perhaps secret.
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
