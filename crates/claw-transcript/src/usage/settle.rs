//! All sightings of a message become one message, and where it belongs is decided.

use std::collections::BTreeMap;

use super::sighting::{BlockShare, Sighting, known};
use super::tables::Tables;
use super::tokens::Tokens;
use crate::requests::{self, RequestMark};

/// A message, counted once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) key: u64,
    pub(super) tokens: Tokens,
    pub(super) class: u32,
    /// When it was first seen, in seconds since 1970; zero when unknown.
    pub(super) time: i64,
    /// Where it was made, as opposed to copied to.
    pub(super) place: u32,
    /// Another file has it too, and nothing but the ends of both says which is the copy.
    pub(super) guessed: bool,
    /// The user stopped it, and the CLI did not count it.
    pub(super) unfinished: bool,
    /// Only seen in broken lines.
    pub(super) recovered: bool,
    pub(super) blocks: Vec<BlockShare>,
}

/// The times of a file, in seconds since 1970; zero when unknown.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    /// When the file was made, as its file system says.
    pub(super) born: i64,
    /// When its first reply was made.
    pub(super) first: i64,
    /// When its last reply was made.
    pub(super) last: i64,
}

/// Settles the sightings of one key. Gives the messages they are (one, but for a clash of ids), and
/// for each sighting which of them it belongs to. The result does not depend on their order.
pub(super) fn settle(
    sightings: &[Sighting],
    tables: &Tables,
    spans: &[Span],
    into: &mut Vec<Message>,
) -> Vec<usize> {
    let groups = groups(sightings, tables);
    // One id for thousands of messages is a gateway's doing; each is gone over once all the same.
    let mut order: Vec<usize> = (0..sightings.len()).collect();
    order.sort_by_key(|at| groups[*at]);
    for same in order.chunk_by(|a, b| groups[*a] == groups[*b]) {
        let same = same.iter().map(|at| &sightings[*at]);
        into.extend(settle_one(same, tables, spans));
    }
    groups
}

fn settle_one<'a>(
    sightings: impl Iterator<Item = &'a Sighting> + Clone,
    tables: &Tables,
    spans: &[Span],
) -> Option<Message> {
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
    let guessed = sightings.into_iter().any(|other| {
        let other_file = file_of(other, tables);
        other_file != file && signs(other, other_file, spans) == found
    });
    all.blocks.sort_unstable();
    Some(Message {
        key: all.key,
        tokens: all.tokens,
        class: all.class,
        time: all.time,
        place: home.place,
        guessed,
        unfinished: all.marks.unfinished,
        recovered: all.marks.recovered,
        blocks: all.blocks,
    })
}

/// The smallest is where a message was made. Beside its request it is at home. A copy may be marked
/// as one. The official SDK gives the last line that it copies a new time, later than the first.
/// Otherwise copies keep all times, and then a file that was there at the time has the original.
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

/// By what places are compared. Without a sign the file that ended first is taken to have been there
/// first. That is a guess, and what follows only makes it always the same.
fn origin(sighting: &Sighting, tables: &Tables, spans: &[Span]) -> (Signs, i64, u32, u32) {
    let file = file_of(sighting, tables);
    let last = spans.get(file as usize).map_or(0, |span| span.last);
    let signs = signs(sighting, file, spans);
    (signs, known(last), file, sighting.place)
}

fn file_of(sighting: &Sighting, tables: &Tables) -> u32 {
    let place = tables.places.get(sighting.place as usize);
    place.map_or(0, |place| place.file)
}

/// Which message each sighting is of.
fn groups(sightings: &[Sighting], tables: &Tables) -> Vec<usize> {
    let same = sightings
        .windows(2)
        .all(|pair| pair[0].request == pair[1].request);
    if same {
        return vec![0; sightings.len()];
    }
    // For each request the usage that wins.
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
