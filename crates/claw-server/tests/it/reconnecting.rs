//! The law of those who are cut off and come again. The proof checks it, too, with more cases.

use std::collections::BTreeMap;
use std::fmt::Debug;

use claw_server::{Dialect, MobileMessage, Sequenced, SequencedMessage, UiMessage};

use super::laws::{self, disturbed, shown_text};
use super::random::Random;
use super::recorded::Item;

/// A client: what it was sent that counts, what is provisional, and where it goes on. It knows the
/// one rule and nothing else.
#[derive(Debug, Clone)]
pub(crate) struct Client<M> {
    kept: Vec<M>,
    provisional: Vec<M>,
    after: u64,
}

impl<M> Client<M> {
    pub(crate) fn new() -> Self {
        Self {
            kept: Vec::new(),
            provisional: Vec::new(),
            after: 0,
        }
    }

    pub(crate) fn take(&mut self, said: SequencedMessage<M>) {
        self.provisional.push(said.message);
        if said.after > self.after {
            self.after = said.after;
            self.kept.append(&mut self.provisional);
        }
    }

    /// The connection breaks. From where to go on.
    pub(crate) fn cut(&mut self) -> u64 {
        self.provisional.clear();
        self.after
    }

    /// All that it shows.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &M> + Clone {
        self.kept.iter().chain(&self.provisional)
    }
}

/// A message that a screen is made of.
pub(crate) trait Shown: Clone + PartialEq + Debug + Send + 'static {
    /// Whether it is a piece of text, of which only the sum counts.
    fn is_piece(&self) -> bool;

    /// The text of each turn.
    fn text(messages: &[&Self]) -> Result<BTreeMap<u64, String>, String>;
}

impl Shown for UiMessage {
    fn is_piece(&self) -> bool {
        matches!(self, Self::TextChunk { .. } | Self::TextRetracted { .. })
    }

    fn text(messages: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        shown_text(messages.iter().copied())
    }
}

/// A phone gets no pieces.
impl Shown for MobileMessage {
    fn is_piece(&self) -> bool {
        false
    }

    fn text(_messages: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        Ok(BTreeMap::new())
    }
}

/// A dialect whose readers are cut off.
pub(crate) trait Resumable: laws::Dialect + Dialect<Message: Shown> {}

impl<D: laws::Dialect + Dialect<Message: Shown>> Resumable for D {}

type Said<D> = <D as Dialect>::Message;

/// How a server goes on behind a number.
pub(crate) type Resume<D> = fn(u64) -> Sequenced<D>;

/// As it is done.
pub(crate) fn from_the_log<D: Resumable>(after: u64) -> Sequenced<D> {
    Sequenced::new(D::fresh(), after)
}

/// As it must not be done: what was seen is passed over, and so nobody knows what runs. The law has
/// to find this out.
pub(crate) fn by_the_number_alone<D: Resumable>(after: u64) -> Sequenced<D> {
    let mut dialect = D::fresh();
    dialect.gap(1, after, &mut Vec::new());
    Sequenced::new(dialect, after)
}

/// Cut off behind any message, and come again at any time, a client has what one has who saw it
/// all: the same text in every turn, and all else the same, in the same order. Every message of a
/// session is a place to be cut off, of which at most so many are looked at, by chance; and one
/// more client is cut off again and again. Says how many came again.
pub(crate) fn reconnects<D: Resumable>(
    items: &[Item],
    random: &mut Random,
    most: usize,
    resume: Resume<D>,
) -> Result<u64, String> {
    let mut all = Vec::new();
    let mut dialect = D::fresh();
    for item in items {
        bring(&mut dialect, item, &mut all);
    }
    let all: Vec<&Said<D>> = all.iter().collect();
    let wire = disturbed(items, random);
    let mut times = 0;
    // Of all clients that were cut off since the number rose, each has the same left: so one comes
    // again for all of them, at any time behind the first.
    let mut cut_off = cut_off(resume(0), &wire);
    while cut_off.len() > most {
        cut_off.swap_remove(random.below(cut_off.len()));
    }
    for (client, place) in cut_off {
        let mut client: Client<Said<D>> = client;
        let back = place + random.below((wire.len() - place).min(12) + 1);
        let after = client.cut();
        connect(&mut client, resume(after), &wire, back, usize::MAX);
        times += 1;
        same(&client, &all).map_err(|fault| {
            format!(
                "{}: cut off at {place} behind {after}, back at {back}: {fault}",
                D::NAME
            )
        })?;
    }
    let mut client = Client::new();
    let (mut back, mut patience) = (0, 6);
    while back < wire.len() {
        let after = client.cut();
        // Somebody who is cut off again and again at the same place never gets anywhere.
        patience -= 1;
        let messages = if patience > 0 {
            random.below(40)
        } else {
            usize::MAX
        };
        let reached = connect(&mut client, resume(after), &wire, back, messages);
        back = (reached + random.below(6)).min(wire.len());
        if reached == wire.len() {
            break;
        }
        times += 1;
    }
    let after = client.cut();
    connect(&mut client, resume(after), &wire, wire.len(), usize::MAX);
    same(&client, &all)
        .map_err(|fault| format!("{}: cut off again and again: {fault}", D::NAME))?;
    Ok(times)
}

/// Those who are cut off: before the first message, and behind each with which the number rose;
/// with the item behind which that was.
fn cut_off<D: Dialect<Message: Shown>>(
    mut dialect: Sequenced<D>,
    wire: &[Item],
) -> Vec<(Client<D::Message>, usize)> {
    let mut client = Client::new();
    let mut cut_off = vec![(client.clone(), 0)];
    let mut messages = Vec::new();
    for (place, item) in (1..).zip(wire) {
        bring(&mut dialect, item, &mut messages);
        for message in messages.drain(..) {
            let before = client.after;
            client.take(message);
            if client.after > before {
                cut_off.push((client.clone(), place));
            }
        }
    }
    cut_off
}

/// A connection: the log up to where the client comes back, then all else as it is said, until so
/// many messages have come. Says where that was.
fn connect<D: Dialect>(
    client: &mut Client<D::Message>,
    mut dialect: Sequenced<D>,
    wire: &[Item],
    back: usize,
    mut messages: usize,
) -> usize {
    let mut said = Vec::new();
    let is_kept = |item: &&Item| matches!(item, Item::Event(_));
    let log = wire[..back].iter().filter(is_kept).map(|item| (back, item));
    let live = (back + 1..).zip(&wire[back..]);
    for (reached, item) in log.chain(live) {
        bring(&mut dialect, item, &mut said);
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

fn bring<D: Dialect>(dialect: &mut D, item: &Item, messages: &mut Vec<D::Message>) {
    match item {
        Item::Event(event) => dialect.event(event, messages),
        Item::Delta(delta) => dialect.delta(delta, messages),
    }
}

/// Whether a client shows what these messages show.
pub(crate) fn same<M: Shown>(client: &Client<M>, all: &[&M]) -> Result<(), String> {
    let shown: Vec<&M> = client.messages().collect();
    let (has, wants) = (M::text(&shown)?, M::text(all)?);
    if has != wants {
        return Err(format!("the text is {has:?}, not {wants:?}"));
    }
    let mut has = shown.into_iter().filter(|message| !message.is_piece());
    let mut wants = all.iter().filter(|message| !message.is_piece());
    loop {
        match (has.next(), wants.next()) {
            (None, None) => return Ok(()),
            (has, wants) if has == wants.copied() => {}
            (has, wants) => return Err(format!("{has:?} in place of {wants:?}")),
        }
    }
}
