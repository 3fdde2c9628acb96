//! Invariants of clients that reconnect.

use std::collections::BTreeMap;
use std::ops::Range;

use claw_server::{Dialect, MobileMessage, Sequenced};

use super::laws::{Tested, disturbed};
use super::random::Random;
use super::recorded::Item;
use crate::phone::{Client, Shown, same};

/// A phone gets no pieces.
impl Shown for MobileMessage {
    fn is_piece(&self) -> bool {
        false
    }

    fn text(_messages: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        Ok(BTreeMap::new())
    }
}

/// A dialect whose clients reconnect.
pub(crate) trait Resumable: Tested<Message: Shown> {}

impl<D: Tested<Message: Shown>> Resumable for D {}

/// How a server resumes after a cursor.
pub(crate) type Resume<D> = fn(u64) -> Sequenced<D>;

/// As it is done.
pub(crate) fn from_the_log<D: Resumable>(after: u64) -> Sequenced<D> {
    Sequenced::new(D::fresh(), after)
}

/// A wrong implementation, which the invariant must detect: it skips the events before the cursor,
/// so running work is unknown.
pub(crate) fn by_the_number_alone<D: Resumable>(after: u64) -> Sequenced<D> {
    let mut dialect = D::fresh();
    dialect.gap(1, after, &mut Vec::new());
    Sequenced::new(dialect, after)
}

/// Checks that a client that disconnects after any message and reconnects at any time has the same
/// messages as one that never disconnects: the same text in every turn, and everything else in the
/// same order. Tests at most `most` random messages of the session, and one client that disconnects
/// repeatedly. Returns the number of reconnects.
pub(crate) fn reconnects<D: Resumable>(
    items: &[Item],
    random: &mut Random,
    most: usize,
    resume: Resume<D>,
) -> Result<u64, String> {
    let mut all = Vec::new();
    let mut dialect = D::fresh();
    for item in items {
        item.send_to(&mut dialect, &mut all);
    }
    let all: Vec<&D::Message> = all.iter().collect();
    let wire = disturbed(items, random);
    let mut times = 0;
    let (stayed, mut cuts) = cuts(resume(0), &wire);
    while cuts.len() > most {
        cuts.swap_remove(random.below(cuts.len()));
    }
    for Cut { kept, after, place } in cuts {
        let kept = stayed.messages().take(kept).cloned();
        let mut client = Client::resumed(kept.collect(), after);
        let back = place + random.below((wire.len() - place).min(12) + 1);
        let ring = back - random.below(back.min(60) + 1);
        connect(&mut client, resume(after), &wire, ring..back, usize::MAX);
        times += 1;
        same(&client, &all).map_err(|fault| {
            let name = D::NAME;
            format!("{name}: cut off at {place} behind {after}, back at {back}: {fault}")
        })?;
    }
    let mut client = Client::new();
    let (mut back, mut patience) = (0, 6);
    while back < wire.len() {
        let after = client.cut();
        // A client that is always cut off at the same message makes no progress.
        patience -= 1;
        let messages = if patience > 0 {
            random.below(40)
        } else {
            usize::MAX
        };
        let ring = back - random.below(back.min(60) + 1);
        let reached = connect(&mut client, resume(after), &wire, ring..back, messages);
        back = (reached + random.below(6)).min(wire.len());
        if reached == wire.len() {
            break;
        }
        times += 1;
    }
    let after = client.cut();
    let ring = wire.len()..wire.len();
    connect(&mut client, resume(after), &wire, ring, usize::MAX);
    same(&client, &all)
        .map_err(|fault| format!("{}: cut off again and again: {fault}", D::NAME))?;
    Ok(times)
}

/// A place where a client is cut off.
struct Cut {
    /// The number of messages that the client keeps.
    kept: usize,
    /// Its cursor.
    after: u64,
    /// The number of items before it.
    place: usize,
}

/// The places before the first message, and after each with which the cursor rises: clients that
/// are cut off in between keep the same messages. Also returns a client that is not cut off.
fn cuts<D: Dialect<Message: Shown>>(
    mut dialect: Sequenced<D>,
    wire: &[Item],
) -> (Client<D::Message>, Vec<Cut>) {
    let mut client = Client::new();
    let (mut kept, mut after) = (0, 0);
    let mut cuts = vec![Cut {
        kept,
        after,
        place: 0,
    }];
    let mut messages = Vec::new();
    for (place, item) in (1..).zip(wire) {
        item.send_to(&mut dialect, &mut messages);
        for message in messages.drain(..) {
            kept += 1;
            client.take(message);
            if client.after > after {
                after = client.after;
                cuts.push(Cut { kept, after, place });
            }
        }
    }
    (client, cuts)
}

/// Runs a connection: the log up to the point where the client reconnects, of which the items of
/// the ring are delivered again with their deltas, then live messages up to a number of messages.
/// Returns the position.
fn connect<D: Dialect>(
    client: &mut Client<D::Message>,
    mut dialect: Sequenced<D>,
    wire: &[Item],
    ring: Range<usize>,
    mut messages: usize,
) -> usize {
    let mut said = Vec::new();
    let is_kept = |item: &&Item| matches!(item, Item::Event(_));
    let back = ring.end;
    let log = wire[..ring.start].iter().filter(is_kept);
    let log = log.chain(&wire[ring]).map(|item| (back, item));
    let live = (back + 1..).zip(&wire[back..]);
    for (reached, item) in log.chain(live) {
        item.send_to(&mut dialect, &mut said);
        for message in said.drain(..) {
            if messages == 0 {
                return reached;
            }
            messages -= 1;
            client.take(message);
        }
    }
    wire.len()
}
