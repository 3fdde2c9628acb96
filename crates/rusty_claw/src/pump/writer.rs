//! What goes to the CLI, written by a task of its own: a CLI that does not read its input must
//! not keep the pump from reading its output.
//!
//! Two lanes here too: answers to the CLI's questions overtake prompts and requests that wait to
//! be written. Among themselves, requests and prompts keep their order, so that an interrupt
//! cannot overtake the prompt that it is to stop.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// One line to be written, newline included.
struct Outgoing {
    line: Bytes,
    /// Told once it is written.
    written: Option<oneshot::Sender<()>>,
}

/// Maximum number of queued responses. A CLI that makes more requests without reading its input
/// counts as lost.
const MOST_ANSWERS: usize = 4096;

/// Where lines for the CLI are put. Never blocks.
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
            // The other half of a stream that was split must hear of the end too.
            let _ = tokio::time::timeout(GOODBYE, pipe.shutdown()).await;
        });
        Self {
            answers,
            requests,
            end_of_input,
            broken,
        }
    }

    /// Waits until nothing can be written any more although nobody closed the input.
    pub(crate) async fn broken(&self) {
        self.broken.cancelled().await;
    }

    /// Writes an answer, before everything that is no answer.
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

    /// Writes a request or a prompt, in its turn. The receiver is told once it is written, and
    /// closed when it cannot be.
    pub(crate) fn request(&self, line: Bytes) -> oneshot::Receiver<()> {
        let (written, told) = oneshot::channel();
        let _ = self.requests.send(Outgoing {
            line,
            written: Some(written),
        });
        told
    }

    /// Closes the CLI's input, also in the middle of a line that it does not read.
    pub(crate) fn end_input(&self) {
        self.end_of_input.cancel();
    }
}

/// How long the end of the input may take to be told.
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
            // Nobody need wait for it.
            let _ = written.send(());
        }
    }
}
