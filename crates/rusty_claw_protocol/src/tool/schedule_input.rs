//! Inputs of the scheduling and remote tools.

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::text::Str;

/// Schedules a prompt.
#[wire_type]
pub struct CronCreateInput {
    /// The schedule, as a cron expression.
    pub cron: Str,
    /// The prompt.
    pub prompt: String,
    /// Whether it recurs.
    pub recurring: Option<bool>,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
}

/// Removes a scheduled prompt.
#[wire_type]
pub struct CronDeleteInput {
    /// The schedule's id.
    pub id: Str,
}

/// Schedules a wakeup of the model.
#[wire_type(rename_all = "camelCase")]
pub struct ScheduleWakeupInput {
    /// The delay in seconds.
    pub delay_seconds: Option<f64>,
    /// The reason.
    pub reason: Option<String>,
    /// The prompt at the wakeup.
    pub prompt: Option<String>,
    /// Whether to stop further wakeups.
    pub stop: Option<bool>,
    /// Whether nothing happened this time.
    pub noop: Option<bool>,
}

/// Manages remote agents and their triggers.
#[wire_type]
pub struct RemoteTriggerInput {
    /// The action, such as `list` or `create`.
    pub action: Str,
    /// The trigger's id.
    pub trigger_id: Option<Str>,
    /// The session id of a run.
    pub session_id: Option<Str>,
    /// The start of the next page of results.
    pub cursor: Option<Str>,
    /// The body to send; its shape is defined by the service.
    pub body: Option<Json>,
}

/// Sends the user a notification.
#[wire_type]
pub struct PushNotificationInput {
    /// The message.
    pub message: String,
    /// Whether it was requested.
    pub status: Option<Str>,
}
