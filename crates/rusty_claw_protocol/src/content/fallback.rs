//! The switch to a fallback model.

use rusty_claw_macros::wire_type;

use crate::message::RefusalCategory;
use crate::text::Str;

/// Another model answers from here on.
#[wire_type]
pub struct Fallback {
    /// The model before.
    pub from: FallbackModel,
    /// The model from here on.
    pub to: FallbackModel,
    /// The reason for the switch.
    pub trigger: FallbackTrigger,
}

/// A model of the switch.
#[wire_type]
pub struct FallbackModel {
    /// The model's name.
    pub model: Str,
}

/// Why another model answers.
#[wire_type]
pub struct FallbackTrigger {
    /// `refusal`.
    #[wire(name = "type")]
    pub kind: Str,
    /// The category of the refusal.
    pub category: Option<RefusalCategory>,
}
