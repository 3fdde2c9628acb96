//! Why a number is what it is.

use std::collections::HashSet;
use std::path::PathBuf;

use serde::Serialize;

use super::gather::{self, Gathered};
use super::group::Grouping;
use super::prices::Bill;
use super::report::Sums;
use super::scan::{self, Watched};
use super::settle::{self, Message};
use super::sighting::Sighting;
use super::tokens::Tokens;
use super::{Counting, time_text};

/// Which messages to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selection {
    /// All of the query.
    All,
    /// Those of a row, by its keys as the report gives them.
    Row(Vec<String>),
    /// One, by its id.
    Message(String),
}

/// Messages with every line that tells of them. Grows with what is asked for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Explanation {
    /// By time.
    pub messages: Vec<ExplainedMessage>,
    /// What they add up to. For a row of tools this is the whole of the messages that have a part
    /// in it.
    pub total: Sums,
}

/// How one message was counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedMessage {
    /// The id that the service gave it.
    pub id: Option<String>,
    /// The model.
    pub model: String,
    /// When its first line was written.
    pub time: Option<String>,
    /// The session in which it was made.
    #[serde(rename = "sessionId")]
    pub session: String,
    /// What counts.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// How the cost comes about; nothing when the price is unknown.
    pub bill: Option<Bill>,
    /// Written by the CLI itself, and in no row.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
    /// Every line that tells of it, by file.
    pub lines: Vec<ExplainedLine>,
}

/// A line that tells of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedLine {
    /// The file.
    #[serde(serialize_with = "crate::files::lossy")]
    pub path: PathBuf,
    /// The line's number, from one.
    pub line: u64,
    /// Where it begins, in bytes.
    pub offset: u64,
    /// The output tokens that it gives.
    pub output: u64,
    /// Whether it counts.
    pub verdict: Verdict,
    /// Whether it was taken out of a broken line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// It tells the usage of its message.
    Kept,
    /// Another block of the same reply, with the same usage.
    BlockCopy,
    /// Another block of the same reply, with usage as it was known so far.
    SmallerUsage,
    /// A copy in another file, of a session that was forked.
    ForkCopy,
    /// The same, but nothing marks it as a copy: that it is not the original is only likely, from
    /// the session having ended later.
    LikelyForkCopy,
}

impl Counting<'_> {
    pub(super) fn explain(&self, selection: &Selection) -> Explanation {
        let keys = match selection {
            Selection::Message(id) => HashSet::from([scan::message_key(id.as_bytes())]),
            Selection::All | Selection::Row(_) => self.keys_of(selection),
        };
        let gathered = self.gather(Some(&keys));
        let mut grouping = Grouping::new(self.groups, self.zone, self.files, &gathered.not_live);
        let mut explained = Vec::new();
        for same in gathered
            .watched
            .chunk_by(|a, b| a.sighting.key == b.sighting.key)
        {
            let sightings: Vec<Sighting> = same.iter().map(|w| w.sighting.clone()).collect();
            let mut messages = Vec::new();
            let groups =
                settle::settle(&sightings, &gathered.tables, &gathered.spans, &mut messages);
            let mut lines_of: Vec<Vec<&Watched>> = vec![Vec::new(); messages.len()];
            for (watched, group) in same.iter().zip(&groups) {
                lines_of[*group].push(watched);
            }
            for (message, lines) in messages.iter().zip(lines_of) {
                if !self.is_selected(selection, &gathered, message, &mut grouping) {
                    continue;
                }
                explained.push((message.time, self.one(&gathered, message, &lines)));
            }
        }
        explained.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
        let mut total = Sums::default();
        for (_, message) in explained.iter().filter(|(_, message)| !message.synthetic) {
            total.add(message.tokens, message.bill.as_ref().map(|bill| bill.total));
        }
        Explanation {
            messages: explained.into_iter().map(|(_, message)| message).collect(),
            total,
        }
    }

    /// The keys of all messages that may be meant.
    fn keys_of(&self, selection: &Selection) -> HashSet<u64> {
        let mut gathered = self.gather(None);
        let not_live = std::mem::take(&mut gathered.not_live);
        let mut grouping = Grouping::new(self.groups, self.zone, self.files, &not_live);
        let mut keys = HashSet::new();
        gathered.for_each_message(|tables, message| {
            let is_meant = match selection {
                Selection::Row(row) => grouping.keys_of(tables, &message).contains(row),
                _ => true,
            };
            if is_meant && self.is_asked_for(message.time) {
                keys.insert(message.key);
            }
        });
        keys
    }

    fn is_selected(
        &self,
        selection: &Selection,
        gathered: &Gathered,
        message: &Message,
        grouping: &mut Grouping<'_>,
    ) -> bool {
        let synthetic = gathered.tables.rank(message.class).0 == scan::SYNTHETIC;
        match selection {
            Selection::Message(_) => true,
            Selection::All => self.is_asked_for(message.time),
            Selection::Row(row) => {
                !synthetic
                    && self.is_asked_for(message.time)
                    && grouping.keys_of(&gathered.tables, message).contains(row)
            }
        }
    }

    fn one(&self, gathered: &Gathered, message: &Message, lines: &[&Watched]) -> ExplainedMessage {
        let tables = &gathered.tables;
        let place = tables.places.get(message.place as usize);
        let home = place.map_or(u32::MAX, |place| place.file);
        let (model, ..) = tables.rank(message.class);
        let tells = |watched: &&&Watched| watched.sighting.tokens == message.tokens;
        let at_home = lines.iter().filter(tells).find(|line| line.file == home);
        let kept = at_home.or_else(|| lines.iter().find(tells));
        let kept = kept.map(|line| (line.file, line.offset));
        let line = |watched: &&Watched| ExplainedLine {
            path: gather::path_of(self.files, watched.file),
            line: watched.ordinal + 1,
            offset: watched.offset,
            output: watched.sighting.tokens.output,
            verdict: if Some((watched.file, watched.offset)) == kept {
                Verdict::Kept
            } else if watched.file != home && message.guessed && !watched.sighting.marks.forked {
                Verdict::LikelyForkCopy
            } else if watched.file != home {
                Verdict::ForkCopy
            } else if watched.sighting.tokens == message.tokens {
                Verdict::BlockCopy
            } else {
                Verdict::SmallerUsage
            },
            recovered: watched.sighting.marks.recovered,
        };
        ExplainedMessage {
            id: lines.first().and_then(|line| line.message_id.clone()),
            model: model.to_owned(),
            time: (message.time != 0).then(|| time_text(message.time)),
            session: place.map_or_else(String::new, |place| {
                tables.names.get(place.session).to_owned()
            }),
            tokens: message.tokens,
            bill: self.bill(tables, message),
            synthetic: model == scan::SYNTHETIC,
            lines: lines.iter().map(line).collect(),
        }
    }
}
