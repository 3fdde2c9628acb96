//! Explains the numbers of a report.

use std::path::PathBuf;

use serde::Serialize;

use super::counting::in_order;
use super::dedup;
use super::gather::Gathered;
use super::group::Grouping;
use super::prices::Bill;
use super::query::UsageQuery;
use super::report::{Sums, time_text};
use super::scan;
use super::sighting::Sighting;
use super::tables::Tables;
use super::tokens::Tokens;
use super::worker::{Watch, Watched};
use crate::error::TranscriptError;
use crate::files::SessionFile;
use crate::library::SessionLibrary;

/// The messages to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// All messages of the query.
    All,
    /// The messages of a row, by its keys in the report.
    Row(Vec<String>),
    /// One message, by its id.
    Message(String),
}

/// Messages with all their lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Explanation {
    /// The messages, by time.
    pub messages: Vec<ExplainedMessage>,
    /// The sums of the messages. For a row of tools, of all messages with a block in it.
    pub total: Sums,
}

/// One message and its lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedMessage {
    /// The id from the API.
    pub id: Option<String>,
    /// The model.
    pub model: String,
    /// The time of its first line.
    pub time: Option<String>,
    /// The session in which it was made.
    #[serde(rename = "sessionId")]
    pub session: String,
    /// The tokens that count.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// The terms of the cost; `None` if the price is unknown.
    pub bill: Option<Bill>,
    /// Whether the CLI made it. Such messages are in no row.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
    /// Its lines, by file.
    pub lines: Vec<ExplainedLine>,
}

/// A line of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedLine {
    /// The file.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The line's number, from one.
    pub line: u64,
    /// Its offset in bytes.
    pub offset: u64,
    /// Its output tokens.
    pub output: u64,
    /// Whether it counts.
    #[serde(rename = "verdict")]
    pub counted_as: CountedAs,
    /// Whether it was salvaged from a broken line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// Whether a line counts, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CountedAs {
    /// It has the usage that counts.
    Kept,
    /// Another block of the same reply, with the same usage.
    BlockCopy,
    /// Another block of the same reply, with the usage so far.
    SmallerUsage,
    /// A copy in the file of a fork.
    ForkCopy,
    /// Probably a copy, since its session ended later; it is not marked as one.
    LikelyForkCopy,
}

impl UsageQuery {
    /// Explains the numbers of a library: the selected messages, all their lines, and which of them
    /// count.
    ///
    /// # Errors
    /// The folder of sessions cannot be listed.
    pub fn explain(
        &self,
        library: &SessionLibrary,
        selection: &Selection,
    ) -> Result<Explanation, TranscriptError> {
        let files = in_order(library.survey()?.files);
        let watch = match selection {
            Selection::Message(id) => Watch::One(scan::message_key(id.as_bytes())),
            Selection::All | Selection::Row(_) => Watch::All,
        };
        let Gathered {
            tables,
            spans,
            not_live,
            watched,
            ..
        } = Gathered::read(self, &files, None, Some(watch));
        let range = self.range();
        let grouping = Grouping::new(self, &files, &not_live);
        let is_selected = |message: &Sighting| match selection {
            Selection::Message(_) => true,
            Selection::All => range.contains(message.time),
            Selection::Row(row) => {
                tables.rank(message.class).0 != scan::SYNTHETIC
                    && range.contains(message.time)
                    && grouping.is_in(row, &tables, message)
            }
        };
        let mut explained = Vec::new();
        for same in watched.chunk_by(|a, b| a.sighting.key == b.sighting.key) {
            let sightings: Vec<Sighting> = same.iter().map(|w| w.sighting.clone()).collect();
            let (messages, groups) = dedup::dedup(&sightings, &tables, &spans);
            let mut lines_of: Vec<Vec<&Watched>> = vec![Vec::new(); messages.len()];
            for (watched, group) in same.iter().zip(&groups) {
                lines_of[*group].push(watched);
            }
            for (message, lines) in messages.iter().zip(lines_of) {
                if is_selected(message) {
                    let message = self.explain_message(&files, &tables, message, &lines);
                    explained.push(message);
                }
            }
        }
        explained.sort_by(|a, b| (&a.time, &a.id).cmp(&(&b.time, &b.id)));
        let mut total = Sums::default();
        for message in explained.iter().filter(|message| !message.synthetic) {
            total.add(message.tokens, message.bill.as_ref().map(|bill| bill.total));
        }
        Ok(Explanation {
            messages: explained,
            total,
        })
    }

    fn explain_message(
        &self,
        files: &[SessionFile],
        tables: &Tables,
        message: &Sighting,
        lines: &[&Watched],
    ) -> ExplainedMessage {
        let context = tables.contexts.get(message.context as usize);
        let home = context.map_or(u32::MAX, |context| context.file);
        let (model, manner) = tables.rank(message.class);
        let has_usage = |line: &&&Watched| line.sighting.tokens == message.tokens;
        let at_home = lines
            .iter()
            .filter(has_usage)
            .find(|line| line.file == home);
        let kept = at_home.or_else(|| lines.iter().find(has_usage));
        let kept = kept.map(|line| (line.file, line.offset));
        let line = |watched: &&Watched| ExplainedLine {
            path: files[watched.file as usize].path.clone(),
            line: watched.ordinal + 1,
            offset: watched.offset,
            output: watched.sighting.tokens.output,
            counted_as: if Some((watched.file, watched.offset)) == kept {
                CountedAs::Kept
            } else if watched.file != home
                && message.marks.guessed
                && !watched.sighting.marks.forked
            {
                CountedAs::LikelyForkCopy
            } else if watched.file != home {
                CountedAs::ForkCopy
            } else if watched.sighting.tokens == message.tokens {
                CountedAs::BlockCopy
            } else {
                CountedAs::SmallerUsage
            },
            recovered: watched.sighting.marks.recovered,
        };
        let price = self
            .prices
            .model(model)
            .and_then(|price| price.at(message.time));
        ExplainedMessage {
            id: lines.first().and_then(|line| line.message_id.clone()),
            model: model.to_owned(),
            time: (message.time != 0).then(|| time_text(message.time)),
            session: context.map_or_else(String::new, |context| {
                tables.names.get(context.session).to_owned()
            }),
            tokens: message.tokens,
            bill: price.map(|price| price.bill(&message.tokens, manner)),
            synthetic: model == scan::SYNTHETIC,
            lines: lines.iter().map(line).collect(),
        }
    }
}
