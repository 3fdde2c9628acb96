//! Who wrote a prompt.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::unknown::Unknown;

/// Who wrote a prompt. Told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "kind")]
#[non_exhaustive]
pub enum MessageOrigin {
    /// A person.
    Human {
        /// What no field holds.
        extra: Extra,
    },
    /// An MCP server that forwards messages from elsewhere.
    Channel {
        /// The server.
        server: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// Another session.
    Peer(Box<PeerOrigin>),
    /// A task that ended or reported.
    #[wire(name = "task-notification", rename_all = "camelCase")]
    TaskNotification {
        /// What kind of task.
        subkind: Option<TaskNotificationKind>,
        /// Why a scheduled task ran.
        fire_reason: Option<String>,
        /// Which run of the task.
        run_id: Option<Str>,
        /// What reported, such as `session-task`.
        producer: Option<Str>,
        /// What no field holds.
        extra: Extra,
    },
    /// The coordinator of a team.
    Coordinator {
        /// What no field holds.
        extra: Extra,
    },
    /// Nobody knows.
    Unclassified {
        /// What no field holds.
        extra: Extra,
    },
    /// A task that watches the session.
    #[wire(rename_all = "camelCase")]
    Observer {
        /// Its name.
        from: Str,
        /// The task.
        sender_task_id: Str,
        /// What no field holds.
        extra: Extra,
    },
    /// The CLI, to go on by itself.
    #[wire(name = "auto-continuation")]
    AutoContinuation {
        /// What no field holds.
        extra: Extra,
    },
    /// What a watching task did.
    #[wire(name = "observer-activity")]
    ObserverActivity {
        /// What no field holds.
        extra: Extra,
    },
    /// A kind that is new to this library.
    Unknown(Unknown),
}

/// Another session that wrote a prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct PeerOrigin {
    /// By which it can be answered.
    pub from: Str,
    /// Whether the other session asks before it acts.
    pub from_mode: Option<PeerMode>,
    /// Its name for people.
    pub name: Option<String>,
    /// Its session.
    pub from_session: Option<Str>,
    /// The task that sent it.
    pub sender_task_id: Option<Str>,
    /// What it wrote, without the frame around it.
    pub body: Option<String>,
    /// Its process, when that could be verified.
    pub verified_peer_pid: Option<u64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether another session asks before it acts.
    pub enum PeerMode {
        /// It does not.
        Bypass = "bypass",
        /// It does.
        Prompting = "prompting",
    }
}

open_enum! {
    /// What kind of task reported.
    pub enum TaskNotificationKind {
        /// One that runs at set times.
        ScheduledTrigger = "scheduled-trigger",
        /// A message from another session.
        PeerSendMessage = "peer-send-message",
        /// A message that came through a project.
        ProjectsRelay = "projects-relay",
        /// A message in the session's inbox.
        SessionInbox = "session-inbox",
    }
}

impl MessageOrigin {
    /// A person wrote it.
    pub fn human() -> Self {
        Self::Human {
            extra: Extra::new(),
        }
    }
}
