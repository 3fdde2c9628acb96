//! Who owns a session.

use crate::id::NodeId;

/// One incarnation of a node: each restart has a higher one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeRef {
    /// The node.
    pub node: NodeId,
    /// The number of its incarnation.
    pub incarnation: u64,
}

/// Who owns a session, and since which epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The process that owns it.
    pub node: NodeRef,
    /// The number of this ownership. Each claim of a session has a higher one.
    pub epoch: u64,
}
