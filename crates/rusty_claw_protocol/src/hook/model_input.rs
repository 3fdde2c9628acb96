//! Events around a change of the model.

use rusty_claw_macros::Wire;

use crate::extra::Extra;
use crate::hook::HookCommon;
use crate::open_enum::open_enum;
use crate::text::Str;

/// The model is about to change.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PreModelSwitchInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The model so far.
    pub from_model: Str,
    /// The model from now on.
    pub to_model: Str,
    /// What was asked for, when it is not the name of the model itself.
    pub requested_model: Option<Str>,
    /// Who asked.
    pub source: ModelSwitchSource,
    /// How many tokens the conversation holds: the new model must read them all.
    pub context_tokens: u64,
    /// Whether the API still has its cached copy of the conversation for the old model.
    pub prompt_cache_warm: bool,
    /// How long a cached copy lasts.
    pub cache_ttl: CacheTtl,
    /// What filling the cache for the new model would cost, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// Where the price in that estimate comes from.
    pub pricing: PricingSource,
    /// What no field holds.
    pub extra: Extra,
}

/// The model has changed.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[non_exhaustive]
pub struct PostModelSwitchInput {
    /// The session it happened in.
    #[wire(flatten)]
    pub common: HookCommon,
    /// The model so far.
    pub from_model: Str,
    /// The model from now on.
    pub to_model: Str,
    /// What was asked for, when it is not the name of the model itself.
    pub requested_model: Option<Str>,
    /// Who asked.
    pub source: ModelSwitchSource,
    /// How many tokens the conversation holds: the new model must read them all.
    pub context_tokens: u64,
    /// Whether the API still has its cached copy of the conversation for the old model.
    pub prompt_cache_warm: bool,
    /// How long a cached copy lasts.
    pub cache_ttl: CacheTtl,
    /// What filling the cache for the new model would cost, in US dollars.
    pub estimated_cache_write_usd: f64,
    /// Where the price in that estimate comes from.
    pub pricing: PricingSource,
    /// What no field holds.
    pub extra: Extra,
}

open_enum! {
    /// Who asked for another model.
    pub enum ModelSwitchSource {
        /// A slash command.
        Command = "command",
        /// The list of models.
        Picker = "picker",
        /// A host program.
        Sdk = "sdk",
        /// The CLI, by itself.
        Auto = "auto",
        /// A session that was resumed.
        Resume = "resume",
    }
}

open_enum! {
    /// How long the API keeps a cached prompt.
    pub enum CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
    }
}

open_enum! {
    /// Where a price comes from.
    pub enum PricingSource {
        /// The settings.
        Configured = "configured",
        /// The list that the CLI knows.
        Catalog = "catalog",
        /// A guess for a model that is on no list.
        Default = "default",
    }
}
