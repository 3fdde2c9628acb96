//! Rate limits of the plan.

use std::fmt;

use rusty_claw_macros::wire_type;

use crate::json::Json;
use crate::open_enum::open_enum;
use crate::text::Str;
use crate::wire::Map;

/// A change of the plan's rate limits. Displays as its JSON.
#[wire_type]
pub struct RateLimitEvent {
    /// The limits.
    pub rate_limit_info: RateLimitInfo,
    /// The line's id.
    pub uuid: Option<Str>,
    /// The session's id.
    pub session_id: Option<Str>,
}

impl fmt::Display for RateLimitEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

/// Usage of the plan.
///
/// Leniency: the CLI spells the members in camel case, one document in snake case. Both are read,
/// and each is written back as received.
#[wire_type(rename_all = "camelCase")]
pub struct RateLimitInfo {
    /// Whether the next request is allowed.
    pub status: RateLimitStatus,
    /// When the limit resets, in seconds since 1970.
    #[wire(alias = "resets_at")]
    pub resets_at: Option<u64>,
    /// The limit that this is about.
    #[wire(alias = "rate_limit_type")]
    pub rate_limit_type: Option<RateLimitType>,
    /// The used part, 0 to 1.
    pub utilization: Option<f64>,
    /// Whether overage is allowed.
    #[wire(alias = "overage_status")]
    pub overage_status: Option<RateLimitStatus>,
    /// When the overage limit resets, in seconds since 1970.
    #[wire(alias = "overage_resets_at")]
    pub overage_resets_at: Option<u64>,
    /// Why overage is disabled.
    #[wire(alias = "overage_disabled_reason")]
    pub overage_disabled_reason: Option<OverageDisabledReason>,
    /// Whether the usage is overage.
    #[wire(alias = "is_using_overage")]
    pub is_using_overage: Option<bool>,
    /// Whether overage is in use at the moment.
    #[wire(alias = "overage_in_use")]
    pub overage_in_use: Option<bool>,
    /// Whether overage is enabled.
    #[wire(alias = "overage_enabled")]
    pub overage_enabled: Option<bool>,
    /// The warning threshold that was exceeded, 0 to 1.
    #[wire(alias = "surpassed_threshold")]
    pub surpassed_threshold: Option<f64>,
    /// The scope of the limit.
    #[wire(alias = "limit_scope")]
    pub limit_scope: Option<LimitScope>,
    /// What is required to continue.
    #[wire(alias = "error_code")]
    pub error_code: Option<RateLimitErrorCode>,
    /// Whether this user can purchase credits.
    #[wire(alias = "can_user_purchase_credits")]
    pub can_user_purchase_credits: Option<bool>,
    /// Whether a saved payment method can be charged.
    #[wire(alias = "has_chargeable_saved_payment_method")]
    pub has_chargeable_saved_payment_method: Option<bool>,
    /// All limits of the plan, by type.
    #[wire(alias = "unified_windows")]
    pub unified_windows: Option<Map<RateLimitWindow>>,
    /// The members as received, which one document adds.
    pub raw: Option<Json>,
}

/// A limit of the plan.
#[wire_type(rename_all = "camelCase")]
pub struct RateLimitWindow {
    /// The used part, 0 to 1.
    pub utilization: Option<f64>,
    /// When it resets, in seconds since 1970.
    #[wire(alias = "resets_at")]
    pub resets_at: Option<u64>,
    /// The warning threshold that was exceeded, 0 to 1.
    #[wire(alias = "surpassed_threshold")]
    pub surpassed_threshold: Option<f64>,
}

open_enum! {
    /// Whether requests are allowed.
    pub enum RateLimitStatus {
        /// Allowed.
        Allowed = "allowed",
        /// Allowed, but close to the limit.
        AllowedWarning = "allowed_warning",
        /// Rejected.
        Rejected = "rejected",
    }
}

open_enum! {
    /// A limit of the plan.
    pub enum RateLimitType {
        /// Five hours.
        FiveHour = "five_hour",
        /// One week.
        SevenDay = "seven_day",
        /// One week, for Opus models.
        SevenDayOpus = "seven_day_opus",
        /// One week, for Sonnet models.
        SevenDaySonnet = "seven_day_sonnet",
        /// One week, including overage.
        SevenDayOverageIncluded = "seven_day_overage_included",
        /// Overage.
        Overage = "overage",
    }
}

open_enum! {
    /// Why overage is disabled.
    pub enum OverageDisabledReason {
        /// It was not provisioned.
        OverageNotProvisioned = "overage_not_provisioned",
        /// The organisation disabled it.
        OrgLevelDisabled = "org_level_disabled",
        /// The organisation disabled it for a time.
        OrgLevelDisabledUntil = "org_level_disabled_until",
        /// The purchased credits are used up.
        OutOfCredits = "out_of_credits",
        /// The seat tier does not include it.
        SeatTierLevelDisabled = "seat_tier_level_disabled",
        /// It is disabled for this member.
        MemberLevelDisabled = "member_level_disabled",
        /// The seat tier has a credit limit of zero.
        SeatTierZeroCreditLimit = "seat_tier_zero_credit_limit",
        /// The group has a credit limit of zero.
        GroupZeroCreditLimit = "group_zero_credit_limit",
        /// This member has a credit limit of zero.
        MemberZeroCreditLimit = "member_zero_credit_limit",
        /// The organisation disabled it for this product.
        OrgServiceLevelDisabled = "org_service_level_disabled",
        /// No limits are configured.
        NoLimitsConfigured = "no_limits_configured",
        /// Fetching its state failed.
        FetchError = "fetch_error",
        /// Reported as `unknown` by the CLI.
        Unspecified = "unknown",
    }
}

open_enum! {
    /// The scope of a limit.
    pub enum LimitScope {
        /// The product.
        Service = "service",
        /// The channel.
        Channel = "channel",
        /// The group, shared by its members.
        GroupPool = "group_pool",
    }
}

open_enum! {
    /// What is required to continue.
    pub enum RateLimitErrorCode {
        /// Credits.
        CreditsRequired = "credits_required",
    }
}
