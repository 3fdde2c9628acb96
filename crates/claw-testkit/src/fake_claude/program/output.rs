//! Stdout: lines of any size through a small buffer, and answers that are written first.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

const BUFFER: usize = 16 * 1024;

/// Number of bytes that a writable pipe takes without blocking.
const AT_ONCE: usize = 4096;

/// Stdout, shared by the thread that plays turns and the one that answers the host.
///
/// The thread that plays turns may block on a full pipe. The thread that answers must not, because
/// it also reads stdin: answers are queued in `urgent`, and the thread that holds the pipe writes
/// them before its next line. If no thread holds the pipe and it is full, a new thread waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Output(Arc<Ways>);

#[derive(Debug, Default)]
struct Ways {
    pipe: Mutex<Pipe>,
    urgent: Mutex<Vec<u8>>,
}

/// The way to write one line. What is written may go out in parts.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    buffer: Vec<u8>,
    gone: bool,
}

impl Output {
    /// Appends one line to the buffer; [`Output::flush`] writes it.
    pub(super) fn line(&self, text: &str) {
        self.write(|pipe| {
            pipe.text(text);
            pipe.text("\n");
        });
    }

    /// Writes a line or several pieces that nothing may come between.
    pub(super) fn write(&self, write: impl FnOnce(&mut Pipe)) {
        {
            let mut pipe = lock(&self.0.pipe);
            self.take_urgent(&mut pipe);
            write(&mut pipe);
        }
        self.settle();
    }

    /// Writes a line as soon as the pipe takes it, without waiting for that.
    pub(super) fn urgent(&self, text: &str) {
        {
            let mut urgent = lock(&self.0.urgent);
            urgent.extend_from_slice(text.as_bytes());
            urgent.push(b'\n');
        }
        self.settle_without_waiting();
    }

    /// Sends off what is buffered.
    pub(super) fn flush(&self) {
        {
            let mut pipe = lock(&self.0.pipe);
            self.take_urgent(&mut pipe);
            pipe.flush_all();
        }
        self.settle();
    }

    /// Writes the buffer unless the pipe is blocked. Used at exit.
    pub(super) fn try_flush(&self) -> bool {
        let Some(mut pipe) = self.try_lock() else {
            return false;
        };
        self.take_urgent(&mut pipe);
        pipe.flush_all();
        true
    }

    /// Releases the pipe after writing the answers that arrived meanwhile.
    fn settle(&self) {
        while !lock(&self.0.urgent).is_empty() {
            if !self.try_flush() {
                return;
            }
        }
    }

    /// The same without blocking.
    fn settle_without_waiting(&self) {
        while !lock(&self.0.urgent).is_empty() {
            let Some(mut pipe) = self.try_lock() else {
                return;
            };
            pipe.buffer.append(&mut lock(&self.0.urgent));
            if !pipe.flush_at_once() {
                drop(pipe);
                let waits = self.clone();
                std::thread::spawn(move || waits.flush());
                return;
            }
        }
    }

    fn try_lock(&self) -> Option<MutexGuard<'_, Pipe>> {
        match self.0.pipe.try_lock() {
            Ok(pipe) => Some(pipe),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn take_urgent(&self, pipe: &mut Pipe) {
        let mut urgent = lock(&self.0.urgent);
        if !urgent.is_empty() {
            pipe.buffer.append(&mut urgent);
            // Dropped here: the pipe may be full, and answers go on arriving.
            drop(urgent);
            pipe.flush_all();
        }
    }
}

impl Pipe {
    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(BUFFER) {
            if self.buffer.len() + chunk.len() > BUFFER {
                self.flush_all();
            }
            self.buffer.extend_from_slice(chunk);
        }
    }

    /// Writes what the pipe takes now; whether that was all.
    fn flush_at_once(&mut self) -> bool {
        let mut written = 0;
        while written < self.buffer.len() && !self.gone {
            let stdout = rustix::stdio::stdout();
            let mut ready = [PollFd::new(&stdout, PollFlags::OUT)];
            let now = Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            };
            if !matches!(poll(&mut ready, Some(&now)), Ok(1..)) {
                break;
            }
            let end = self.buffer.len().min(written + AT_ONCE);
            match rustix::io::write(rustix::stdio::stdout(), &self.buffer[written..end]) {
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.gone = true,
            }
        }
        if self.gone {
            self.buffer.clear();
        } else {
            self.buffer.drain(..written);
        }
        self.buffer.is_empty()
    }

    fn flush_all(&mut self) {
        let mut rest = self.buffer.as_slice();
        // Without a reader the CLI continues and drops its output.
        while !rest.is_empty() && !self.gone {
            match rustix::io::write(rustix::stdio::stdout(), rest) {
                Ok(written) => rest = &rest[written..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
                Err(_) => self.gone = true,
            }
        }
        self.buffer.clear();
    }
}

/// Locks even if another thread panicked.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
