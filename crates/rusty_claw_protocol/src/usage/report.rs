//! What a session has used.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::text::Str;
use crate::usage::ModelUsage;
use crate::wire::Map;

/// What a session has used and what the plan still allows, as `/usage` reports it.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct UsageReport {
    /// The session so far.
    pub session: SessionUsage,
    /// The plan; none without one.
    pub rate_limits: Option<PlanLimits>,
    /// What no field holds.
    pub extra: Extra,
}

/// What a session has used so far.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct SessionUsage {
    /// What it cost.
    pub total_cost_usd: f64,
    /// Time spent waiting for the API.
    pub total_api_duration_ms: u64,
    /// Time since it began.
    pub total_duration_ms: u64,
    /// Lines of code it wrote.
    pub total_lines_added: u64,
    /// Lines of code it removed.
    pub total_lines_removed: u64,
    /// Tokens and money by model.
    pub model_usage: Map<ModelUsage>,
    /// What no field holds.
    pub extra: Extra,
}

/// What the plan allows.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PlanLimits {
    /// Its limits.
    pub limits: Option<Vec<PlanLimit>>,
    /// What may be bought beyond them.
    pub extra_usage: Option<ExtraUsage>,
    /// What no field holds.
    pub extra: Extra,
}

/// One limit of the plan.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PlanLimit {
    /// Which limit.
    pub kind: Str,
    /// Which limits it is shown with.
    pub group: Str,
    /// How much of it is used, in percent.
    pub percent: f64,
    /// When it starts over, ISO 8601.
    pub resets_at: Option<Str>,
    /// What it holds for; everything without one.
    pub scope: Option<PlanLimitScope>,
    /// How close it is.
    pub severity: Str,
    /// Whether it holds at the moment.
    pub is_active: bool,
    /// What no field holds.
    pub extra: Extra,
}

/// What a limit holds for.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PlanLimitScope {
    /// One model.
    pub model: Option<DisplayName>,
    /// One product.
    pub surface: Option<DisplayName>,
    /// What no field holds.
    pub extra: Extra,
}

/// Something known by the name that people see.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct DisplayName {
    /// The name.
    pub display_name: String,
    /// What no field holds.
    pub extra: Extra,
}

/// What may be bought beyond the plan.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct ExtraUsage {
    /// Whether anything may.
    pub is_enabled: bool,
    /// How much in a month.
    pub monthly_limit: Option<f64>,
    /// How much was bought.
    pub used_credits: Option<f64>,
    /// How much of the limit that is.
    pub utilization: Option<f64>,
    /// In which currency.
    pub currency: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}
