//! Task and subagent messages of the CLI.

use rusty_claw_protocol::messages::{Message, SystemMessage, TaskOutcome, TaskUsage};

use crate::ui_message::TaskStatus;

#[derive(Debug)]
pub(super) struct TaskNews<'a> {
    pub(super) task_id: &'a str,
    pub(super) tool_use_id: Option<&'a str>,
    pub(super) status: TaskStatus,
    pub(super) description: &'a str,
    pub(super) subagent_type: Option<&'a str>,
    pub(super) usage: Option<&'a TaskUsage>,
    pub(super) last_tool: Option<&'a str>,
    pub(super) is_end: bool,
}

impl<'a> TaskNews<'a> {
    /// Returns `None` if the message is not about a task, or updates a task without its status.
    pub(super) fn of(message: &'a SystemMessage) -> Option<Self> {
        let news = Self {
            task_id: "",
            tool_use_id: None,
            status: TaskStatus::Running,
            description: "",
            subagent_type: None,
            usage: None,
            last_tool: None,
            is_end: false,
        };
        Some(match message {
            SystemMessage::TaskStarted(task) => Self {
                task_id: &task.task_id,
                tool_use_id: task.tool_use_id.as_deref(),
                description: &task.description,
                subagent_type: task.subagent_type.as_deref(),
                ..news
            },
            SystemMessage::TaskProgress(task) => Self {
                task_id: &task.task_id,
                tool_use_id: task.tool_use_id.as_deref(),
                description: task.summary.as_deref().unwrap_or(&task.description),
                subagent_type: task.subagent_type.as_deref(),
                usage: Some(&task.usage),
                last_tool: task.last_tool_name.as_deref(),
                ..news
            },
            SystemMessage::TaskUpdated(task) => Self {
                task_id: &task.task_id,
                status: TaskStatus::of(task.patch.status.as_ref()?),
                description: task
                    .patch
                    .error
                    .as_deref()
                    .or(task.patch.description.as_deref())
                    .unwrap_or_default(),
                ..news
            },
            SystemMessage::TaskNotification(task) => Self {
                task_id: &task.task_id,
                tool_use_id: task.tool_use_id.as_deref(),
                status: match &task.status {
                    TaskOutcome::Completed => TaskStatus::Completed,
                    TaskOutcome::Failed => TaskStatus::Failed,
                    TaskOutcome::Stopped => TaskStatus::Stopped,
                    other => TaskStatus::from(other.as_str()),
                },
                description: &task.summary,
                usage: task.usage.as_ref(),
                is_end: true,
                ..news
            },
            _ => return None,
        })
    }
}

/// The call whose task this message ends.
pub(super) fn ended_call(message: &Message) -> Option<&str> {
    match message {
        Message::System(SystemMessage::TaskNotification(task)) => task.tool_use_id.as_deref(),
        _ => None,
    }
}
