//! The conversations of subagents.

use super::node::NodeId;

/// The conversation of a subagent, in its own file or, in old files and in the document's dialect,
/// between the lines of the main conversation.
#[derive(Debug, Clone, Default)]
pub struct Sidechain {
    pub(super) file: Option<usize>,
    pub(super) agent_id: Option<String>,
    pub(super) agent_type: Option<String>,
    pub(super) description: Option<String>,
    pub(super) started_by: Option<u32>,
    pub(super) returned: Option<u32>,
    pub(super) root: Option<u32>,
}

impl Sidechain {
    /// The index of its own file in [`SessionTree::files`](super::SessionTree::files).
    pub fn file(&self) -> Option<usize> {
        self.file
    }

    /// The id of the subagent.
    pub fn agent_id(&self) -> Option<&str> {
        self.agent_id.as_deref()
    }

    /// The type of the subagent, from its sidecar.
    pub fn agent_type(&self) -> Option<&str> {
        self.agent_type.as_deref()
    }

    /// A short description of its task, from its sidecar.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The message whose call started it, in the main conversation or in another sidechain.
    pub fn started_by(&self) -> Option<NodeId> {
        self.started_by.map(NodeId)
    }

    /// The message with its result: the result of the call, or the notification of a task in the
    /// background.
    pub fn returned(&self) -> Option<NodeId> {
        self.returned.map(NodeId)
    }

    /// Its first message.
    pub fn root(&self) -> Option<NodeId> {
        self.root.map(NodeId)
    }
}
