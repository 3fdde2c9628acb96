//! Costs, limits, models, version.

use rusty_claw_macros::Wire;

use super::ModelInfo;
use crate::extra::Extra;
use crate::text::Str;
use crate::usage::{ExtraUsage, SessionUsage};

/// Asks what the session has cost and what the plan has left.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetUsage {
    /// Whether to leave out the study of past sessions, which takes long.
    pub skip_behaviors: Option<bool>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the session has cost and what the plan has left.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetUsageResponse {
    /// This session.
    pub session: SessionUsage,
    /// The plan, of accounts that have one.
    pub subscription_type: Option<Str>,
    /// Whether the account has limits at all.
    pub rate_limits_available: bool,
    /// The plan's limits.
    pub rate_limits: Option<PlanWindows>,
    /// What past sessions spent on.
    pub behaviors: Option<UsageBehaviors>,
    /// What no field holds.
    pub extra: Extra,
}

/// The plan's limits.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PlanWindows {
    /// Of five hours.
    pub five_hour: Option<LimitWindow>,
    /// Of a week.
    pub seven_day: Option<LimitWindow>,
    /// Of a week, for other programs of the account.
    pub seven_day_oauth_apps: Option<LimitWindow>,
    /// Of a week, for the largest models.
    pub seven_day_opus: Option<LimitWindow>,
    /// Of a week, for the middle models.
    pub seven_day_sonnet: Option<LimitWindow>,
    /// Of single models.
    pub model_scoped: Option<Vec<ModelLimit>>,
    /// What may be spent beyond the plan.
    pub extra_usage: Option<ExtraUsage>,
    /// What no field holds.
    pub extra: Extra,
}

/// How much of a limit is used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct LimitWindow {
    /// Share used, 0 to 100.
    pub utilization: Option<f64>,
    /// When it begins again, ISO 8601.
    pub resets_at: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// How much of one model's limit is used.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ModelLimit {
    /// The model, for people.
    pub display_name: Str,
    /// Share used, 0 to 100.
    pub utilization: Option<f64>,
    /// When it begins again, ISO 8601.
    pub resets_at: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

/// What past sessions spent on.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageBehaviors {
    /// Over a day.
    pub day: UsagePeriod,
    /// Over a week.
    pub week: UsagePeriod,
    /// What no field holds.
    pub extra: Extra,
}

/// What the sessions of a period spent on.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsagePeriod {
    /// How many requests there were.
    pub request_count: u64,
    /// How many sessions.
    pub session_count: u64,
    /// Habits that cost.
    pub behaviors: Vec<UsageBehavior>,
    /// What would cost less.
    pub recommendations: Option<Vec<UsageRecommendation>>,
    /// What the CLI can change by itself.
    pub fix: Option<UsageFix>,
    /// By subagent.
    pub agents: Vec<UsageShare>,
    /// By skill.
    pub skills: Vec<UsageShare>,
    /// By plugin.
    pub plugins: Vec<UsageShare>,
    /// By MCP server.
    pub mcp_servers: Vec<UsageShare>,
    /// What no field holds.
    pub extra: Extra,
}

/// A habit that costs.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageBehavior {
    /// Which: `cache_miss`, `long_context`, ….
    pub key: Str,
    /// Its share, 0 to 100.
    pub pct: f64,
    /// How often.
    pub count: u64,
    /// What no field holds.
    pub extra: Extra,
}

/// A way to spend less.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageRecommendation {
    /// Which habit it is about.
    pub key: Str,
    /// That habit's share, 0 to 100.
    pub pct: f64,
    /// The advice.
    pub title: String,
    /// More of it.
    pub detail: Option<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the CLI can change by itself.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageFix {
    /// Which habits it is about.
    pub keys: Vec<Str>,
    /// What it would say.
    pub messages: Vec<String>,
    /// What no field holds.
    pub extra: Extra,
}

/// The share of one name.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageShare {
    /// The name.
    pub name: Str,
    /// Its share, 0 to 100.
    pub pct: f64,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks for the costs as text.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetSessionCost {
    /// What no field holds.
    pub extra: Extra,
}

/// The costs as text.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetSessionCostResponse {
    /// Several lines.
    pub text: String,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks which models there are.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListModels {
    /// What no field holds.
    pub extra: Extra,
}

/// The models.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ListModelsResponse {
    /// The models.
    pub models: Vec<ModelInfo>,
    /// What no field holds.
    pub extra: Extra,
}

/// Asks which version of the CLI runs.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetBinaryVersion {
    /// What no field holds.
    pub extra: Extra,
}

/// The version of the CLI.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct GetBinaryVersionResponse {
    /// The version.
    pub version: Str,
    /// When it was built, ISO 8601.
    #[wire(name = "buildTime")]
    pub build_time: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
