//! Blocking calls and the wall clock. A simulation replaces both, so that its runs can be repeated.

#[cfg(feature = "simulation")]
use std::cell::Cell;
use std::time::SystemTime;

use tokio::task::JoinHandle;

#[cfg(feature = "simulation")]
thread_local! {
    static CLOCK: Cell<Option<fn() -> SystemTime>> = const { Cell::new(None) };
}

/// Sets the wall clock of this thread, on which blocking calls run from now on. Nothing outside of
/// this process is looked at any more.
#[cfg(feature = "simulation")]
pub fn simulate(clock: fn() -> SystemTime) {
    CLOCK.set(Some(clock));
}

/// Whether this thread runs a simulation.
pub fn is_simulated() -> bool {
    #[cfg(feature = "simulation")]
    return CLOCK.get().is_some();
    #[cfg(not(feature = "simulation"))]
    return false;
}

/// Returns the time of the wall clock.
pub fn wall_clock() -> SystemTime {
    #[cfg(feature = "simulation")]
    if let Some(clock) = CLOCK.get() {
        return clock();
    }
    SystemTime::now()
}

/// Runs a function on a thread for blocking calls.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    match is_simulated() {
        // The threads would take turns in an order that cannot be repeated.
        true => tokio::spawn(async move { work() }),
        false => tokio::task::spawn_blocking(work),
    }
}
