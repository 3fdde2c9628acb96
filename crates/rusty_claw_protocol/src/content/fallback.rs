//! The API handed the answer to another model.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::message::RefusalCategory;
use crate::text::Str;

/// From here on another model answers.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct Fallback {
    /// Who answered before.
    pub from: FallbackModel,
    /// Who answers now.
    pub to: FallbackModel,
    /// Why.
    pub trigger: FallbackTrigger,
    /// What no field holds.
    pub extra: Extra,
}

/// One side of a hand-over.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FallbackModel {
    /// The model.
    pub model: Str,
    /// What no field holds.
    pub extra: Extra,
}

/// Why another model took over.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct FallbackTrigger {
    /// `refusal`.
    #[wire(name = "type")]
    pub kind: Str,
    /// What the refusal was about.
    pub category: Option<RefusalCategory>,
    /// What no field holds.
    pub extra: Extra,
}
