//! The price of one model.

/// Picodollars per token of each kind, in the order of
/// [`Tokens::charged`](crate::Tokens::charged).
pub(super) type Rates = [u64; 5];

/// The price of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModelPrice {
    pub(super) rates: Rates,
    /// Rates of fast mode, if the model has it.
    pub(super) fast: Option<Rates>,
    /// For prompts with more than this number of tokens.
    pub(super) long_prompt: Option<(u64, Rates)>,
    /// Picodollars per search.
    pub(super) web_search: u64,
}

/// A price and the second from which it applies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dated {
    pub(super) since: i64,
    pub(super) price: ModelPrice,
}
