//! Futures that run as tasks.

use anyhow::Result;

use crate::process::runtime;

/// Runs a future to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T>>) -> Result<T> {
    runtime()?.block_on(future)
}

/// Runs each future in a task of its own, as a server does. Returns their values in order.
pub(crate) async fn in_tasks<T: Send + 'static>(
    futures: impl IntoIterator<Item = impl Future<Output = Result<T>> + Send + 'static>,
) -> Result<Vec<T>> {
    let tasks: Vec<_> = futures.into_iter().map(tokio::spawn).collect();
    let mut values = Vec::new();
    for task in tasks {
        values.push(task.await??);
    }
    Ok(values)
}
