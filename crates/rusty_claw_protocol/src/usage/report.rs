//! Usage of a session.

use rusty_claw_macros::wire_type;

use crate::text::Str;
use crate::usage::ModelUsage;
use crate::wire::Map;

/// Usage of a session and the limits of its plan, as `/usage` reports them.
#[wire_type]
pub struct UsageReport {
    /// The session so far.
    pub session: SessionUsage,
    /// The plan's limits, if there is a plan.
    pub rate_limits: Option<PlanLimits>,
}

/// Usage of a session so far.
#[wire_type]
pub struct SessionUsage {
    /// The total cost.
    pub total_cost_usd: f64,
    /// Time spent in API calls.
    pub total_api_duration_ms: u64,
    /// Time since the session began.
    pub total_duration_ms: u64,
    /// Lines of code added.
    pub total_lines_added: u64,
    /// Lines of code removed.
    pub total_lines_removed: u64,
    /// Tokens and costs by model.
    pub model_usage: Map<ModelUsage>,
}

/// Limits of a plan.
#[wire_type]
pub struct PlanLimits {
    /// Its limits.
    pub limits: Option<Vec<PlanLimit>>,
    /// Usage that can be bought beyond them.
    pub extra_usage: Option<ExtraUsage>,
}

/// One limit of the plan.
#[wire_type]
pub struct PlanLimit {
    /// The name of the limit.
    pub kind: Str,
    /// The group that it is shown in.
    pub group: Str,
    /// The used part, in percent.
    pub percent: f64,
    /// When it resets, ISO 8601.
    pub resets_at: Option<Str>,
    /// What it applies to; everything if `None`.
    pub scope: Option<PlanLimitScope>,
    /// How close the limit is.
    pub severity: Str,
    /// Whether it applies at the moment.
    pub is_active: bool,
}

/// What a limit applies to.
#[wire_type]
pub struct PlanLimitScope {
    /// A model.
    pub model: Option<DisplayName>,
    /// A product.
    pub surface: Option<DisplayName>,
}

/// Something identified by its display name.
#[wire_type]
pub struct DisplayName {
    /// The name.
    pub display_name: String,
}

/// Usage that can be bought beyond the plan.
#[wire_type]
pub struct ExtraUsage {
    /// Whether it is enabled.
    pub is_enabled: bool,
    /// The monthly limit.
    pub monthly_limit: Option<f64>,
    /// Credits used.
    pub used_credits: Option<f64>,
    /// The used part of the limit.
    pub utilization: Option<f64>,
    /// The currency.
    pub currency: Option<Str>,
}
