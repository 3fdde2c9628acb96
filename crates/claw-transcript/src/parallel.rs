//! Work on many items with several threads.

use std::cmp::Reverse;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `each` for every item with its index, those with the largest `size` first. Every thread
/// has its own state, created by `new`; returns all states.
pub(crate) fn for_each<T: Sync, S: Send>(
    items: &[T],
    size: impl Fn(&T) -> u64,
    threads: usize,
    new: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, usize, &T) + Sync,
) -> Vec<S> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&at| (Reverse(size(&items[at])), at));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = new();
        while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            each(&mut state, at, &items[at]);
        }
        state
    };
    let threads = threads.min(items.len());
    if threads < 2 {
        return vec![work()];
    }
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(thread::ScopedJoinHandle::join);
        joined
            .map(|state| state.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}
