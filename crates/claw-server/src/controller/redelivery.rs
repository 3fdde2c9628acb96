//! Finds inputs that were sent to the agent, although their owner was lost before it recorded this.

use std::path::{Path, PathBuf};

use rusty_claw::Options;
use rusty_claw::sessions::SessionLibrary;
use rusty_claw::transport::custody;

use super::recorder::Recorder;
use crate::event::{Fact, InputFailure, InputId};

/// Records which queued inputs the previous owner has sent, if it has not recorded its end. Returns
/// `false` if this cannot be found out.
pub(super) async fn end_abandoned_inputs(
    recorder: &mut Recorder,
    folder: Option<&Path>,
    options: &Options,
) -> bool {
    if !recorder.state.record.was_abandoned() {
        return true;
    }
    let opened = recorder.state.record.opened.as_ref();
    let recorded = opened.map(|opened| PathBuf::from(&opened.folder));
    let folder = folder.or(options.working_folder()).or(recorded.as_deref());
    let (Some(folder), Ok(library)) = (folder, options.session_library()) else {
        return false;
    };
    let library = library.in_dir(folder).without_worktrees();
    end_delivered(recorder, library).await
}

/// Records queued inputs as failed if the conversation contains them: if they were sent again, the
/// agent would run them twice. Inputs are identified by their id, which is the uuid of the message
/// in the CLI's session file. Returns whether the conversation was read.
async fn end_delivered(recorder: &mut Recorder, library: SessionLibrary) -> bool {
    let waiting: Vec<InputId> = recorder.state.queue.unsent().cloned().collect();
    if waiting.is_empty() {
        return true;
    }
    // A CLI that still runs could write to the file after it was read.
    custody::sweep().await;
    let uuids = waiting.iter().map(|id| id.as_str().to_owned()).collect();
    let found = tokio::task::spawn_blocking(move || library.recent_entries(uuids)).await;
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
