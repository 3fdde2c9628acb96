//! Processes that own sessions.

use bytes::Bytes;

use crate::directory::Revision;
pub(crate) use crate::owner::NodeRef;

/// The lease of a node: it changes `counter` to show that it is alive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRecord {
    /// The node and its incarnation.
    pub node: NodeRef,
    /// Changes with every renewal.
    pub counter: u64,
    /// Whether the node shuts down, so that other nodes can take its sessions at once.
    pub is_leaving: bool,
    /// What the node stores with it, such as its address.
    pub body: Bytes,
    /// The revision of the record; ignored when it is written.
    pub revision: Revision,
}
