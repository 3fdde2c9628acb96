//! Why a turn ended.

use crate::open_names::open_names;

open_names! {
    /// Why a turn ended, in [`UiMessage::Complete`](crate::UiMessage::Complete).
    ///
    /// The first four are documented for every server; the others say what an application would
    /// otherwise have to guess from a turn that ends without text.
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
        /// The answer reached the limit of tokens and is cut off.
        MaxTokens,
        /// The answer reached a sequence at which it was told to stop.
        StopSequence,
        /// The model waits for the result of a tool. Never in a `Complete`: the CLI runs the tool
        /// and asks the model again within the same turn, so a pause for a tool ends nothing.
        ///
        /// A turn can be over although the model's last message called a tool, because a hook or
        /// a tool ended it. The CLI's result then still says `tool_use`, but no tool runs and no
        /// more text follows, so that turn ends with [`StopReason::EndTurn`].
        ToolUse,
        /// The model declined to answer.
        Refusal,
        /// The model paused a long turn, which can be continued.
        PauseTurn,
        /// Somebody stopped the turn.
        Interrupted,
        /// The turn failed; an [`UiMessage::Error`](crate::UiMessage::Error) says how.
        Error,
    }
}
