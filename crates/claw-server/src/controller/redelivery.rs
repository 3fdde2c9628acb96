//! Finds inputs that were sent to the agent, although their owner was lost before it recorded this.

use rusty_claw::sessions::SessionLibrary;
use rusty_claw::transport::custody;

use super::recorder::Recorder;
use crate::event::{Fact, InputFailure, InputId};

/// Records queued inputs as failed if the conversation contains them: if they were sent again, the
/// agent would run them twice. Inputs are identified by their id, which is the uuid of the message
/// in the CLI's session file. Returns whether it is known which inputs were sent.
pub(super) async fn end_delivered(
    recorder: &mut Recorder,
    library: Option<&SessionLibrary>,
) -> bool {
    let waiting: Vec<InputId> = recorder.state.queue.unsent().cloned().collect();
    if waiting.is_empty() {
        return true;
    }
    let Some(library) = library.cloned() else {
        return false;
    };
    // A CLI that still runs could write to the file after it was read.
    custody::sweep().await;
    let uuids = waiting.iter().map(|id| id.as_str().to_owned()).collect();
    let found = rusty_claw::runtime::spawn_blocking(move || library.recent_entries(uuids)).await;
    let found = match found {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the conversation cannot be read");
            return false;
        }
        Err(_) => return false,
    };
    let is_found = |id: &InputId| found.iter().any(|uuid| uuid == id.as_str());
    for id in waiting.into_iter().filter(is_found) {
        recorder.fact(Fact::InputDelivered(id.clone()));
        let failure = InputFailure::new(id, "the process ended first").indeterminate();
        recorder.fact(Fact::InputFailed(failure));
    }
    true
}
