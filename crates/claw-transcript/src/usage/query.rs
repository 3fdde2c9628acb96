//! Queries for usage and cost.

use std::num::NonZero;

use super::group_by::GroupBy;
use super::prices::PriceTable;
use super::zone::{Day, Zone};

/// A query for usage and cost.
///
/// ```no_run
/// use claw_transcript::{GroupBy, SessionLibrary, UsageQuery, Zone};
///
/// let report = UsageQuery::new()
///     .zone(Zone::named("Europe/Berlin")?)
///     .group_by(GroupBy::Day)
///     .group_by(GroupBy::Model)
///     .run(&SessionLibrary::from_env()?)?;
/// for row in &report.rows {
///     println!("{:?}: {} out, {:?}", row.keys, row.sums.tokens.output, row.sums.cost);
/// }
/// for hidden in &report.hidden {
///     println!("in no line of {}: {:?}", hidden.session, hidden.cost);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct UsageQuery {
    pub(super) zone: Zone,
    since: Option<Day>,
    until: Option<Day>,
    pub(super) groups: Vec<GroupBy>,
    pub(super) prices: PriceTable,
    pub(super) threads: Option<NonZero<usize>>,
}

impl UsageQuery {
    /// Everything, in local time, at built-in prices, with one thread per processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// The time zone of days.
    pub fn zone(mut self, zone: Zone) -> Self {
        self.zone = zone;
        self
    }

    /// Only replies since the start of this day.
    pub fn since(mut self, day: Day) -> Self {
        self.since = Some(day);
        self
    }

    /// Only replies until the end of this day.
    pub fn until(mut self, day: Day) -> Self {
        self.until = Some(day);
        self
    }

    /// Groups rows by this key, after the keys given before.
    pub fn group_by(mut self, group: GroupBy) -> Self {
        if !self.groups.contains(&group) {
            self.groups.push(group);
        }
        self
    }

    /// Prices to use instead of the built-in ones.
    pub fn prices(mut self, prices: PriceTable) -> Self {
        self.prices = prices;
        self
    }

    /// The number of threads.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    pub(super) fn range(&self) -> TimeRange {
        // A day beyond the calendar of this zone is before or after all replies.
        let start = |day: Day| self.zone.start_of(day).unwrap_or_else(|| day.beyond());
        TimeRange {
            since: self.since.map(start),
            until: self.until.and_then(Day::next).map(start),
        }
    }
}

/// A range of seconds since 1970.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeRange {
    pub(super) since: Option<i64>,
    /// Exclusive.
    pub(super) until: Option<i64>,
}

impl TimeRange {
    /// Returns whether it contains a time. Only an unlimited range contains the unknown time, zero.
    pub(super) fn contains(self, time: i64) -> bool {
        let after = self.since.is_none_or(|since| time != 0 && time >= since);
        after && self.until.is_none_or(|until| time != 0 && time < until)
    }
}
