//! Distinguishes replies with the same message id.
//!
//! The API gives each reply an id, but gateways may give all replies the same one. Usage and trees
//! must distinguish such replies by the same rule, so it is shared.

use std::collections::{BTreeMap, HashMap};

/// The request of a reply.
///
/// The CLI's id of a request (`requestRef`) is unique and copied with the lines, so two of them are
/// two requests. The API's (`requestId`) is weaker: gateways omit or invent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum RequestMark {
    #[default]
    None,
    Service(Mark),
    Own(Mark),
}

/// The hash of a request's id. It is only compared between replies with the same message id: among
/// a million of those, the chance of a collision is one in five hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Mark(pub(crate) [u8; 6]);

impl Mark {
    /// Keeps the low 48 bits of a hash.
    pub(crate) fn of(hash: u64) -> Self {
        let [a, b, c, d, e, f, ..] = hash.to_le_bytes();
        Self([a, b, c, d, e, f])
    }
}

/// Assigns the requests of one message id, each with its prompt's key, to replies.
///
/// One id is one reply, with two exceptions. Two CLI ids are two replies, even if a gateway gives
/// all of them the same message id. Two API ids are two replies only if their prompts differ too:
/// some gateways invent a request id for each line.
pub(crate) fn replies<P: Ord>(mut requests: Vec<(RequestMark, P)>) -> HashMap<RequestMark, usize> {
    // CLI ids first, then API ids, then requests without one, which join a matching reply.
    requests.sort_by_key(|(request, _)| std::cmp::Reverse(*request));
    let mut found: BTreeMap<P, usize> = BTreeMap::new();
    let mut count = 0;
    let mut reply_of = HashMap::with_capacity(requests.len());
    for (request, prompt) in requests {
        let own = matches!(request, RequestMark::Own(_));
        let reply = match found.get(&prompt) {
            Some(reply) if !own => *reply,
            None if request == RequestMark::None && count > 0 => 0,
            _ => {
                found.entry(prompt).or_insert(count);
                count += 1;
                count - 1
            }
        };
        reply_of.insert(request, reply);
    }
    reply_of
}
