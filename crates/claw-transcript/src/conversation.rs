//! Which lines of a session file are the conversation, and in which order.
//!
//! Lines that carry a uuid hang under each other by `parentUuid`. A file holds every branch that
//! was ever tried; the conversation is the one that ends in the latest leaf. This module keeps a
//! few facts of each line and where it lies, never its text.

mod deliveries;
mod ids;
mod node;
mod siblings;
mod thread;
mod trailing;

use std::path::Path;

use crate::error::TranscriptError;
use crate::lines::{LineReader, readable};
use crate::members::Members;

pub(crate) use deliveries::Deliveries;
pub(crate) use ids::{Id, Ids};
pub(crate) use node::{Kind, LocalCommand, Node, is_interrupt, is_shown};
pub(crate) use thread::Thread;
pub(crate) use trailing::queued_behind;

/// The lines of one file that have a uuid.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) ids: Ids,
    pub(crate) nodes: Vec<Node>,
    pub(crate) deliveries: Deliveries,
}

impl Conversation {
    /// Reads a file once. `also` sees every line that is a JSON object.
    pub(crate) fn read(
        path: &Path,
        mut also: impl FnMut(&Members<'_>),
    ) -> Result<(Self, LineReader), TranscriptError> {
        let mut lines = LineReader::open(path)?;
        let mut read = Self::default();
        while let Some((span, line)) = lines.next_line()? {
            let text = readable(line);
            let Some(members) = Members::read(&text) else {
                continue;
            };
            read.deliveries.note(&members, &mut read.ids);
            read.nodes.extend(Node::read(&members, span, &mut read.ids));
            also(&members);
        }
        Ok((read, lines))
    }
}
