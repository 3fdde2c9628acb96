//! The credit that a refused answer earns.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::open_enum::open_enum;
use crate::unknown::Unknown;

/// What became of the credit for a refused answer.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FallbackCreditUsage {
    /// Whether it was used.
    pub status: Option<FallbackCreditStatus>,
    /// What no field holds.
    pub extra: Extra,
}

/// Whether the credit was used.
#[derive(Debug, Clone, PartialEq, Wire)]
#[wire(tag = "type")]
#[non_exhaustive]
pub enum FallbackCreditStatus {
    /// It was.
    Redeemed {
        /// What no field holds.
        extra: Extra,
    },
    /// It was not.
    NotApplied {
        /// Why not.
        reason: FallbackCreditRefusal,
        /// What to leave out of the request to get it.
        remove_to_redeem: Option<Vec<String>>,
        /// What no field holds.
        extra: Extra,
    },
    /// A status that is new to this library.
    Unknown(Unknown),
}

open_enum! {
    /// Why a credit was not used.
    pub enum FallbackCreditRefusal {
        /// The request is not the refused one.
        BodyMismatch = "body_mismatch",
        /// It does not hold for continued answers.
        ContinuationExcluded = "continuation_excluded",
        /// It holds for continued answers only.
        ContinuationOnly = "continuation_only",
        /// It is too old.
        Expired = "expired",
        /// It does not hold for this model.
        InvalidTargetModel = "invalid_target_model",
        /// It is switched off.
        NotEnabled = "not_enabled",
        /// The price could not be worked out.
        RepriceUnavailable = "reprice_unavailable",
        /// Not at the moment.
        TemporarilyUnavailable = "temporarily_unavailable",
        /// The request has members that exclude it.
        VariantFieldsPresent = "variant_fields_present",
        /// It belongs to another organisation.
        WrongOrganization = "wrong_organization",
        /// It belongs to another platform.
        WrongPlatform = "wrong_platform",
        /// It belongs to another workspace.
        WrongWorkspace = "wrong_workspace",
    }
}
