//! What a reader finds in a text.

use crate::progress::{ProgressKind, ProgressState, ProseProgress};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) update: ProseProgress,
}

impl Found {
    pub(super) fn new(line: usize, kind: ProgressKind, confidence: f32) -> Self {
        let update = ProseProgress {
            kind,
            done: None,
            total: None,
            percent: None,
            label: None,
            state: ProgressState::Running,
            confidence,
        };
        Self { line, update }
    }

    /// Whether everything is done, as far as the numbers show.
    pub(super) fn is_whole(&self) -> bool {
        match (self.update.done, self.update.total) {
            (Some(done), Some(total)) => done >= total,
            _ => self.update.percent == Some(100.0),
        }
    }

    /// Returns the update if its numbers are consistent.
    pub(super) fn if_consistent(self) -> Option<Self> {
        let update = &self.update;
        let is_part = match (update.done, update.total) {
            (Some(done), Some(total)) => done <= total,
            _ => true,
        };
        let mut numbers = [update.done, update.total, update.percent]
            .into_iter()
            .flatten();
        let is_consistent = is_part
            && numbers.all(f64::is_finite)
            && update.percent.is_none_or(|percent| percent <= 100.0);
        is_consistent.then_some(self)
    }
}
