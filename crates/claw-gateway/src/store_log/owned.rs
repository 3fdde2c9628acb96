//! A session that this process has claimed.

use std::sync::Arc;

use claw_server::SessionEvent;
use claw_server::event::Fact;
use claw_store::Claim;
use tokio::sync::Mutex as AsyncMutex;

use crate::live_text::LiveText;

/// A claim, and the position of the commands that were applied under it. Does no I/O.
pub(super) struct Owned {
    pub(super) claim: Arc<Claim>,
    /// Held during an append: appends of one claim must not overlap.
    pub(super) appending: Arc<AsyncMutex<()>>,
    /// The commands up to this position are applied.
    applied: u64,
    /// The applied position that is stored.
    stored: u64,
    /// The key of the input that is being applied, and the position that its append stores.
    accepting: Option<(String, u64)>,
    /// The event that the latest append follows, and the position that it stores: a repeated append
    /// must be identical.
    sent: Option<(u64, Option<u64>)>,
    /// The sequence of the last event; `None` while the result of an append is unknown.
    last: Option<u64>,
    /// The streamed text.
    pub(super) text: LiveText,
}

impl Owned {
    pub(super) fn new(claim: Claim) -> Self {
        Self {
            appending: Arc::default(),
            applied: claim.applied(),
            stored: claim.applied(),
            accepting: None,
            sent: None,
            last: Some(claim.last()),
            text: LiveText::new(claim.last()),
            claim: Arc::new(claim),
        }
    }

    pub(super) fn applied(&self) -> u64 {
        self.applied
    }

    pub(super) fn set_applied(&mut self, position: u64) {
        self.applied = self.applied.max(position);
    }

    pub(super) fn set_accepting(&mut self, key: &str, position: u64) {
        self.accepting = Some((key.to_owned(), position));
    }

    pub(super) fn unstored(&self) -> u64 {
        self.applied.saturating_sub(self.stored)
    }

    /// Returns the last event, and the position to store after it without another event.
    pub(super) fn next(&self) -> Option<(u64, u64)> {
        let last = self.last.filter(|_| self.unstored() > 0)?;
        Some((last, self.applied))
    }

    /// Returns the position to store with an append.
    ///
    /// The position of an input is stored together with the input. If it were stored later, the
    /// next owner could receive the command again after the input has failed, and apply it.
    pub(super) fn start_append(
        &mut self,
        expected_last: u64,
        events: &[Arc<SessionEvent>],
    ) -> Option<u64> {
        self.last = None;
        for event in events {
            self.text.event(event);
        }
        if let Some((last, applied)) = self.sent
            && last == expected_last
        {
            return applied;
        }
        let accepted = self.accepting.as_ref().filter(|(key, _)| {
            let is_it = |event: &Arc<SessionEvent>| {
                matches!(&event.fact, Fact::InputAccepted(input) if input.key.as_ref() == Some(key))
            };
            events.iter().any(is_it)
        });
        let position = accepted.map_or(self.applied, |(_, position)| *position);
        let applied = Some(position).filter(|position| *position > self.stored);
        self.sent = Some((expected_last, applied));
        applied
    }

    /// Records an append that succeeded.
    pub(super) fn end_append(&mut self, last: u64, applied: Option<u64>) {
        self.last = Some(last);
        self.text.last = last;
        if let Some(applied) = applied {
            self.set_applied(applied);
            self.stored = self.stored.max(applied);
        }
    }
}
