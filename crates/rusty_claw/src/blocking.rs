//! The blocking API, without `async`, for scripts.
//!
//! A runtime in the background runs the session, and these functions block until it is done. Inside
//! an async runtime, which they would block, they return an error.
//!
//! ```no_run
//! use rusty_claw::{Options, blocking};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let answer = blocking::query("What is 2 + 2?", Options::new())?.text()?;
//! println!("{answer}");
//!
//! let session = blocking::Session::start(Options::new())?;
//! println!("{}", session.ask("My name is Ada.")?.into_text()?);
//! println!("{}", session.ask("What is my name?")?.into_text()?);
//! session.close()?;
//! # Ok(())
//! # }
//! ```

mod background;

use std::sync::Arc;

use rusty_claw_protocol::Received;
use rusty_claw_protocol::control::InterruptResponse;

use self::background::{Background, InAsync};
use crate::error::{SessionError, StartError};
use crate::options::Options;
use crate::prompt::Prompt;
use crate::session::{CloseReport, NotAnswered, SessionEnd, Turn, TurnEvent, TurnOutcome};
use crate::stream::MessageStream;
use crate::transport::Transport;

/// Runs one prompt in a session of its own.
///
/// # Errors
/// The session does not start, or this is called inside an async runtime.
pub fn query(prompt: impl Into<Prompt>, options: Options) -> Result<Query, StartError> {
    let background = Background::start()?;
    let query = background
        .wait(crate::query(prompt, options))
        .map_err(InAsync::at_start)??;
    Ok(Query {
        query: Some(query),
        background,
    })
}

/// A running prompt: an iterator over messages that ends when the prompt is answered.
///
/// Dropping it closes the session and waits until it has ended.
#[derive(Debug)]
pub struct Query {
    /// `Some` until [`Query::outcome`] takes it.
    query: Option<crate::Query>,
    background: Background,
}

impl Query {
    /// Reads to the end, closes the session and returns the outcome of the prompt.
    ///
    /// # Errors
    /// This is called inside an async runtime.
    pub fn outcome(mut self) -> Result<TurnOutcome, SessionError> {
        let query = self.query.take();
        let outcome = async move {
            match query {
                Some(query) => query.outcome().await,
                None => TurnOutcome::Detached,
            }
        };
        self.background.wait(outcome).map_err(InAsync::later)
    }

    /// Reads to the end, closes the session and returns the final text.
    ///
    /// # Errors
    /// The prompt was not answered, or this is called inside an async runtime.
    pub fn text(self) -> Result<String, NotAnswered> {
        let outcome = self.outcome().unwrap_or_else(|error| {
            // The query was dropped, so its actual outcome is lost.
            TurnOutcome::ProcessLost(Arc::new(SessionEnd::unknown(&error.to_string())))
        });
        outcome.into_text()
    }
}

impl Iterator for Query {
    type Item = Result<Box<Received>, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.background.wait(self.query.as_mut()?.next()) {
            Ok(next) => next,
            Err(refused) => Some(Err(refused.later())),
        }
    }
}

/// A running conversation with Claude Code.
///
/// Dropping it closes the session and waits until it has ended.
#[derive(Debug)]
pub struct Session {
    session: crate::Session,
    messages: MessageStream,
    background: Background,
}

impl Session {
    /// Starts Claude Code and waits until it is ready.
    ///
    /// # Errors
    /// The session does not start, or this is called inside an async runtime.
    pub fn start(options: Options) -> Result<Self, StartError> {
        let background = Background::start()?;
        let (session, messages) = background
            .wait(crate::Session::start(options))
            .map_err(InAsync::at_start)??;
        Ok(Self {
            session,
            messages,
            background,
        })
    }

    /// Starts a session on a custom transport.
    ///
    /// # Errors
    /// The session does not start, or this is called inside an async runtime.
    pub fn start_on(transport: impl Transport, options: Options) -> Result<Self, StartError> {
        let background = Background::start()?;
        let (session, messages) = background
            .wait(crate::Session::start_on(transport, options))
            .map_err(InAsync::at_start)??;
        Ok(Self {
            session,
            messages,
            background,
        })
    }

    /// Sends a prompt. Read messages with [`Session::next`], or wait with [`Session::outcome`].
    ///
    /// # Errors
    /// The session is over, or this is called inside an async runtime.
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<Turn, SessionError> {
        self.wait(self.session.send(prompt))?
    }

    /// Returns the next message, or `None` at the end. Blocks even if no prompt was sent.
    ///
    /// # Errors
    /// This is called inside an async runtime.
    #[expect(
        clippy::should_implement_trait,
        reason = "the end of the messages is not the end of the session's use"
    )]
    pub fn next(&mut self) -> Result<Option<Box<Received>>, SessionError> {
        let next = self.messages.next_message();
        self.background.wait(next).map_err(InAsync::later)
    }

    /// Waits for the outcome of a prompt. Messages that arrive meanwhile can be read later.
    ///
    /// # Errors
    /// This is called inside an async runtime.
    pub fn outcome(&self, turn: Turn) -> Result<TurnOutcome, SessionError> {
        self.wait(turn.outcome())
    }

    /// Sends a prompt and waits for its outcome. [`TurnOutcome::into_text`] returns the answer.
    ///
    /// # Errors
    /// The session is over, or this is called inside an async runtime.
    pub fn ask(&self, prompt: impl Into<Prompt>) -> Result<TurnOutcome, SessionError> {
        let turn = self.send(prompt)?;
        self.outcome(turn)
    }

    /// Sends a prompt and returns the messages of its turn, followed by the outcome.
    ///
    /// ```no_run
    /// # fn example(session: rusty_claw::blocking::Session) -> Result<(), rusty_claw::SessionError> {
    /// let mut turn = session.chat("What is in this folder?")?;
    /// while let Some(received) = turn.next_message()? {
    ///     println!("{}", received.message.message_type());
    /// }
    /// println!("{}", turn.outcome()?);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The session is over, or this is called inside an async runtime.
    pub fn chat(&self, prompt: impl Into<Prompt>) -> Result<TurnStream<'_>, SessionError> {
        Ok(TurnStream {
            stream: self.wait(self.session.chat(prompt))??,
            session: self,
        })
    }

    /// Stops the running turn. To interrupt from another thread, use [`Session::handle`].
    ///
    /// # Errors
    /// The session is over, the CLI does not answer, or this is called inside an async runtime.
    pub fn interrupt(&self) -> Result<InterruptResponse, SessionError> {
        self.wait(self.session.interrupt())?
    }

    /// The async session, for all other methods. Use it with [`Session::wait`].
    pub fn handle(&self) -> &crate::Session {
        &self.session
    }

    /// Blocks on any future of this crate.
    ///
    /// ```no_run
    /// # fn example(session: rusty_claw::blocking::Session) -> Result<(), rusty_claw::SessionError> {
    /// session.wait(session.handle().set_model(Some("opus")))??;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// This is called inside an async runtime.
    pub fn wait<F: Future>(&self, future: F) -> Result<F::Output, SessionError> {
        self.background.wait(future).map_err(InAsync::later)
    }

    /// Ends the session and reports how it ended.
    ///
    /// # Errors
    /// This is called inside an async runtime; the process is then killed without a graceful
    /// shutdown.
    pub fn close(self) -> Result<CloseReport, SessionError> {
        self.wait(self.session.close())
    }
}

/// The messages of one turn, in order, and then its outcome: an iterator over
/// [`TurnEvent`]s. See [`TurnStream`](crate::TurnStream).
#[derive(Debug)]
pub struct TurnStream<'a> {
    stream: crate::TurnStream,
    session: &'a Session,
}

impl TurnStream<'_> {
    /// Returns the next message, or `None` at the end of the turn.
    ///
    /// # Errors
    /// This is called inside an async runtime.
    pub fn next_message(&mut self) -> Result<Option<Box<Received>>, SessionError> {
        self.session.wait(self.stream.next_message())
    }

    /// Waits for the outcome. Unread messages are discarded.
    ///
    /// # Errors
    /// This is called inside an async runtime.
    pub fn outcome(self) -> Result<TurnOutcome, SessionError> {
        self.session.wait(self.stream.outcome())
    }
}

impl Iterator for TurnStream<'_> {
    type Item = Result<TurnEvent, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.session.wait(self.stream.next()).transpose()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Completes the session file. Returns at once if the session has already ended.
        let _ = self.background.wait(self.session.close());
    }
}

impl Drop for Query {
    fn drop(&mut self) {
        if let Some(query) = &self.query {
            let _ = self.background.wait(query.session().close());
        }
    }
}
