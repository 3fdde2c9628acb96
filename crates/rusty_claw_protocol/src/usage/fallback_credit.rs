//! The credit for a refused answer.

use rusty_claw_macros::wire_type;

use crate::open_enum::open_enum;
use crate::unknown::Unknown;

/// Status of the credit for a refused answer.
#[wire_type]
pub struct FallbackCreditUsage {
    /// Whether it was redeemed.
    pub status: Option<FallbackCreditStatus>,
}

/// Whether the credit was redeemed.
#[wire_type(tag = "type")]
pub enum FallbackCreditStatus {
    /// It was redeemed.
    Redeemed {},
    /// It was not redeemed.
    NotApplied {
        /// The reason.
        reason: FallbackCreditRefusal,
        /// What to remove from the request to redeem it.
        remove_to_redeem: Option<Vec<String>>,
    },
    /// An unrecognized status.
    Unknown(Unknown),
}

open_enum! {
    /// Why a credit was not redeemed.
    pub enum FallbackCreditRefusal {
        /// The request differs from the refused one.
        BodyMismatch = "body_mismatch",
        /// It does not apply to continuations.
        ContinuationExcluded = "continuation_excluded",
        /// It applies to continuations only.
        ContinuationOnly = "continuation_only",
        /// It has expired.
        Expired = "expired",
        /// It does not apply to this model.
        InvalidTargetModel = "invalid_target_model",
        /// It is disabled.
        NotEnabled = "not_enabled",
        /// The price could not be determined.
        RepriceUnavailable = "reprice_unavailable",
        /// Temporarily unavailable.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has members that rule it out.
        VariantFieldsPresent = "variant_fields_present",
        /// It belongs to another organisation.
        WrongOrganization = "wrong_organization",
        /// It belongs to another platform.
        WrongPlatform = "wrong_platform",
        /// It belongs to another workspace.
        WrongWorkspace = "wrong_workspace",
    }
}
