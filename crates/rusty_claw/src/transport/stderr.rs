//! Reads a child's standard error, so that the child never blocks, and keeps the end.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;

/// How many bytes of the end are kept.
pub(crate) const TAIL: usize = 64 << 10;
/// A longer line is split.
const LONGEST_LINE: usize = 64 << 10;
/// How long the exit of a child waits for the end of its standard error. A grandchild that holds
/// the pipe open must not delay it further.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// Receives each line.
#[derive(Clone)]
pub(crate) struct LineCallback(pub(crate) Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for LineCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LineCallback")
    }
}

/// Reads standard error in its own task.
#[derive(Debug)]
pub(crate) struct Drain {
    tail: Arc<Mutex<VecDeque<u8>>>,
    /// `None` once it has ended.
    task: Option<JoinHandle<()>>,
    /// The deadline for its end.
    until: Option<tokio::time::Instant>,
}

impl Drain {
    /// Must be called within a runtime.
    pub(crate) fn start(
        stderr: impl AsyncRead + Send + Unpin + 'static,
        on_line: Option<LineCallback>,
    ) -> Self {
        let tail = Arc::default();
        let task = tokio::spawn(drain(stderr, Arc::clone(&tail), on_line));
        Self {
            tail,
            task: Some(task),
            until: None,
        }
    }

    /// The end of the output. If it was truncated, it begins with a whole line where possible.
    pub(crate) fn tail(&self) -> String {
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = tail.as_slices();
        let bytes = [front, back].concat();
        let cut = if bytes.len() < TAIL {
            0
        } else {
            memchr::memchr(b'\n', &bytes).map_or(0, |at| at + 1)
        };
        String::from_utf8_lossy(&bytes[cut..]).into_owned()
    }

    /// Waits a moment for the end. Cancel safe: dropping the future loses nothing.
    pub(crate) async fn ended(&mut self) {
        if let Some(task) = &mut self.task {
            // A second call continues to wait, with the same deadline.
            let until = *self
                .until
                .get_or_insert_with(|| tokio::time::Instant::now() + LAST_WORDS);
            // Not awaited again, whether it ended or the pipe is held open.
            let _ = tokio::time::timeout_at(until, task).await;
            self.task = None;
        }
    }

    /// Stops reading. Not for a child that continues: it would die of the closed pipe.
    pub(crate) fn stop(&mut self) {
        if let Some(task) = self.task.take() {
            task.abort();
        }
    }
}

async fn drain(
    mut stderr: impl AsyncRead + Unpin,
    tail: Arc<Mutex<VecDeque<u8>>>,
    on_line: Option<LineCallback>,
) {
    let mut lines = on_line.map(Lines::new);
    let mut buffer = vec![0; 4 << 10];
    loop {
        // An error means that nothing more can be read, like the end.
        let count = match stderr.read(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(count) => count,
        };
        let piece = &buffer[..count];
        keep(
            &mut tail.lock().unwrap_or_else(PoisonError::into_inner),
            piece,
        );
        if let Some(lines) = &mut lines {
            lines.push(piece);
        }
    }
    if let Some(lines) = &mut lines {
        lines.end();
    }
}

fn keep(tail: &mut VecDeque<u8>, piece: &[u8]) {
    tail.extend(piece);
    let beyond = tail.len().saturating_sub(TAIL);
    tail.drain(..beyond);
}

/// Splits the output into lines for the callback.
struct Lines {
    callback: Option<LineCallback>,
    unfinished: Vec<u8>,
}

impl Lines {
    fn new(callback: LineCallback) -> Self {
        Self {
            callback: Some(callback),
            unfinished: Vec::new(),
        }
    }

    fn push(&mut self, mut piece: &[u8]) {
        while let Some(at) = memchr::memchr(b'\n', piece) {
            self.unfinished.extend_from_slice(&piece[..at]);
            self.hand_on();
            piece = &piece[at + 1..];
        }
        self.unfinished.extend_from_slice(piece);
        if self.unfinished.len() >= LONGEST_LINE {
            self.hand_on();
        }
    }

    fn end(&mut self) {
        if !self.unfinished.is_empty() {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        let line = String::from_utf8_lossy(&self.unfinished);
        let line = line.strip_suffix('\r').unwrap_or(&line);
        if let Some(LineCallback(callback)) = &self.callback
            && catch_unwind(AssertUnwindSafe(|| callback(line))).is_err()
        {
            // The pipe must still be read, but a callback that panicked is not called again.
            tracing::error!("the callback for standard error panicked and is not called again");
            self.callback = None;
        }
        self.unfinished.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_keeps_the_end() {
        let mut tail = VecDeque::new();
        for _ in 0..40 {
            keep(&mut tail, &[b'a'; 4000]);
        }
        keep(&mut tail, b"end");
        assert_eq!(tail.len(), TAIL);
        assert!(tail.iter().rev().take(3).eq(b"dne"));
    }

    #[test]
    fn lines_are_whole_whatever_the_pieces() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let mut lines = Lines::new(LineCallback(Arc::new(move |line| {
            sink.lock().unwrap().push(line.to_owned());
        })));
        for piece in ["a", "b\r\n\nc", "d\ne"] {
            lines.push(piece.as_bytes());
        }
        lines.end();
        assert_eq!(*seen.lock().unwrap(), ["ab", "", "cd", "e"]);
    }

    #[test]
    fn a_callback_that_panics_is_called_once() {
        let calls = Arc::new(Mutex::new(0));
        let count = Arc::clone(&calls);
        let mut lines = Lines::new(LineCallback(Arc::new(move |_| {
            *count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
            panic!("as a test wants");
        })));
        lines.push(b"a\nb\nc\n");
        assert_eq!(*calls.lock().unwrap_or_else(PoisonError::into_inner), 1);
    }
}
