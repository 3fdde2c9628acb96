//! Requests for files on the machine of the CLI.

use std::time::{SystemTime, UNIX_EPOCH};

use rusty_claw_protocol::control::*;

use super::verbs;

verbs! {
    /// Restores files to their state before a prompt. Needs `Options::enable_file_checkpointing`.
    rewind_files(prompt_id: &str) -> RewindFilesResponse = RewindFiles::new(prompt_id);

    /// Returns what restoring files would change.
    rewind_files_dry_run(prompt_id: &str) -> RewindFilesResponse = {
        let mut request = RewindFiles::new(prompt_id);
        request.dry_run = Some(true);
        request
    };

    /// Reads a file in the session's folders; other files are refused.
    read_file(request: ReadFile) -> ReadFileResponse = request;

    /// Records that the model knows a file as it was at this time, so that the model is notified
    /// when it changes, as if it had read it.
    seed_read_state(path: impl Into<String>, modified: SystemTime) -> Acknowledged = {
        let since = modified.duration_since(UNIX_EPOCH);
        SeedReadState::new(path, since.map_or(0.0, |since| (since.as_millis() as u64) as f64))
    };

    /// Returns files whose names match the typed text.
    file_suggestions(typed: impl Into<String>) -> FileSuggestionsResponse = FileSuggestions::new(typed);

    /// Adds a repository to the session.
    register_repo_root(request: RegisterRepoRoot) -> RegisterRepoRootResponse = request;
}
