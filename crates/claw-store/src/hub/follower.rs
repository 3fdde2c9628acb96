//! One follower of a session.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::ring::Ring;
use super::topic::{RETRY, Topic};
use crate::{Event, Live, ReadLimit, Result, StoreError};

pub(super) struct Follower {
    topic: Arc<Topic>,
    /// The last event that was delivered.
    last: u64,
    /// The position in the ring.
    position: u64,
    /// Whether the next event comes from the ring, and not from the log.
    is_live: bool,
    /// Events from the log.
    page: VecDeque<Event>,
    /// The epoch of the last owner that was announced.
    epoch: u64,
    has_head: bool,
    pause: Duration,
}

enum Step {
    Deliver(Live),
    Read,
    Wait,
}

impl Follower {
    pub(super) fn new(topic: Arc<Topic>, after: u64) -> Self {
        let position = topic.ring().enter();
        Self {
            topic,
            last: after,
            position,
            is_live: false,
            page: VecDeque::new(),
            epoch: 0,
            has_head: false,
            pause: RETRY.0,
        }
    }

    /// Attaches the engine and reads the first page, so that the caller gets the errors.
    pub(super) async fn start(&mut self) -> Result<()> {
        self.topic.attach().await?;
        let is_current = {
            let ring = self.topic.ring();
            self.epoch = ring.epoch();
            ring.join(self.last).is_some()
        };
        if !is_current {
            self.page = self.read().await?;
        }
        Ok(())
    }

    /// Returns what follows, or the error with which the stream ends.
    pub(super) async fn next(&mut self) -> Result<Live> {
        loop {
            let topic = self.topic.clone();
            // Created before the state is read: a later change notifies it.
            let changed = topic.changed.notified();
            match self.step()? {
                Step::Deliver(live) => return Ok(live),
                Step::Wait => changed.await,
                Step::Read => match self.read().await {
                    Ok(page) if !page.is_empty() => {
                        self.pause = RETRY.0;
                        self.page = page;
                    }
                    // A replica of the engine may lag.
                    Ok(_) | Err(StoreError::Unavailable { .. }) => {
                        tokio::time::sleep(self.pause).await;
                        self.pause = (self.pause * 2).min(RETRY.1);
                    }
                    Err(error) => return Err(error),
                },
            }
        }
    }

    async fn read(&self) -> Result<VecDeque<Event>> {
        let page = self.topic.read(self.last, ReadLimit::default());
        page.await.map(VecDeque::from)
    }

    fn step(&mut self) -> Result<Step> {
        let topic = self.topic.clone();
        let mut ring = topic.ring();
        if let Some(error) = &ring.end {
            return Err(error.clone());
        }
        let live = loop {
            if let Some(event) = self.page.front() {
                break Live::Event(event.clone());
            }
            if !self.is_live {
                let Some(position) = ring.join(self.last) else {
                    return Ok(Step::Read);
                };
                self.is_live = true;
                self.pass(&mut ring, position);
                if self.has_head {
                    continue;
                }
                self.has_head = true;
                return Ok(Step::Deliver(Live::Head { last: self.last }));
            }
            if self.position < ring.first {
                self.is_live = false;
                self.pass(&mut ring, u64::MAX);
                return Ok(Step::Deliver(Live::Behind));
            }
            match ring.get(self.position) {
                Some(Live::Event(event)) if event.sequence <= self.last => {
                    self.pass(&mut ring, self.position + 1);
                }
                Some(live) => break live.clone(),
                None => {
                    if ring.has_hole() {
                        topic.fill(&mut ring);
                        return Ok(Step::Wait);
                    }
                    return Ok(self.announce(&ring, u64::MAX).unwrap_or(Step::Wait));
                }
            }
        };
        let epoch = match &live {
            Live::Event(event) => event.epoch,
            Live::Delta(delta) => delta.epoch,
            _ => 0,
        };
        if let Some(step) = self.announce(&ring, epoch) {
            return Ok(step);
        }
        if self.page.pop_front().is_none() {
            self.pass(&mut ring, self.position + 1);
        }
        if let Live::Event(event) = &live {
            self.last = event.sequence;
        }
        Ok(Step::Deliver(live))
    }

    /// Moves to a position in the ring, at most to its end.
    fn pass(&mut self, ring: &mut Ring, to: u64) {
        let to = to.min(ring.end_position());
        ring.pass(self.position, to);
        self.position = to;
    }

    /// Announces a new owner before its first event, and after the last one of the old owner.
    fn announce(&mut self, ring: &Ring, up_to: u64) -> Option<Step> {
        let owner = ring.owner.as_ref()?;
        if owner.epoch <= self.epoch || owner.epoch > up_to {
            return None;
        }
        self.epoch = owner.epoch;
        Some(Step::Deliver(Live::Moved(owner.clone())))
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.topic.ring().leave(self.position);
    }
}
