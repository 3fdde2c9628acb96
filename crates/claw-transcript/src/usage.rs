//! Usage and cost over all session files.
#![allow(dead_code)]

mod facts;
mod money;
mod pack;
mod prices;
mod settle;
mod sighting;
mod tables;
mod tokens;
mod walk;
mod zone;

pub use money::Usd;
pub use prices::{Bill, PriceFileError, PriceTable, Term, Tier};
pub use tokens::Tokens;
pub use zone::{Day, UnknownZone, Zone};
