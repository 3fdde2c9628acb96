//! Messages that stand in for lost ones.
//!
//! Most lost lines leave nothing behind but a gap. Two are missed: without a prompt between them,
//! two replies become one; and what a compaction kept hangs under its summary.

use crate::check::table::{Marks, Row};
use crate::lines::LineEnd;

use super::item::{Edit, Item, Node, Parent, Source};
use super::step::RepairAction;
use super::work::{BEFORE, Work};

impl Work {
    /// Puts a message where a lost one is missed. It has a uuid of its own: under the lost one's,
    /// the old file would seem to have its parent in the new one. Says where it put it.
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
        let (span, line) = (self.items[at].span, self.items[at].line);
        let why = format!("instead of {}", self.names.text(lost));
        let id = self.names.fresh(span.offset, &why);
        let row = Row::added(Marks::USER | Marks::PROMPT, seconds);
        let mut node = Node::added(id, parent, side, row);
        node.summary = summary;
        let item = Item {
            rank: 0,
            told: None,
            line,
            span,
            end: LineEnd::Lf,
            source: Source::Words { summary },
            edit: Edit::default(),
            gone: false,
            node: Some(Box::new(node)),
        };
        let new = self.add(item, at, BEFORE);
        if let Some(boundary) = boundary {
            self.items[boundary].edit.anchor = Some((lost, id));
            if let Some(node) = self.node_mut(boundary) {
                node.anchor = Some(id);
            }
        }
        let uuid = self.names.text(id);
        let why = if summary {
            "the summary of a compaction is lost; what the compaction kept hangs under it"
        } else {
            "the prompt before this reply is lost; two replies would become one"
        };
        self.step(at, "parent-exists", RepairAction::StandIn, why)
            .after = Some(format!("a message {uuid} that says so"));
        Some(new)
    }
}
