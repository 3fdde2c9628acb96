//! Inputs of the tools that do something later or elsewhere.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::text::Str;

/// Schedules a prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CronCreateInput {
    /// When, as a cron expression.
    pub cron: Str,
    /// The prompt.
    pub prompt: String,
    /// Whether it comes again.
    pub recurring: Option<bool>,
    /// Whether it outlives the session.
    pub durable: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Removes a scheduled prompt.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct CronDeleteInput {
    /// The schedule.
    pub id: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Wakes the model up later.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct ScheduleWakeupInput {
    /// In how many seconds.
    pub delay_seconds: Option<f64>,
    /// Why.
    pub reason: Option<String>,
    /// What it is told then.
    pub prompt: Option<String>,
    /// Whether to wake up no more.
    pub stop: Option<bool>,
    /// Whether nothing happened this time.
    pub noop: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// Manages agents that run elsewhere when something happens.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RemoteTriggerInput {
    /// What to do, such as `list` or `create`.
    pub action: Str,
    /// The trigger.
    pub trigger_id: Option<Str>,
    /// The session of a run.
    pub session_id: Option<Str>,
    /// Where the next page begins.
    pub cursor: Option<Str>,
    /// What to send; the service knows its shape.
    pub body: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// Sends the user a notice.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PushNotificationInput {
    /// The notice.
    pub message: String,
    /// Whether anybody asked for it.
    pub status: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
