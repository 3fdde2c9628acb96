//! Usage and cost over all session files.
//!
//! A reply of a model is written as several lines, each with the usage of the whole or of a part,
//! and copied with them into every fork. Here it counts once, with the largest usage that any line
//! gives, in the session in which it was made. What is in no line (compactions, killed requests) is
//! found in the CLI's own totals and shown beside, and so are models without a known price: neither
//! is ever part of a sum that it was not measured for.

mod branches;
mod explain;
mod facts;
mod gather;
mod group;
mod hidden;
mod ledger;
mod money;
mod pack;
mod prices;
mod report;
mod scan;
mod settle;
mod sighting;
mod tables;
mod tokens;
mod walk;
mod zone;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZero;

use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;
use crate::time;

use gather::{Gathered, Plan};
use group::Grouping;
use hidden::Shown;
use prices::{DatedPrice, Manner};
use scan::Depth;
use settle::Message;
use tables::Tables;

pub use explain::{ExplainedLine, ExplainedMessage, Explanation, Selection, Verdict};
pub use group::GroupBy;
pub use hidden::HiddenSpend;
pub use money::Usd;
pub use prices::{Bill, PriceTable, Term, Tier};
pub use report::{Progress, ReadSummary, Sums, UnpricedModel, UsageReport, UsageRow};
pub use tokens::Tokens;
pub use zone::{Day, Zone};

/// What to count, and how to show it.
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
    zone: Zone,
    since: Option<Day>,
    until: Option<Day>,
    groups: Vec<GroupBy>,
    prices: PriceTable,
    threads: Option<NonZero<usize>>,
}

impl UsageQuery {
    /// Everything, in local time, at built-in prices, with a thread for each processor.
    pub fn new() -> Self {
        Self::default()
    }

    /// Where days begin and end.
    pub fn zone(mut self, zone: Zone) -> Self {
        self.zone = zone;
        self
    }

    /// Only replies from the beginning of this day on.
    pub fn since(mut self, day: Day) -> Self {
        self.since = Some(day);
        self
    }

    /// Only replies up to the end of this day.
    pub fn until(mut self, day: Day) -> Self {
        self.until = Some(day);
        self
    }

    /// Rows by this, within the groupings that were given before.
    pub fn group_by(mut self, group: GroupBy) -> Self {
        if !self.groups.contains(&group) {
            self.groups.push(group);
        }
        self
    }

    /// Other prices than the built-in ones.
    pub fn prices(mut self, prices: PriceTable) -> Self {
        self.prices = prices;
        self
    }

    /// How many threads read at once.
    pub fn threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Counts over all files of a library.
    ///
    /// # Errors
    /// The folder of sessions cannot be listed. Files that cannot be read are in the report.
    pub fn run(&self, library: &SessionLibrary) -> Result<UsageReport, TranscriptError> {
        let survey = library.survey()?;
        let mut report = self.count(survey.files, None);
        report.read.unreadable.extend(survey.unreadable);
        Ok(report)
    }

    /// Counts over these files. Calls back while reading, from several threads.
    pub fn count(
        &self,
        files: Vec<SessionFile>,
        progress: Option<&(dyn Fn(Progress) + Sync)>,
    ) -> UsageReport {
        let files = in_order(files);
        self.counting(&files, progress).report()
    }

    /// Explains the numbers of a library: all messages that are meant, every line that tells of
    /// them, and why it counts or does not. Reads the files twice.
    ///
    /// # Errors
    /// The folder of sessions cannot be listed.
    pub fn explain(
        &self,
        library: &SessionLibrary,
        selection: &Selection,
    ) -> Result<Explanation, TranscriptError> {
        let files = in_order(library.survey()?.files);
        Ok(self.counting(&files, None).explain(selection))
    }

    fn counting<'a>(
        &'a self,
        files: &'a [SessionFile],
        progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    ) -> Counting<'a> {
        // A day that this zone's calendar does not reach lies before or behind all replies.
        let start = |day: Day| self.zone.start_of(day).unwrap_or_else(|| day.beyond());
        Counting {
            files,
            progress,
            threads: self.threads,
            groups: &self.groups,
            zone: &self.zone,
            prices: &self.prices,
            since: self.since.map(start),
            until: self.until.and_then(Day::next).map(start),
        }
    }
}

/// The same files in the same order, whoever lists them.
fn in_order(mut files: Vec<SessionFile>) -> Vec<SessionFile> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}

/// A query with the files that it is about.
struct Counting<'a> {
    files: &'a [SessionFile],
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    threads: Option<NonZero<usize>>,
    groups: &'a [GroupBy],
    zone: &'a Zone,
    prices: &'a PriceTable,
    since: Option<i64>,
    until: Option<i64>,
}

impl Counting<'_> {
    fn gather(&self, watch: Option<&HashSet<u64>>) -> Gathered {
        gather::gather(&Plan {
            files: self.files,
            depth: Depth {
                blocks: self.groups.contains(&GroupBy::Tool),
                branches: self.groups.contains(&GroupBy::Branch),
                agent_types: self.groups.contains(&GroupBy::AgentType),
            },
            threads: self.threads,
            progress: self.progress,
            watch,
        })
    }

    fn is_asked_for(&self, time: i64) -> bool {
        let after = self.since.is_none_or(|since| time != 0 && time >= since);
        after && self.until.is_none_or(|until| time != 0 && time < until)
    }

    fn report(&self) -> UsageReport {
        let mut gathered = self.gather(None);
        let not_live = std::mem::take(&mut gathered.not_live);
        let mut grouping = Grouping::new(self.groups, self.zone, self.files, &not_live);
        let mut shown = Shown::new();
        let mut total = Sums::default();
        let mut unpriced: BTreeMap<String, UnpricedModel> = BTreeMap::new();
        let mut prices: HashMap<u32, Option<DatedPrice<'_>>> = HashMap::new();
        let (mut synthetic, mut undated) = (0, 0);
        gathered.for_each_message(|tables, message| {
            let (model, fast, us_only) = tables.rank(message.class);
            if model == scan::SYNTHETIC {
                synthetic += u64::from(self.is_asked_for(message.time));
                return;
            }
            shown.add(tables, &message);
            if !self.is_asked_for(message.time) {
                return;
            }
            undated += u64::from(message.time == 0);
            let price = prices
                .entry(message.class)
                .or_insert_with(|| self.prices.model(model));
            let price = price.as_ref().and_then(|price| price.at(message.time));
            let manner = Manner { fast, us_only };
            let cost = price.map(|price| price.cost(&message.tokens, manner));
            total.add(message.tokens, cost);
            if cost.is_none() {
                let row = unpriced
                    .entry(model.to_owned())
                    .or_insert_with(|| UnpricedModel {
                        model: model.to_owned(),
                        messages: 0,
                        tokens: Tokens::default(),
                    });
                row.messages += 1;
                row.tokens += message.tokens;
            }
            grouping.add(tables, &message, cost);
        });
        let hidden = shown.compare(
            &mut gathered.tables,
            self.files,
            gathered.ledgers,
            &gathered.copied,
            |time| self.is_asked_for(time),
        );
        UsageReport {
            zone: self.zone.clone(),
            since: self.since,
            until: self.until,
            group_by: self.groups.to_vec(),
            rows: grouping.rows(),
            total,
            unpriced: unpriced.into_values().collect(),
            hidden,
            prices_as_of: PriceTable::as_of(),
            read: ReadSummary {
                files: self.files.len() as u64,
                bytes: gathered.counts.bytes,
                lines: gathered.counts.lines,
                reply_lines: gathered.counts.reply_lines,
                synthetic_messages: synthetic,
                broken_lines: gathered.counts.broken_lines,
                recovered_lines: gathered.counts.recovered,
                odd_counts: gathered.counts.odd_counts,
                undated_messages: undated,
                unreadable: gathered.unreadable,
            },
        }
    }

    fn bill(&self, tables: &Tables, message: &Message) -> Option<Bill> {
        let (model, fast, us_only) = tables.rank(message.class);
        let price = self.prices.model(model)?;
        let price = price.at(message.time)?;
        Some(price.bill(&message.tokens, Manner { fast, us_only }))
    }
}

/// A second since 1970 as the CLI writes times.
fn time_text(seconds: i64) -> String {
    time::to_iso(time::from_ms(seconds.saturating_mul(1000)))
}
