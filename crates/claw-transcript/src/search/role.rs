//! The kinds of text.

/// The kind of text that a match is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SearchRole {
    /// A prompt.
    User,
    /// The text of a reply.
    Assistant,
    /// The model's thinking.
    Thinking,
    /// The name and the arguments of a tool call.
    ToolCall,
    /// The result of a tool call.
    ToolResult,
    /// Context that the CLI adds to a prompt. Every session has much of it, so it is searched only
    /// on request.
    Attachment,
    /// Notices of the CLI, and messages that it writes in the name of the user.
    System,
    /// The title of a session.
    Title,
    /// A whole line of the file, see [`SearchQuery::raw`](super::SearchQuery::raw).
    Line,
}

impl SearchRole {
    /// All roles that [`SearchQuery::roles`](super::SearchQuery::roles) accepts.
    pub const ALL: &'static [Self] = &[
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::ToolCall,
        Self::ToolResult,
        Self::Attachment,
        Self::System,
        Self::Title,
    ];

    /// Returns its name, such as `tool-call`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool-call",
            Self::ToolResult => "tool-result",
            Self::Attachment => "attachment",
            Self::System => "system",
            Self::Title => "title",
            Self::Line => "line",
        }
    }
}
