//! Counts the usage of some files.

use std::collections::{BTreeMap, HashMap};

use super::gather::Gathered;
use super::group::Grouping;
use super::hidden::Shown;
use super::prices::{DatedPrice, PriceTable};
use super::query::UsageQuery;
use super::report::{Progress, ReadSummary, Sums, UnpricedModel, UsageReport};
use super::scan::SYNTHETIC;
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;

impl UsageQuery {
    /// Counts all files of a library.
    ///
    /// # Errors
    /// The folder of sessions cannot be listed. Files that cannot be read are in the report.
    pub fn run(&self, library: &SessionLibrary) -> Result<UsageReport, TranscriptError> {
        let survey = library.survey()?;
        let mut report = self.count(survey.files, None);
        report.read.unreadable.extend(survey.unreadable);
        Ok(report)
    }

    /// Counts these files. Calls `progress` from several threads.
    pub fn count(
        &self,
        files: Vec<SessionFile>,
        progress: Option<&(dyn Fn(Progress) + Sync)>,
    ) -> UsageReport {
        let files = in_order(files);
        let range = self.range();
        let mut gathered = Gathered::read(self, &files, progress, None);
        let not_live = std::mem::take(&mut gathered.not_live);
        let mut grouping = Grouping::new(self, &files, &not_live);
        // The CLI does not use user-defined prices.
        let list = PriceTable::builtin();
        let mut shown = Shown::default();
        let mut total = Sums::default();
        let mut unpriced: BTreeMap<String, Sums> = BTreeMap::new();
        let mut prices: HashMap<u32, [Option<DatedPrice<'_>>; 2]> = HashMap::new();
        let (mut synthetic, mut undated) = (0, 0);
        gathered.for_each_message(|tables, message| {
            let (model, manner) = tables.rank(message.class);
            if model == SYNTHETIC {
                synthetic += u64::from(range.contains(message.time));
                return;
            }
            let prices = prices
                .entry(message.class)
                .or_insert_with(|| [self.prices.model(model), list.model(model)]);
            let [cost, list_cost] = prices.map(|price| {
                let price = price?.at(message.time)?;
                Some(price.cost(&message.tokens, manner))
            });
            shown.add(tables, &message, list_cost);
            if !range.contains(message.time) {
                return;
            }
            undated += u64::from(message.time == 0);
            total.add(message.tokens, cost);
            if cost.is_none() {
                let sums = unpriced.entry(model.to_owned()).or_default();
                sums.add(message.tokens, None);
            }
            grouping.add(tables, &message, cost);
        });
        let hidden = shown.compare(
            &list,
            &mut gathered.tables,
            &files,
            gathered.cli_totals,
            &gathered.copied,
            range,
        );
        let unpriced = unpriced.into_iter().map(|(model, sums)| UnpricedModel {
            model,
            messages: sums.messages,
            tokens: sums.tokens,
        });
        UsageReport {
            zone: self.zone.clone(),
            since: range.since,
            until: range.until,
            group_by: self.groups.clone(),
            rows: grouping.rows(),
            total,
            unpriced: unpriced.collect(),
            hidden,
            prices_as_of: PriceTable::as_of(),
            read: ReadSummary {
                files: files.len() as u64,
                synthetic_messages: synthetic,
                undated_messages: undated,
                ..gathered.summary
            },
        }
    }
}

/// Sorts files by path, so that the result does not depend on their order.
pub(super) fn in_order(mut files: Vec<SessionFile>) -> Vec<SessionFile> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    files
}
