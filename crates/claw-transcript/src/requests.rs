//! Which replies with one message id are one reply.
//!
//! The service gives each reply an id, and gateways in its place may give all of them the same one.
//! Counting and drawing have to tell such replies apart in the same way, so the rule is here.

use std::collections::{BTreeMap, HashMap};

/// Which request a reply answers.
///
/// The CLI's own number of a request (`requestRef`) is made anew for each and copied with the lines,
/// so two of them are two requests. The service's (`requestId`) is weaker: gateways leave it out or
/// make it up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum RequestMark {
    #[default]
    None,
    Service(Mark),
    Own(Mark),
}

/// The hash of a request's id. It is only compared between replies with one message id: among a
/// million of those, two being taken for one has a chance of one in five hundred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Mark(pub(crate) [u8; 6]);

impl Mark {
    /// Of a hash, of which the low bits are kept.
    pub(crate) fn of(hash: u64) -> Self {
        let [a, b, c, d, e, f, ..] = hash.to_le_bytes();
        Self([a, b, c, d, e, f])
    }
}

/// For the requests of one message id, each with what its prompt is known by: which reply each of
/// them is of.
///
/// One id is one reply, with two exceptions. Two requests by the CLI's own count are two replies,
/// even if a gateway gives all of them the same id. Two requests by the service's count are two if
/// their prompts differ too: some gateways make up a request id for each line.
pub(crate) fn replies<P: Ord>(mut requests: Vec<(RequestMark, P)>) -> HashMap<RequestMark, usize> {
    // The CLI's own first, then the service's, then those without: each joins what fits.
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
