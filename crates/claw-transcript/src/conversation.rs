//! Finds the lines of a session file that form the conversation, and their order.
//!
//! Lines with a uuid form a tree by `parentUuid`. A file contains every branch; the conversation is
//! the one that ends in the latest leaf. This module keeps a few facts and the position of each
//! line, never its text.

mod deliveries;
mod ids;
mod node;
mod siblings;
mod thread;
mod trailing;
mod tree;

use std::path::Path;

use crate::error::TranscriptError;
use crate::facts::Facts;
use crate::lines::{LineReader, readable};

pub(crate) use deliveries::Deliveries;
pub(crate) use ids::{Id, Ids};
pub(crate) use node::{LocalCommand, Node, Preserved, is_interrupt, is_shown};
pub(crate) use thread::Thread;
pub(crate) use trailing::queued_behind;
#[cfg(feature = "tree")]
pub(crate) use tree::live_end;

/// The lines of a file that have a uuid.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) ids: Ids,
    pub(crate) nodes: Vec<Node>,
    pub(crate) deliveries: Deliveries,
}

impl Conversation {
    /// Reads a file once. Calls `also` for every line that is a JSON object.
    pub(crate) fn read(
        path: &Path,
        mut also: impl FnMut(&Facts<'_>),
    ) -> Result<(Self, LineReader), TranscriptError> {
        let mut lines = LineReader::open(path)?;
        let mut read = Self::default();
        while let Some((span, line)) = lines.next_line()? {
            let text = readable(line);
            let Some(facts) = Facts::read(&text) else {
                continue;
            };
            read.deliveries.note(&facts, &mut read.ids);
            read.nodes.extend(Node::read(&facts, span, &mut read.ids));
            also(&facts);
        }
        Ok((read, lines))
    }
}
