//! Usage and cost over all session files.
//!
//! A reply of a model is written as several lines, each with the usage of the whole or of a part,
//! and copied into every fork. Here it counts once, with the largest usage of any line, in the
//! session in which it was made. Spend that is in no line (compactions, killed requests) is computed
//! from the CLI's own totals. It is reported separately, as are models without a known price.

mod branches;
mod buckets;
mod cli_totals;
mod counting;
mod dedup;
mod explain;
mod gather;
mod group;
mod group_by;
mod hidden;
mod money;
mod prices;
mod query;
mod reply;
mod report;
mod scan;
mod sighting;
mod tables;
mod tokens;
mod worker;
mod zone;

pub use explain::{CountedAs, ExplainedLine, ExplainedMessage, Explanation, Selection};
pub use group_by::GroupBy;
pub use hidden::HiddenSpend;
pub use money::Usd;
pub use prices::{Bill, PriceTable, Term, Tier};
pub use query::UsageQuery;
pub use report::{Progress, ReadSummary, Sums, UnpricedModel, UsageReport, UsageRow};
pub use tokens::Tokens;
pub use zone::{Day, Zone};
