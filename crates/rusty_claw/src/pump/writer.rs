//! Writes to the CLI in its own task: a CLI that does not read its input must not keep the pump
//! from reading its output.
//!
//! Responses overtake prompts and requests that are queued. Requests and prompts keep their order,
//! so that an interrupt cannot overtake the prompt that it is to stop.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// A line to write, including the newline.
struct Outgoing {
    line: Bytes,
    /// Notified once it is written.
    written: Option<oneshot::Sender<()>>,
}

/// Maximum number of queued responses. A CLI that makes more requests without reading its input
/// counts as lost.
const MOST_ANSWERS: usize = 4096;

/// Queues lines for the CLI. Never blocks.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    answers: mpsc::Sender<Outgoing>,
    requests: mpsc::UnboundedSender<Outgoing>,
    end_of_input: CancellationToken,
    broken: CancellationToken,
}

impl Writer {
    /// Starts the task. It ends, and with that the CLI's input, on [`Writer::end_input`], on a
    /// write error, or when all writers are dropped.
    pub(crate) fn spawn(pipe: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        let (answers, answers_out) = mpsc::channel(MOST_ANSWERS);
        let (requests, requests_out) = mpsc::unbounded_channel();
        let end_of_input = CancellationToken::new();
        let ended = end_of_input.clone();
        let broken = CancellationToken::new();
        let breaks = broken.clone();
        tokio::spawn(async move {
            let mut pipe = pipe;
            tokio::select! {
                () = ended.cancelled() => {}
                done = write_all(&mut pipe, answers_out, requests_out) => {
                    if done.is_err() {
                        breaks.cancel();
                    }
                }
            }
            // A stream that was split must be shut down for the other side to see the end.
            let _ = tokio::time::timeout(GOODBYE, pipe.shutdown()).await;
        });
        Self {
            answers,
            requests,
            end_of_input,
            broken,
        }
    }

    /// Waits until writing fails although the input was not closed.
    pub(crate) async fn broken(&self) {
        self.broken.cancelled().await;
    }

    /// Queues a response, before all requests and prompts.
    pub(crate) fn answer(&self, line: Bytes) {
        let answer = Outgoing {
            line,
            written: None,
        };
        // If the writer has ended, the CLI has too; the pump detects that on its own.
        if let Err(mpsc::error::TrySendError::Full(_)) = self.answers.try_send(answer) {
            self.broken.cancel();
        }
    }

    /// Queues a request or a prompt, in order. The receiver is notified once it is written, and
    /// closed if it cannot be.
    pub(crate) fn request(&self, line: Bytes) -> oneshot::Receiver<()> {
        let (written, sent) = oneshot::channel();
        let _ = self.requests.send(Outgoing {
            line,
            written: Some(written),
        });
        sent
    }

    /// Closes the CLI's input, even in the middle of a line that it does not read.
    pub(crate) fn end_input(&self) {
        self.end_of_input.cancel();
    }
}

/// How long it may take to shut down the input.
const GOODBYE: Duration = Duration::from_secs(1);

async fn write_all(
    pipe: &mut (dyn AsyncWrite + Send + Unpin),
    mut answers: mpsc::Receiver<Outgoing>,
    mut requests: mpsc::UnboundedReceiver<Outgoing>,
) -> std::io::Result<()> {
    loop {
        let outgoing = tokio::select! {
            biased;
            Some(answer) = answers.recv() => answer,
            Some(request) = requests.recv() => request,
            else => return Ok(()),
        };
        pipe.write_all(&outgoing.line).await?;
        pipe.flush().await?;
        if let Some(written) = outgoing.written {
            // The receiver may be gone.
            let _ = written.send(());
        }
    }
}
