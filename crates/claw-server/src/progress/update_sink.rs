//! Collects progress updates.

use super::subjects::Subjects;
use crate::event::{Lane, ProgressUpdate, Regression, WorkKind};
use crate::ui_message::TaskStatus;

pub(super) struct UpdateSink<'a> {
    pub(super) at_ms: i64,
    /// Whether text is parsed.
    pub(super) parses: bool,
    pub(super) subjects: &'a mut Subjects,
    pub(super) updates: &'a mut Vec<ProgressUpdate>,
}

impl UpdateSink<'_> {
    /// Appends an update if it contains anything new.
    pub(super) fn take(&mut self, update: ProgressUpdate, why: Option<Regression>) {
        self.updates
            .extend(self.subjects.take(self.at_ms, update, why));
    }

    pub(super) fn take_all(&mut self, updates: impl IntoIterator<Item = ProgressUpdate>) {
        for update in updates {
            self.take(update, None);
        }
    }

    pub(super) fn kind_of(&self, lane: &Lane, subject: &str) -> Option<WorkKind> {
        let last = self.subjects.last(lane.id(), subject)?;
        Some(last.kind.clone())
    }

    pub(super) fn has_label(&self, update: &ProgressUpdate) -> bool {
        let last = self.subjects.last(update.lane.id(), &update.subject);
        last.is_some_and(|last| last.label.is_some())
    }

    pub(super) fn end(&mut self, lane: &Lane, subject: &str, state: TaskStatus) {
        if let Some(last) = self.subjects.last(lane.id(), subject)
            && !last.is_over()
        {
            let update = last.clone().state(state);
            self.take(update, None);
        }
    }
}
