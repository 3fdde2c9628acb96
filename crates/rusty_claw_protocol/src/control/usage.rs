//! Costs, limits, models, version.

use rusty_claw_macros::wire_type;

use super::ModelInfo;
use crate::text::Str;
use crate::usage::{ExtraUsage, SessionUsage};

/// Requests the session's costs and the plan's remaining limits.
#[wire_type]
pub struct GetUsage {
    /// Whether to skip the slow analysis of past sessions.
    pub skip_behaviors: Option<bool>,
}

/// The session's costs and the plan's remaining limits.
#[wire_type]
pub struct GetUsageResponse {
    /// This session.
    pub session: SessionUsage,
    /// The plan, if the account has one.
    pub subscription_type: Option<Str>,
    /// Whether the account has limits.
    pub rate_limits_available: bool,
    /// The plan's limits.
    pub rate_limits: Option<PlanWindows>,
    /// Analysis of past sessions.
    pub behaviors: Option<UsageBehaviors>,
}

/// The plan's limits.
#[wire_type]
pub struct PlanWindows {
    /// The five-hour limit.
    pub five_hour: Option<LimitWindow>,
    /// The weekly limit.
    pub seven_day: Option<LimitWindow>,
    /// The weekly limit for other programs of the account.
    pub seven_day_oauth_apps: Option<LimitWindow>,
    /// The weekly limit for Opus models.
    pub seven_day_opus: Option<LimitWindow>,
    /// The weekly limit for Sonnet models.
    pub seven_day_sonnet: Option<LimitWindow>,
    /// Limits of single models.
    pub model_scoped: Option<Vec<ModelLimit>>,
    /// Usage beyond the plan.
    pub extra_usage: Option<ExtraUsage>,
}

/// The used part of a limit.
#[wire_type]
pub struct LimitWindow {
    /// The used part, 0 to 100.
    pub utilization: Option<f64>,
    /// When it resets, ISO 8601.
    pub resets_at: Option<Str>,
}

/// The used part of one model's limit.
#[wire_type]
pub struct ModelLimit {
    /// The model's display name.
    pub display_name: Str,
    /// The used part, 0 to 100.
    pub utilization: Option<f64>,
    /// When it resets, ISO 8601.
    pub resets_at: Option<Str>,
}

/// Analysis of past sessions.
#[wire_type]
pub struct UsageBehaviors {
    /// The last day.
    pub day: UsagePeriod,
    /// The last week.
    pub week: UsagePeriod,
}

/// Analysis of the sessions of a period.
#[wire_type]
pub struct UsagePeriod {
    /// Number of requests.
    pub request_count: u64,
    /// Number of sessions.
    pub session_count: u64,
    /// Costly behaviors.
    pub behaviors: Vec<UsageBehavior>,
    /// Recommendations to reduce costs.
    pub recommendations: Option<Vec<UsageRecommendation>>,
    /// What the CLI can change itself.
    pub fix: Option<UsageFix>,
    /// By subagent.
    pub agents: Vec<UsageShare>,
    /// By skill.
    pub skills: Vec<UsageShare>,
    /// By plugin.
    pub plugins: Vec<UsageShare>,
    /// By MCP server.
    pub mcp_servers: Vec<UsageShare>,
}

/// A costly behavior.
#[wire_type]
pub struct UsageBehavior {
    /// Its id: `cache_miss`, `long_context`, ….
    pub key: Str,
    /// Its share, 0 to 100.
    pub pct: f64,
    /// Number of occurrences.
    pub count: u64,
}

/// A recommendation to reduce costs.
#[wire_type]
pub struct UsageRecommendation {
    /// The behavior that it is about.
    pub key: Str,
    /// That behavior's share, 0 to 100.
    pub pct: f64,
    /// The advice.
    pub title: String,
    /// Details.
    pub detail: Option<String>,
}

/// What the CLI can change itself.
#[wire_type]
pub struct UsageFix {
    /// The behaviors that it is about.
    pub keys: Vec<Str>,
    /// The messages it would show.
    pub messages: Vec<String>,
}

/// The share of one item.
#[wire_type]
pub struct UsageShare {
    /// The item's name.
    pub name: Str,
    /// Its share, 0 to 100.
    pub pct: f64,
}

/// Requests the costs as text.
#[wire_type]
pub struct GetSessionCost {}

/// The costs as text.
#[wire_type]
pub struct GetSessionCostResponse {
    /// The text, several lines.
    pub text: String,
}

/// Requests the available models.
#[wire_type]
pub struct ListModels {}

/// The available models.
#[wire_type]
pub struct ListModelsResponse {
    /// The models.
    pub models: Vec<ModelInfo>,
}

/// Requests the CLI's version.
#[wire_type]
pub struct GetBinaryVersion {}

/// The version of the CLI.
#[wire_type]
pub struct GetBinaryVersionResponse {
    /// The version.
    pub version: Str,
    /// When it was built, ISO 8601.
    #[wire(name = "buildTime")]
    pub build_time: Option<Str>,
}
