//! Messages that stand in for lost ones.
//!
//! Most lost lines leave nothing behind but a gap. Two are missed: without a prompt between them,
//! two replies become one; and what a compaction kept hangs under its summary.

use crate::entry::Kind;
use crate::lines::LineEnd;

use super::item::{Edit, Item, Node, Parent, Source};
use super::step::RepairAction;
use super::work::Work;

impl Work {
    /// Puts a message where a lost one is missed, under the lost one's uuid: what hung under it
    /// stays as it is. Says whether it did.
    pub(super) fn stand_in_for_lost(&mut self, at: usize, under: Option<usize>) -> bool {
        let Some(node) = self.node(at) else {
            return false;
        };
        let (Parent::Id(lost), side) = (node.parent, node.side) else {
            return false;
        };
        let summary = under.is_some_and(|under| {
            let boundary = self.node(under).filter(|node| node.boundary);
            boundary.is_some_and(|boundary| boundary.anchor == Some(lost))
        });
        if !summary && !self.is_between_replies(at, under) {
            return false;
        }
        let parent = under.and_then(|under| self.node(under));
        let parent = parent.map_or(Parent::Root, |parent| Parent::Id(parent.id));
        let mut node = Node::added(lost, parent, side);
        node.summary = summary;
        let (span, line) = (self.items[at].span, self.items[at].line);
        self.add(Item {
            line,
            span,
            end: LineEnd::Lf,
            source: Source::Words { summary },
            edit: Edit::default(),
            gone: false,
            node: Some(Box::new(node)),
        });
        self.has_forward = true;
        let uuid = self.names.text(lost);
        let why = if summary {
            "the summary of a compaction is lost; what the compaction kept hangs under it"
        } else {
            "the prompt before this reply is lost; two replies would become one"
        };
        self.step(at, "parent-exists", RepairAction::StandIn, why)
            .after = Some(format!("a message {uuid} that says so"));
        true
    }

    /// Whether a reply would follow another one.
    fn is_between_replies(&self, at: usize, under: Option<usize>) -> bool {
        let mut later = (at..self.items.len()).filter_map(|later| self.node(later));
        let Some(side) = self.node(at).map(|node| node.side) else {
            return false;
        };
        let next = later.find(|node| node.side == side && node.is_said());
        let Some(next) = next.filter(|next| next.kind == Kind::Assistant) else {
            return false;
        };
        let mut above = under;
        while let Some(before) = above.and_then(|at| self.node(at)) {
            if before.is_said() {
                // Behind a call a result will stand.
                return before.kind == Kind::Assistant
                    && before.reply != next.reply
                    && before.calls.is_empty();
            }
            above = above
                .and_then(|at| self.parent_at(at))
                .filter(|up| Some(*up) < above);
        }
        false
    }
}
