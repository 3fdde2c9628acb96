//! The thread that starts children which die with their parent.
//!
//! Linux ties the death signal to the *thread* that started the child, and a runtime's threads come
//! and go. This one ends with the process.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;

use tokio::process::{Child, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

type Spawned = thread::Result<io::Result<Unclaimed>>;

/// A child that was not returned yet. Dropping it kills it.
struct Unclaimed(Option<Child>);

impl Drop for Unclaimed {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            // It was just started and has no children yet.
            let _ = child.start_kill();
        }
    }
}

struct Job {
    command: Command,
    runtime: Handle,
    answer: oneshot::Sender<Spawned>,
}

/// Starts a child from the thread that ends with the process.
///
/// Dropping the future kills the child, if it was already started.
pub(super) async fn spawn(command: Command) -> io::Result<Child> {
    let (answer, spawned) = oneshot::channel();
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    hand_over(Job {
        command,
        runtime,
        answer,
    })?;
    match spawned.await {
        Ok(Ok(unclaimed)) => match unclaimed?.0.take() {
            Some(child) => Ok(child),
            None => Err(io::Error::other("the child was taken by another")),
        },
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => Err(io::Error::other("the thread that starts children is gone")),
    }
}

fn hand_over(job: Job) -> io::Result<()> {
    static THREAD: Mutex<Option<(u32, mpsc::Sender<Job>)>> = Mutex::new(None);

    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    // A fork without exec copies the thread's memory, but not the thread.
    let this = std::process::id();
    let (_, jobs) = match &*thread {
        Some(running) if running.0 == this => running,
        _ => thread.insert((this, start()?)),
    };
    jobs.send(job)
        .map_err(|_| io::Error::other("the thread that starts children is gone"))
}

fn start() -> io::Result<mpsc::Sender<Job>> {
    let (sender, jobs) = mpsc::channel::<Job>();
    thread::Builder::new()
        .name("rusty_claw-spawn".to_owned())
        .stack_size(128 << 10)
        .spawn(move || {
            for mut job in jobs {
                let _runtime = job.runtime.enter();
                // Spawning panics in a runtime without I/O: the caller gets the panic.
                let spawned = catch_unwind(AssertUnwindSafe(|| {
                    job.command.spawn().map(|child| Unclaimed(Some(child)))
                }));
                // If the receiver is gone, dropping the answer kills the child.
                let _ = job.answer.send(spawned);
            }
        })?;
    Ok(sender)
}
