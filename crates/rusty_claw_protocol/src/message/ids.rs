//! Session id and own id of messages.

use crate::message::{Message, ResultMessage, SystemMessage};
use crate::text::Str;

/// The session id and the own id of a message.
struct Ids<'a> {
    session_id: Option<&'a str>,
    uuid: Option<&'a str>,
}

impl<'a> Ids<'a> {
    const NONE: Self = Self {
        session_id: None,
        uuid: None,
    };

    fn of(session_id: &'a impl Id, uuid: &'a impl Id) -> Self {
        Self {
            session_id: session_id.id(),
            uuid: uuid.id(),
        }
    }
}

/// A required or optional id member.
trait Id {
    /// Returns the id; `None` if the member was missing, which is an empty string if required.
    fn id(&self) -> Option<&str>;
}

impl Id for Str {
    fn id(&self) -> Option<&str> {
        Some(self.as_str()).filter(|id| !id.is_empty())
    }
}

impl Id for Option<Str> {
    fn id(&self) -> Option<&str> {
        self.as_ref().and_then(Id::id)
    }
}

/// The ids of an enum's variants: first those whose payload has `session_id` and `uuid`, then the
/// others, arm by arm.
macro_rules! ids {
    ($message:expr, [$($variant:ident),+ $(,)?], { $($others:tt)+ }) => {
        match $message {
            $(Self::$variant(payload) => Ids::of(&payload.session_id, &payload.uuid),)+
            $($others)+
        }
    };
}

impl Message {
    /// Returns the CLI's id of the message's session. Control frames, mirrored lines and
    /// keep-alives have none.
    pub fn session_id(&self) -> Option<&str> {
        self.ids().session_id
    }

    /// Returns the message's own id.
    pub fn uuid(&self) -> Option<&str> {
        self.ids().uuid
    }

    /// Returns the `subtype`, if messages of this type have one; for a control frame, that of its
    /// payload.
    pub fn subtype(&self) -> Option<&str> {
        let subtype = match self {
            Self::System(system) => system.tag(),
            Self::Result(result) => result.tag(),
            Self::ControlRequest { request, .. } => request.tag(),
            Self::ControlResponse { response, .. } => response.tag(),
            Self::Assistant(assistant) => return assistant.subtype.id(),
            _ => "",
        };
        Some(subtype).filter(|subtype| !subtype.is_empty())
    }

    /// Returns the id of a user message, to which files and conversation can be rewound. `None` for
    /// other messages.
    pub fn user_uuid(&self) -> Option<&str> {
        match self {
            Self::User(user) => user.uuid.id(),
            _ => None,
        }
    }

    fn ids(&self) -> Ids<'_> {
        ids!(self, [
            Assistant, User, StreamEvent, RateLimitEvent, ToolProgress, ToolUseSummary,
            PromptSuggestion, AuthStatus, CommandLifecycle, ConversationReset, ActiveGoal,
            CompactSystem,
        ], {
            Self::System(system) => system.ids(),
            Self::Result(result) => result.ids(),
            Self::Unknown(unknown) => Ids { session_id: unknown.session_id(), uuid: unknown.uuid() },
            Self::ControlRequest { .. }
            | Self::ControlResponse { .. }
            | Self::ControlCancelRequest(_)
            | Self::TranscriptMirror(_)
            | Self::KeepAlive(_)
            | Self::UpdateEnvironmentVariables(_)
            | Self::McpMessage(_) => Ids::NONE,
        })
    }
}

impl SystemMessage {
    /// Returns the CLI's id of the session.
    pub fn session_id(&self) -> Option<&str> {
        self.ids().session_id
    }

    /// Returns the message's own id.
    pub fn uuid(&self) -> Option<&str> {
        self.ids().uuid
    }

    fn ids(&self) -> Ids<'_> {
        ids!(self, [
            Status, ApiRetry, ControlRequestProgress, ModelFallback, ModelRefusalFallback,
            ModelRefusalNoFallback, LocalCommandOutput, HookStarted, HookProgress, HookResponse,
            PluginInstall, TaskStarted, TaskUpdated, TaskProgress, TaskNotification,
            BackgroundTasksChanged, ThinkingTokens, SessionStateChanged, SessionTitleChanged,
            SessionWritesLost, WorkerShuttingDown, CommandsChanged, Notification, Informational,
            FilesPersisted, MemoryRecall, ElicitationComplete, PermissionDenied, MirrorError,
            UiInvalidate, VcsStateChanged, ToolResult, Error, Meta,
        ], {
            Self::Init { session_id, details, .. } => Ids::of(session_id, &details.uuid),
            Self::CompactBoundary { session_id, uuid, .. } => Ids::of(session_id, uuid),
            Self::Unknown(unknown) => Ids { session_id: unknown.session_id(), uuid: unknown.uuid() },
        })
    }
}

impl ResultMessage {
    /// Returns the CLI's id of the session.
    pub fn session_id(&self) -> Option<&str> {
        self.ids().session_id
    }

    /// Returns the message's own id.
    pub fn uuid(&self) -> Option<&str> {
        self.ids().uuid
    }

    fn ids(&self) -> Ids<'_> {
        match self {
            Self::Success {
                session_id,
                details,
                ..
            }
            | Self::Error {
                session_id,
                details,
                ..
            } => Ids::of(session_id, &details.uuid),
            Self::InputRequired { session_id, .. } => Ids {
                session_id: session_id.as_deref(),
                uuid: None,
            },
            Self::Unknown(unknown) => Ids {
                session_id: unknown.session_id(),
                uuid: unknown.uuid(),
            },
        }
    }
}
