//! Authors of prompts.

use rusty_claw_macros::wire_type;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// The author of a prompt. Tagged by `kind`.
#[wire_type(tag = "kind")]
pub enum MessageOrigin {
    /// A person.
    Human {},
    /// An MCP server that forwards messages.
    Channel {
        /// The server's name.
        server: Str,
    },
    /// Another session.
    Peer(Box<PeerOrigin>),
    /// A task that ended or reported.
    #[wire(name = "task-notification", rename_all = "camelCase")]
    TaskNotification {
        /// The kind of task.
        subkind: Option<TaskNotificationKind>,
        /// Why a scheduled task ran.
        fire_reason: Option<String>,
        /// The id of the run.
        run_id: Option<Str>,
        /// The producer of the report, such as `session-task`.
        producer: Option<Str>,
    },
    /// The coordinator of a team.
    Coordinator {},
    /// Unknown.
    Unclassified {},
    /// A task that observes the session.
    #[wire(rename_all = "camelCase")]
    Observer {
        /// Its name.
        from: Str,
        /// The task's id.
        sender_task_id: Str,
    },
    /// The CLI itself, to continue.
    #[wire(name = "auto-continuation")]
    AutoContinuation {},
    /// Activity of an observing task.
    #[wire(name = "observer-activity")]
    ObserverActivity {},
    /// An unrecognized kind.
    Unknown(Unknown),
}

/// Another session that sent a prompt.
#[wire_type(rename_all = "camelCase")]
pub struct PeerOrigin {
    /// The address for replies.
    pub from: Str,
    /// Whether the other session asks for permission.
    pub from_mode: Option<PeerMode>,
    /// The display name.
    pub name: Option<String>,
    /// Its session id.
    pub from_session: Option<Str>,
    /// The id of the task that sent it.
    pub sender_task_id: Option<Str>,
    /// The text, without its envelope.
    pub body: Option<String>,
    /// Its process id, if verified.
    pub verified_peer_pid: Option<u64>,
}

open_enum! {
    /// Whether another session asks for permission.
    pub enum PeerMode {
        /// It does not ask.
        Bypass = "bypass",
        /// It asks.
        Prompting = "prompting",
    }
}

open_enum! {
    /// The kind of task that reported.
    pub enum TaskNotificationKind {
        /// A scheduled task.
        ScheduledTrigger = "scheduled-trigger",
        /// A message from another session.
        PeerSendMessage = "peer-send-message",
        /// A message relayed by a project.
        ProjectsRelay = "projects-relay",
        /// A message in the session's inbox.
        SessionInbox = "session-inbox",
    }
}

impl MessageOrigin {
    /// Returns a human origin.
    pub fn human() -> Self {
        Self::Human {
            extra: Extra::new(),
        }
    }
}
