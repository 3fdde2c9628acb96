//! Adds placeholders for lost messages.
//!
//! Most lost lines need no replacement. Two do: without the prompt between them, two replies become
//! one; and the messages that a compaction kept need its summary as their parent.

use crate::check::table::{Marks, Row};

use super::item::{Node, Parent, Source};
use super::step::RepairAction;
use super::work::{BEFORE, Work};

impl Work {
    /// Adds a placeholder where a lost message is needed. It has a new uuid: with the lost one, the
    /// old file would seem to have its parent in the new one. Returns its index.
    pub(super) fn stand_in_for_lost(
        &mut self,
        at: usize,
        under: Option<usize>,
        between_replies: bool,
    ) -> Option<usize> {
        let node = self.node(at)?;
        let (lost, side, seconds) = (node.parent.id()?, node.side, node.row.seconds);
        let boundary = under.filter(|under| {
            let boundary = self.node(*under).filter(|node| node.boundary);
            boundary.is_some_and(|boundary| boundary.anchor == Some(lost))
        });
        let summary = boundary.is_some();
        if !summary && !between_replies {
            return None;
        }
        let parent = under.and_then(|under| self.node(under));
        let parent = parent.map_or(Parent::Root, |parent| Parent::Id(parent.id));
        let why = format!("instead of {}", self.names.text(lost));
        let id = self.names.fresh_uuid(self.items[at].span.offset, &why);
        let row = Row::added(Marks::USER | Marks::PROMPT, seconds);
        let mut node = Node::added(id, parent, side, row);
        node.summary = summary;
        let item = self.items[at].added(Source::Words { summary }, node);
        let new = self.add(item, at, BEFORE);
        if let Some(boundary) = boundary {
            self.items[boundary].edit.anchor = Some((lost, id));
            if let Some(node) = self.node_mut(boundary) {
                node.anchor = Some(id);
            }
        }
        let uuid = self.names.text(id);
        let why = if summary {
            "the summary of a compaction is lost; its children are what the compaction kept"
        } else {
            "the prompt before this reply is lost; two replies would become one"
        };
        let what = ("parent-exists", RepairAction::StandIn);
        self.step(at, what, why).after = Some(format!("a message {uuid} that says so"));
        Some(new)
    }
}
