//! What goes to the CLI, written by a task of its own: a CLI that does not read its input must
//! not keep the pump from reading its output.
//!
//! Two lanes here too: answers to the CLI's questions overtake prompts and requests that wait to
//! be written. Among themselves, requests and prompts keep their order, so that an interrupt
//! cannot overtake the prompt that it is to stop.

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

/// Where lines for the CLI are put. Never blocks.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    answers: mpsc::UnboundedSender<Outgoing>,
    requests: mpsc::UnboundedSender<Outgoing>,
    end_of_input: CancellationToken,
}

impl Writer {
    /// Starts the task. It ends, and with that the CLI's input, on [`Writer::end_input`], on a
    /// write error, or when all writers are dropped.
    pub(crate) fn spawn(pipe: Box<dyn AsyncWrite + Send + Unpin>) -> Self {
        let (answers, answers_out) = mpsc::unbounded_channel();
        let (requests, requests_out) = mpsc::unbounded_channel();
        let end_of_input = CancellationToken::new();
        let ended = end_of_input.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = ended.cancelled() => {}
                () = write_all(pipe, answers_out, requests_out) => {}
            }
        });
        Self {
            answers,
            requests,
            end_of_input,
        }
    }

    /// Writes an answer, before everything that is no answer.
    pub(crate) fn answer(&self, line: Bytes) {
        // A writer that is gone means a CLI that is gone; the pump finds out by itself.
        let _ = self.answers.send(Outgoing {
            line,
            written: None,
        });
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

async fn write_all(
    mut pipe: Box<dyn AsyncWrite + Send + Unpin>,
    mut answers: mpsc::UnboundedReceiver<Outgoing>,
    mut requests: mpsc::UnboundedReceiver<Outgoing>,
) {
    loop {
        let outgoing = tokio::select! {
            biased;
            Some(answer) = answers.recv() => answer,
            Some(request) = requests.recv() => request,
            else => return,
        };
        let result = async {
            pipe.write_all(&outgoing.line).await?;
            pipe.flush().await
        };
        if let Err(error) = result.await {
            tracing::debug!(%error, "the CLI's input is closed");
            return;
        }
        if let Some(written) = outgoing.written {
            // Nobody need wait for it.
            let _ = written.send(());
        }
    }
}
