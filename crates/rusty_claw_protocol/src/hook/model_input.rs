//! Events of model changes.

use rusty_claw_macros::wire_type;

use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// The model is about to change.
#[wire_type]
pub struct PreModelSwitchInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The model before.
    pub from_model: Str,
    /// The model after.
    pub to_model: Str,
    /// The requested name, if it is not the model's own.
    pub requested_model: Option<Str>,
    /// The origin of the change.
    pub source: ModelSwitchSource,
    /// Number of tokens in the conversation, all of which the new model must read.
    pub context_tokens: u64,
    /// Whether the conversation is still cached for the old model.
    pub prompt_cache_warm: bool,
    /// The cache's time to live.
    pub cache_ttl: CacheTtl,
    /// Estimated cost of filling the cache for the new model, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// The source of the prices in that estimate.
    pub pricing: PricingSource,
}

/// The model changed.
#[wire_type]
pub struct PostModelSwitchInput {
    /// The members common to all events.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The model before.
    pub from_model: Str,
    /// The model after.
    pub to_model: Str,
    /// The requested name, if it is not the model's own.
    pub requested_model: Option<Str>,
    /// The origin of the change.
    pub source: ModelSwitchSource,
    /// Number of tokens in the conversation, all of which the new model must read.
    pub context_tokens: u64,
    /// Whether the conversation is still cached for the old model.
    pub prompt_cache_warm: bool,
    /// The cache's time to live.
    pub cache_ttl: CacheTtl,
    /// Estimated cost of filling the cache for the new model, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// The source of the prices in that estimate.
    pub pricing: PricingSource,
}

open_enum! {
    /// The origin of a model change.
    pub enum ModelSwitchSource {
        /// A slash command.
        Command = "command",
        /// The model picker.
        Picker = "picker",
        /// A host program.
        Sdk = "sdk",
        /// The CLI itself.
        Auto = "auto",
        /// A resumed session.
        Resume = "resume",
    }
}

open_enum! {
    /// Time to live of a cached prompt.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}

open_enum! {
    /// The source of a price.
    pub enum PricingSource {
        /// The settings.
        Configured = "configured",
        /// The CLI's catalog.
        Catalog = "catalog",
        /// A default for a model that is not in the catalog.
        Default = "default",
    }
}
