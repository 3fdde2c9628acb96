//! The path from the latest leaf to the root.

use super::ids::Ids;
use super::node::Node;
use super::siblings::with_siblings;
use super::tree::Tree;

/// The conversation of a file: one path through its tree.
#[derive(Debug)]
pub(crate) struct Thread<'a> {
    pub(super) tree: Tree<'a>,
    /// The lines in order. If several lines have the same uuid, the last one is used.
    pub(crate) chain: Vec<&'a Node>,
    /// The last user or assistant message.
    pub(crate) leaf: Option<&'a Node>,
    /// The line at the end of the branch, of any kind.
    pub(crate) terminal: Option<&'a Node>,
}

impl<'a> Thread<'a> {
    /// Finds the conversation.
    pub(crate) fn find(nodes: &'a [Node], ids: &Ids) -> Self {
        let mut tree = Tree::new(nodes, ids);
        tree.move_preserved();
        let (leaf, terminal) = match tree.latest_leaf() {
            Some((leaf, terminal)) => (Some(leaf), Some(terminal)),
            None => (tree.any_leaf(), None),
        };
        let mut chain: Vec<&Node> = Vec::new();
        if let Some(leaf) = leaf {
            chain = tree.up_from(leaf).collect();
            chain.reverse();
            chain = with_siblings(&tree, chain);
        }
        Self {
            tree,
            chain,
            leaf,
            terminal,
        }
    }
}
