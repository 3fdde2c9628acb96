//! Reads the messages of a session.

mod assemble;
mod message;
mod subagents;

use crate::conversation::{Conversation, Thread, queued_behind};
use crate::error::TranscriptError;
use crate::library::SessionLibrary;

pub use message::{MessageFilter, Role, SessionMessage};

impl SessionLibrary {
    /// Reads the conversation of a session in order: the branch that ends in the latest leaf,
    /// without hidden messages of the CLI to the model. After a compaction it starts with the
    /// summary.
    ///
    /// The file is read line by line, and only the requested messages are kept.
    ///
    /// # Errors
    /// Returns an error if the session does not exist, or its file cannot be read.
    pub fn messages(
        &self,
        session_id: &str,
        filter: &MessageFilter,
    ) -> Result<Vec<SessionMessage>, TranscriptError> {
        let found = self.find(session_id)?;
        let (conversation, mut lines) = Conversation::read(&found.path, |_| {})?;
        let thread = Thread::find(&conversation.nodes, &conversation.ids);
        let queued = queued_behind(&conversation.nodes, &thread);
        let mut parts = assemble::Parts {
            lines: thread.chain.clone(),
            trailing: queued.len(),
            deliveries: Some(&conversation.deliveries),
            system: filter.system,
            ..assemble::Parts::default()
        };
        parts.lines.extend(queued);
        parts.assemble(&mut lines, filter)
    }
}
