//! Merges all sightings of a message, and selects the session to which it belongs.

use std::collections::BTreeMap;

use super::sighting::{Sighting, known};
use super::tables::Tables;
use super::tokens::Tokens;
use crate::requests::{self, RequestMark};

/// The times of a file in seconds since 1970; zero if unknown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    /// The creation time of the file.
    pub(super) born: i64,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// Merges the sightings of one key into messages: one, unless ids collide. Also returns the index of
/// the message for each sighting. The result does not depend on their order.
pub(super) fn dedup(
    sightings: &[Sighting],
    tables: &Tables,
    spans: &[Span],
) -> (Vec<Sighting>, Vec<usize>) {
    let groups = groups(sightings, tables);
    // Gateways may give thousands of messages one id, so each is visited once.
    let mut order: Vec<usize> = (0..sightings.len()).collect();
    order.sort_by_key(|at| groups[*at]);
    let same = order.chunk_by(|a, b| groups[*a] == groups[*b]);
    let messages = same.filter_map(|same| {
        let same = same.iter().map(|at| &sightings[*at]);
        merge_group(same, tables, spans)
    });
    (messages.collect(), groups)
}

fn merge_group<'a>(
    sightings: impl Iterator<Item = &'a Sighting> + Clone,
    tables: &Tables,
    spans: &[Span],
) -> Option<Sighting> {
    let mut all: Option<Sighting> = None;
    let mut home: Option<&Sighting> = None;
    for sighting in sightings.clone() {
        let is_nearer =
            |other: &Sighting| origin(sighting, tables, spans) < origin(other, tables, spans);
        if home.is_none_or(is_nearer) {
            home = Some(sighting);
        }
        match &mut all {
            None => all = Some(sighting.clone()),
            Some(all) => all.merge(sighting.clone(), tables),
        }
    }
    let (mut all, home) = (all?, home?);
    let file = file_of(home, tables);
    let found = signs(home, file, spans);
    all.context = home.context;
    all.marks.guessed = sightings.into_iter().any(|other| {
        let other_file = file_of(other, tables);
        other_file != file && signs(other, other_file, spans) == found
    });
    Some(all)
}

/// Evidence for the original; the smallest wins. The original is in the file of its request. A copy
/// may be marked. The official SDK gives the last line that it copies a later time. Other copies
/// keep all times, and a file that existed at that time has the original.
type Signs = (bool, bool, i64, i64, bool);

fn signs(sighting: &Sighting, file: u32, spans: &[Span]) -> Signs {
    let Span { born, first, .. } = spans.get(file as usize).copied().unwrap_or_default();
    let was_there = born != 0 && born <= sighting.time;
    (
        !sighting.marks.at_home,
        sighting.marks.forked,
        known(sighting.time),
        known(first),
        !was_there,
    )
}

/// The sort key of sightings. Without other evidence the file that ended first has the original,
/// which is a guess; the rest only makes it deterministic.
fn origin(sighting: &Sighting, tables: &Tables, spans: &[Span]) -> (Signs, i64, u32, u32) {
    let file = file_of(sighting, tables);
    let last = spans.get(file as usize).map_or(0, |span| span.last);
    let signs = signs(sighting, file, spans);
    (signs, known(last), file, sighting.context)
}

fn file_of(sighting: &Sighting, tables: &Tables) -> u32 {
    let context = tables.contexts.get(sighting.context as usize);
    context.map_or(0, |context| context.file)
}

/// The index of the message of each sighting.
fn groups(sightings: &[Sighting], tables: &Tables) -> Vec<usize> {
    let same = sightings
        .windows(2)
        .all(|pair| pair[0].request == pair[1].request);
    if same {
        return vec![0; sightings.len()];
    }
    // The usage that counts for each request.
    let mut best: BTreeMap<RequestMark, &Sighting> = BTreeMap::new();
    for sighting in sightings {
        let best = best.entry(sighting.request).or_insert(sighting);
        if sighting.outdoes(best, tables) {
            *best = sighting;
        }
    }
    let prompt = |best: &Sighting| {
        let tokens = Tokens {
            output: 0,
            web_searches: 0,
            ..best.tokens
        };
        (tables.rank(best.class).0, tokens)
    };
    let requests = best.into_iter().map(|(mark, best)| (mark, prompt(best)));
    let groups = requests::replies(requests.collect());
    let group = |sighting: &Sighting| groups.get(&sighting.request).copied().unwrap_or(0);
    sightings.iter().map(group).collect()
}

#[cfg(test)]
mod tests;
