//! The text of an answer while it is written.

mod assembler;
mod surrogate;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use rusty_claw_protocol::{Line, Received};

use crate::error::SessionError;
use crate::query::Query;
use crate::session::{TurnEvent, TurnStream};
use crate::stream::MessageStream;

pub use self::assembler::{TextAssembler, TextPiece};

/// A source of messages for a [`TextStream`]: a [`Query`], a [`TurnStream`] or a [`MessageStream`],
/// owned or borrowed.
pub trait TextSource: Stream + Unpin + sealed::Sealed {
    /// The message in an item, if there is one.
    #[doc(hidden)]
    fn received(item: Self::Item) -> Result<Option<Box<Received>>, SessionError>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::stream::MessageStream {}
    impl Sealed for crate::query::Query {}
    impl Sealed for crate::session::TurnStream {}
    impl<S: Sealed> Sealed for &mut S {}
}

impl TextSource for MessageStream {
    fn received(item: Line) -> Result<Option<Box<Received>>, SessionError> {
        match item {
            Line::Message(received) => Ok(Some(received)),
            _ => Ok(None),
        }
    }
}

impl TextSource for Query {
    fn received(
        item: Result<Box<Received>, SessionError>,
    ) -> Result<Option<Box<Received>>, SessionError> {
        item.map(Some)
    }
}

impl TextSource for TurnStream {
    fn received(item: TurnEvent) -> Result<Option<Box<Received>>, SessionError> {
        match item {
            TurnEvent::Message(received) => Ok(Some(received)),
            TurnEvent::Other(_) => Ok(None),
            TurnEvent::Outcome(outcome) => outcome.cut_off().map_or(Ok(None), Err),
        }
    }
}

impl<S: TextSource> TextSource for &mut S {
    fn received(item: Self::Item) -> Result<Option<Box<Received>>, SessionError> {
        S::received(item)
    }
}

/// Only the text of the answers: in deltas with
/// [`Options::include_partial_messages`](crate::Options::include_partial_messages), in blocks
/// without. No text is repeated.
///
/// ```no_run
/// use rusty_claw::{Options, TextPiece, query};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let options = Options::new().include_partial_messages(true);
/// let mut pieces = query("Tell me a story.", options).await?.text_stream();
/// while let Some(piece) = pieces.next().await {
///     if let TextPiece::Text { text, .. } = piece? {
///         print!("{text}");
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// It ends when its source ends. To read text and other messages, use a [`TextAssembler`] in your
/// own loop.
#[derive(Debug)]
pub struct TextStream<S> {
    source: S,
    assembler: TextAssembler,
    ready: VecDeque<TextPiece>,
}

impl<S: TextSource> TextStream<S> {
    /// Creates a stream of the text in a source's messages.
    pub fn new(source: S) -> Self {
        Self {
            source,
            assembler: TextAssembler::new(),
            ready: VecDeque::new(),
        }
    }

    /// Also yields the text of subagents. The CLI prints it only with
    /// [`Options::forward_subagent_text`](crate::Options::forward_subagent_text).
    #[must_use]
    pub fn with_subagents(mut self) -> Self {
        self.assembler = self.assembler.with_subagents();
        self
    }

    /// The source of the messages, for example for the session of a [`Query`].
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Returns the source. Messages that were already read are not repeated.
    pub fn into_source(self) -> S {
        self.source
    }

    /// Returns the next piece, or `None` at the end. Errors come from the source: the process was
    /// lost or a time limit was reached.
    ///
    /// This method is cancel safe: dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<TextPiece, SessionError>> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<S: TextSource> Stream for TextStream<S> {
    type Item = Result<TextPiece, SessionError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(piece)));
            }
            let Some(item) = ready!(Pin::new(&mut self.source).poll_next(cx)) else {
                return Poll::Ready(None);
            };
            match S::received(item) {
                Ok(Some(received)) => {
                    let pieces = self.assembler.feed(&received);
                    self.ready.extend(pieces);
                }
                Ok(None) => {}
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

impl MessageStream {
    /// Returns only the text of the answers. To read messages later, borrow the stream:
    /// `TextStream::new(&mut messages)`.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl TurnStream {
    /// Returns only the text of the answer, as it is written. The last item is an error if the
    /// process was lost or a time limit was reached. To read the outcome afterwards, borrow the
    /// stream: `TextStream::new(&mut turn)`.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}

impl Query {
    /// Returns only the text of the answer, as it is written.
    pub fn text_stream(self) -> TextStream<Self> {
        TextStream::new(self)
    }
}
