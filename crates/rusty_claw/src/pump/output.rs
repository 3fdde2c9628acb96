//! Handles the CLI's output, and delivers lines, outcomes and the status.

use bytes::Bytes;

use super::Pump;
use super::lines;
use super::unread::{SESSION, TurnNumber, Unread};
use crate::framing::Frame;
use crate::session::end::EndCause;
use crate::transport::exit::Exit;

impl Pump {
    pub(super) async fn on_read(&mut self, read: std::io::Result<usize>) {
        match read {
            Ok(1..) => {
                self.timing.heard();
                while let Some(frame) = self.lines.next_frame() {
                    self.on_frame(frame);
                }
                self.lines.shrink();
                self.deliver().await;
            }
            Ok(0) => self.on_end_of_output().await,
            Err(error) => {
                tracing::debug!(%error, "reading the CLI's output failed");
                self.on_end_of_output().await;
            }
        }
    }

    fn on_frame(&mut self, frame: Frame) {
        match frame {
            Frame::Line(raw) => {
                self.offset += raw.len() as u64 + 1;
                self.on_line(raw);
            }
            Frame::TooLong { head, length } => {
                self.offset += length + 1;
                tracing::warn!(length, "a line was longer than the limit and was cut");
                // The beginning is not valid JSON, and is passed on as it is. Lines that the
                // session needs are never truncated, see `lines`.
                if self.limits.idle.is_some() && lines::member(&head, b"type") == Some(b"user") {
                    self.tools.note_cut_result(&head);
                }
                self.on_work(head);
            }
        }
    }

    /// Passes queued lines to the reader, then sends outcomes and publishes the status.
    pub(super) async fn deliver(&mut self) {
        if !self.batch.is_empty() {
            self.queues.push(&mut self.batch).await;
            if self.batch.capacity() > 1024 {
                self.batch = Vec::new();
            }
        }
        // Who waits for an outcome learns from the status whether to wait until the CLI is idle.
        if self.next_status.idle.is_some() {
            self.status.send_if_modified(|status| {
                let is_first = status.idle.is_none();
                status.idle.get_or_insert(false);
                is_first
            });
        }
        let resolved = std::mem::take(&mut self.resolved);
        self.resolve(resolved);
        self.show_status();
    }

    /// Publishes pending status changes.
    pub(super) fn show_status(&mut self) {
        let next = std::mem::take(&mut self.next_status);
        let open_turns = self.ledger.open_count();
        self.status.send_if_modified(|status| {
            let is_new_session = next.session_id.is_some() && next.session_id != status.session_id;
            let idle = next.idle.or(status.idle);
            let background_tasks = next.background_tasks.unwrap_or(status.background_tasks);
            let before = (status.idle, status.background_tasks, status.open_turns);
            if is_new_session {
                status.session_id = next.session_id;
            }
            status.idle = idle;
            status.background_tasks = background_tasks;
            status.open_turns = open_turns;
            is_new_session || before != (idle, background_tasks, open_turns)
        });
    }

    /// Queues a line for the current turn.
    pub(super) fn queue(&mut self, raw: Bytes) {
        let running = self.ledger.running();
        let turn = running.and_then(|id| self.turns.iter().find(|turn| turn.id == *id));
        self.queue_for(turn.map_or(SESSION, |turn| turn.number), raw);
    }

    pub(super) fn queue_for(&mut self, turn: TurnNumber, raw: Bytes) {
        self.batch.push(Unread {
            raw,
            offset: self.offset,
            turn,
        });
    }

    async fn on_end_of_output(&mut self) {
        self.output_over = true;
        for frame in std::mem::take(&mut self.lines).finish() {
            // The last line has no newline, so it may be incomplete. The offset stays before it, so
            // that a later attach gets it again.
            let whole = self.offset;
            self.on_frame(frame);
            self.offset = whole;
            if let Some(last) = self.batch.last_mut() {
                last.offset = whole;
            }
        }
        self.deliver().await;
        if !self.has_process {
            // Without a process, the end of the output is the end of the session.
            self.exit.get_or_insert(Exit::Unknown);
        }
        // A CLI without output is useless; if it does not exit, it is ended.
        if self.exit.is_none() {
            self.begin_closing(EndCause::Lost, None);
        }
    }
}
