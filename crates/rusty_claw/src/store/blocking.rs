//! Runs file operations on a blocking thread.

use super::error::StoreError;

/// Runs `work` on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(StoreError::failed(
            "a task on the session's files panicked or was cancelled",
            error,
        )),
    }
}
