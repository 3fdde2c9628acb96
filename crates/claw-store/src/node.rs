//! Processes that own sessions.

use bytes::Bytes;

use crate::directory::Revision;
pub(crate) use crate::owner::NodeRef;

/// The lease of a node: it changes `counter` to show that it is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// The node and its life.
    pub node: NodeRef,
    /// Changes with every renewal.
    pub counter: u64,
    /// Whether it has ended its life itself, so that its sessions can move at once.
    pub is_leaving: bool,
    /// What the node stores with it, such as its address.
    pub body: Bytes,
    /// The revision of the record; ignored when it is written.
    pub revision: Revision,
}
