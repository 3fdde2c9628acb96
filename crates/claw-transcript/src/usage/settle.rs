//! All sightings of a message become one message, and where it belongs is decided.

use super::sighting::{BlockShare, RequestMark, Sighting, known};
use super::tables::Tables;
use super::tokens::Tokens;

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
    /// The user stopped it, and the CLI did not count it.
    pub(super) unfinished: bool,
    /// Only seen in broken lines.
    pub(super) recovered: bool,
    pub(super) blocks: Vec<BlockShare>,
}

/// When the replies of each file were made: the first and the last.
pub(super) type Spans = [(i64, i64)];

/// Settles the sightings of one key. Gives the messages they are (one, but for a clash of ids), and
/// for each sighting which of them it belongs to. The result does not depend on their order.
pub(super) fn settle(
    sightings: &[Sighting],
    tables: &Tables,
    spans: &Spans,
    into: &mut Vec<Message>,
) -> Vec<usize> {
    let groups = groups(sightings, tables);
    let count = groups.iter().max().map_or(0, |last| last + 1);
    for group in 0..count {
        let of_group = || {
            let all = sightings.iter().zip(&groups);
            all.filter(move |(_, of)| **of == group)
                .map(|(sighting, _)| sighting)
        };
        into.extend(settle_one(of_group(), tables, spans));
    }
    groups
}

fn settle_one<'a>(
    sightings: impl Iterator<Item = &'a Sighting>,
    tables: &Tables,
    spans: &Spans,
) -> Option<Message> {
    let mut all: Option<Sighting> = None;
    let mut home: Option<&Sighting> = None;
    for sighting in sightings {
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
    all.blocks.sort_unstable();
    Some(Message {
        key: all.key,
        tokens: all.tokens,
        class: all.class,
        time: all.time,
        place: home.place,
        unfinished: all.marks.unfinished,
        recovered: all.marks.recovered,
        blocks: all.blocks,
    })
}

/// The smallest is where a message was made. Beside its request it is at home. A copy may be marked
/// as one. The official SDK gives the last line that it copies a new time, later than the first.
/// Otherwise copies keep all times, and then the file that ended first was there first.
fn origin(
    sighting: &Sighting,
    tables: &Tables,
    spans: &Spans,
) -> (bool, bool, i64, i64, i64, u32, u32) {
    let place = tables.places.get(sighting.place as usize);
    let file = place.map_or(0, |place| place.file);
    let (first, last) = spans.get(file as usize).copied().unwrap_or_default();
    (
        !sighting.marks.at_home,
        sighting.marks.forked,
        known(sighting.time),
        known(first),
        known(last),
        file,
        sighting.place,
    )
}

/// Which message each sighting is of.
///
/// One id is one message, with two exceptions. Two requests by the CLI's own count are two messages,
/// even if a gateway gives all of them the same id. Two requests by the service's count are two if
/// their prompts differ too: some gateways make up a request id for each line.
fn groups(sightings: &[Sighting], tables: &Tables) -> Vec<usize> {
    let same = sightings
        .windows(2)
        .all(|pair| pair[0].request == pair[1].request);
    if same {
        return vec![0; sightings.len()];
    }
    // For each request the usage that wins.
    let mut requests: Vec<(RequestMark, &Sighting)> = Vec::new();
    for sighting in sightings {
        let known = requests
            .iter_mut()
            .find(|(request, _)| *request == sighting.request);
        match known {
            None => requests.push((sighting.request, sighting)),
            Some((_, best)) if sighting.outdoes(best, tables) => *best = sighting,
            Some(_) => {}
        }
    }
    let prompt = |best: &Sighting| {
        let model = tables.rank(best.class).0.to_owned();
        let tokens = Tokens {
            output: 0,
            web_searches: 0,
            ..best.tokens
        };
        (model, tokens)
    };
    // The CLI's own first, then the service's, then those without: each joins what fits.
    requests.sort_by_key(|(request, _)| std::cmp::Reverse(*request));
    let mut found: Vec<((String, Tokens), bool)> = Vec::new();
    let mut group_of: Vec<(RequestMark, usize)> = Vec::new();
    for (request, best) in &requests {
        let prompt = prompt(best);
        let own = matches!(request, RequestMark::Own(_));
        let fits = found.iter().position(|(known, _)| *known == prompt);
        let group = match (request, fits) {
            (RequestMark::None, None) if !found.is_empty() => 0,
            (_, Some(group)) if !own => group,
            _ => {
                found.push((prompt, own));
                found.len() - 1
            }
        };
        group_of.push((*request, group));
    }
    let group = |sighting: &Sighting| {
        let known = group_of
            .iter()
            .find(|(request, _)| *request == sighting.request);
        known.map_or(0, |(_, group)| *group)
    };
    sightings.iter().map(group).collect()
}

#[cfg(test)]
mod tests;
