//! Repairs of repairs.
//!
//! To mend one thing can bring another one to light: a line that is hung elsewhere may have the
//! wrong flag for its new chain. So what a repair would write is looked at again, until there is
//! nothing left to do. One look is enough for all but files with damage upon damage.

use std::collections::HashSet;
use std::io::{self, Read, Seek, Write};

use super::planned;
use super::scan::{Place as FilePlace, scan};
use super::step::RepairStep;
use super::work::Work;
use super::write::write_lines;

/// After so many rounds a file is left as it is then.
const ROUNDS: usize = 12;

/// Where a line that will be written comes from.
#[derive(Debug, Clone, Copy)]
struct Place {
    line: u64,
    offset: u64,
}

/// Plans round upon round; `between` makes room for what one round leaves to the next, `elsewhere`
/// says which of some parents are in other files, where they belong. The steps say where in the
/// file of the first round something is done.
pub(super) fn plan<B: Read + Write + Seek>(
    source: &mut (impl Read + Seek),
    place: &FilePlace,
    between: impl Fn() -> io::Result<B>,
    elsewhere: impl FnOnce(Vec<String>) -> HashSet<String>,
) -> io::Result<(Vec<Work>, Vec<RepairStep>)> {
    let mut first = scan(&mut *source, place)?;
    let lost = first.lost_parents();
    let elsewhere = if lost.is_empty() {
        HashSet::new()
    } else {
        elsewhere(lost)
    };
    first.know(&elsewhere);
    let mut rounds = vec![planned(first)];
    let mut steps = std::mem::take(&mut rounds[0].steps);
    if steps.is_empty() {
        return Ok((rounds, steps));
    }
    let mut places = places(&rounds[0], None);
    let mut left = between()?;
    write_lines(&rounds[0], source, &mut left, None)?;
    while rounds.len() < ROUNDS {
        left.rewind()?;
        let mut work = scan(&mut left, place)?;
        work.know(&elsewhere);
        let mut work = planned(work);
        let found = std::mem::take(&mut work.steps);
        if found.is_empty() {
            break;
        }
        steps.extend(found.into_iter().map(|step| in_first(step, &places)));
        places = self::places(&work, Some(&places));
        let mut next = between()?;
        write_lines(&work, &mut left, &mut next, None)?;
        left = next;
        rounds.push(work);
    }
    steps.sort_by_key(|step| step.offset);
    Ok((rounds, steps))
}

/// Where the lines that a round writes come from, in the file of the first round.
fn places(work: &Work, before: Option<&[Place]>) -> Vec<Place> {
    let written = work.items.iter().filter(|item| !item.gone);
    let place = |line: u64, offset: u64| match before {
        None => Place { line, offset },
        Some(before) => find(before, line).unwrap_or(Place { line: 1, offset: 0 }),
    };
    written
        .map(|item| place(item.line, item.span.offset))
        .collect()
}

fn find(places: &[Place], line: u64) -> Option<Place> {
    let at = usize::try_from(line.checked_sub(1)?).ok()?;
    places.get(at).copied()
}

fn in_first(mut step: RepairStep, places: &[Place]) -> RepairStep {
    if let Some(place) = find(places, step.line) {
        step.line = place.line;
        step.offset = place.offset;
    }
    step
}
