//! The plan's limits.

use std::fmt;

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// The plan's limits changed. Prints as its JSON.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct RateLimitEvent {
    /// The limits.
    pub rate_limit_info: RateLimitInfo,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The session.
    pub session_id: Option<Str>,
    /// What no field holds.
    pub extra: Extra,
}

impl fmt::Display for RateLimitEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// How much of the plan is used.
///
/// Leniency: the CLI spells the members in camel case, one document in snake case; both are read,
/// and each is written the way it came.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// Whether the next request will be served.
    pub status: RateLimitStatus,
    /// When the limit starts over, in seconds since 1970.
    #[wire(alias = "resets_at")]
    pub resets_at: Option<u64>,
    /// Which limit this is about.
    #[wire(alias = "rate_limit_type")]
    pub rate_limit_type: Option<RateLimitType>,
    /// How much of it is used, from 0 to 1.
    pub utilization: Option<f64>,
    /// Whether usage beyond the plan is served.
    #[wire(alias = "overage_status")]
    pub overage_status: Option<RateLimitStatus>,
    /// When the limit for usage beyond the plan starts over, in seconds since 1970.
    #[wire(alias = "overage_resets_at")]
    pub overage_resets_at: Option<u64>,
    /// Why there is no usage beyond the plan.
    #[wire(alias = "overage_disabled_reason")]
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether usage is beyond the plan.
    #[wire(alias = "is_using_overage")]
    pub is_using_overage: Option<bool>,
    /// Whether usage beyond the plan is being spent right now.
    #[wire(alias = "overage_in_use")]
    pub overage_in_use: Option<bool>,
    /// Whether usage beyond the plan is switched on.
    #[wire(alias = "overage_enabled")]
    pub overage_enabled: Option<bool>,
    /// The warning threshold that was passed, from 0 to 1.
    #[wire(alias = "surpassed_threshold")]
    pub surpassed_threshold: Option<f64>,
    /// Whose limit it is.
    #[wire(alias = "limit_scope")]
    pub limit_scope: Option<LimitScope>,
    /// What is missing to go on.
    #[wire(alias = "error_code")]
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether this user may buy more.
    #[wire(alias = "can_user_purchase_credits")]
    pub can_user_purchase_credits: Option<bool>,
    /// Whether a stored means of payment could pay for more.
    #[wire(alias = "has_chargeable_saved_payment_method")]
    pub has_chargeable_saved_payment_method: Option<bool>,
    /// All limits of the plan, by their type.
    #[wire(alias = "unified_windows")]
    pub unified_windows: Option<Map<RateLimitWindow>>,
    /// The members as they came, as one document adds them.
    pub raw: Option<Json>,
    /// What no field holds.
    pub extra: Extra,
}

/// One limit of the plan.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
#[wire(rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// How much of it is used, from 0 to 1.
    pub utilization: Option<f64>,
    /// When it starts over, in seconds since 1970.
    #[wire(alias = "resets_at")]
    pub resets_at: Option<u64>,
    /// The warning threshold that was passed, from 0 to 1.
    #[wire(alias = "surpassed_threshold")]
    pub surpassed_threshold: Option<f64>,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Whether requests are served.
    pub enum RateLimitStatus {
        /// They are.
        Allowed = "allowed",
        /// They are, but not for long.
        AllowedWarning = "allowed_warning",
        /// They are not.
        Rejected = "rejected",
    }
}

open_enum! {
    /// Which limit of the plan.
    pub enum RateLimitType {
        /// Of five hours.
        FiveHour = "five_hour",
        /// Of a week.
        SevenDay = "seven_day",
        /// Of a week, for the largest models.
        SevenDayOpus = "seven_day_opus",
        /// Of a week, for the middle models.
        SevenDaySonnet = "seven_day_sonnet",
        /// Of a week, with usage beyond the plan counted in.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// Of usage beyond the plan.
        Overage = "overage",
    }
}

open_enum! {
    /// Why there is no usage beyond the plan.
    pub enum OverageDisabledReason {
        /// It was never set up.
        OverageNotProvisioned = "overage_not_provisioned",
        /// The organisation switched it off.
        OrgLevelDisabled = "org_level_disabled",
        /// The organisation switched it off for a time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// What was bought is spent.
        OutOfCredits = "out_of_credits",
        /// The kind of seat does not have it.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// This member does not have it.
        MemberLevelDisabled = "member_level_disabled",
        /// The kind of seat has a limit of zero.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The group has a limit of zero.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// This member has a limit of zero.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// The organisation switched it off for this product.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// Nobody set a limit.
        NoLimitsConfigured = "no_limits_configured",
        /// It could not be looked up.
        FetchError = "fetch_error",
        /// The CLI itself could not tell.
        Unspecified = "unknown",
    }
}

open_enum! {
    /// Whose limit it is.
    pub enum LimitScope {
        /// The product's.
        Service = "service",
        /// The channel's.
        Channel = "channel",
        /// The group's, shared by its members.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// What is missing to go on.
    pub enum RateLimitErrorCode {
        /// Credits must be bought.
        CreditsRequired = "credits_required",
    }
}
