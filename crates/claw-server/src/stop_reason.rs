//! Why a turn ended.

use crate::open_enum::open_enum;

open_enum! {
    /// Why a turn ended, in [`UiMessage::Complete`](crate::UiMessage::Complete).
    ///
    /// The first four are documented for every server. The others distinguish turns that end
    /// without text.
    ///
    /// ```
    /// use claw_server::StopReason;
    ///
    /// assert_eq!(serde_json::to_string(&StopReason::EndTurn)?, r#""EndTurn""#);
    /// let newer: StopReason = serde_json::from_str(r#""OutOfCoffee""#)?;
    /// assert_eq!(newer, StopReason::Unknown("OutOfCoffee".to_string()));
    /// assert_eq!(serde_json::to_string(&newer)?, r#""OutOfCoffee""#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum StopReason {
        /// Normal completion.
        EndTurn,
        /// The answer reached the token limit and is truncated.
        MaxTokens,
        /// The answer reached a stop sequence.
        StopSequence,
        /// The model waits for the result of a tool. Never sent in a `Complete`: the CLI runs the
        /// tool and calls the model again within the same turn.
        ///
        /// A hook or a tool can end a turn whose last message calls a tool. The CLI's result then
        /// still has `tool_use`, but no tool runs and no text follows, so that turn ends with
        /// [`StopReason::EndTurn`].
        ToolUse,
        /// The model declined to answer.
        Refusal,
        /// The model paused a long turn, which can be continued.
        PauseTurn,
        /// The turn was stopped.
        Interrupted,
        /// The turn failed; an [`UiMessage::Error`](crate::UiMessage::Error) contains the reason.
        Error,
    }
}
