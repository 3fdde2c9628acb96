//! The states of sessions that a handle has read. They only save reads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::fold::{Fold, Phase};
use super::layout::Place;
use crate::hub::lock;
use crate::id::SessionKey;

const MAX_SESSIONS: usize = 100_000;
const MAX_FOLDS: usize = 8;
const MAX_FILES: usize = 1000;

#[derive(Debug, Default)]
pub(super) struct Cache {
    sessions: Mutex<HashMap<SessionKey, Cached>>,
    /// For the subjects of files: the last message and the last line that were read.
    files: Mutex<HashMap<String, (u64, u64)>>,
}

#[derive(Debug)]
struct Cached {
    place: Arc<Place>,
    /// States of the session in the order of its messages: those at which readers may continue, and
    /// the latest one.
    folds: Vec<Fold>,
    /// The positions and sizes of commands that were not applied.
    waiting: Vec<(u64, usize)>,
}

impl Cache {
    pub(super) fn place(&self, key: &SessionKey) -> Option<Arc<Place>> {
        lock(&self.sessions)
            .get(key)
            .map(|cached| cached.place.clone())
    }

    pub(super) fn put_place(&self, place: Place) -> Arc<Place> {
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= MAX_SESSIONS {
            let mut kept = 0;
            sessions.retain(|_, _| {
                kept += 1;
                kept % 8 != 0
            });
        }
        let cached = sessions.entry(place.key.clone()).or_insert_with(|| Cached {
            place: Arc::new(place),
            folds: Vec::new(),
            waiting: Vec::new(),
        });
        cached.place.clone()
    }

    /// Returns the latest state that was seen.
    pub(super) fn latest(&self, key: &SessionKey) -> Option<Fold> {
        lock(&self.sessions).get(key)?.folds.last().copied()
    }

    /// Returns the latest state that was seen, at least the one that is given.
    pub(super) fn latest_since(&self, key: &SessionKey, fold: Fold) -> Fold {
        if let Some(latest) = self.latest(key).filter(|latest| latest.at >= fold.at) {
            return latest;
        }
        self.put_fold(key, fold);
        fold
    }

    /// Returns the last state that was seen before the event that follows `after`.
    pub(super) fn fold_before(&self, key: &SessionKey, after: u64) -> Fold {
        let sessions = lock(&self.sessions);
        let folds = sessions.get(key).map(|cached| &cached.folds[..]);
        let mut folds = folds.unwrap_or_default().iter().rev();
        folds
            .find(|fold| fold.last <= after)
            .copied()
            .unwrap_or_default()
    }

    pub(super) fn put_fold(&self, key: &SessionKey, fold: Fold) {
        let mut sessions = lock(&self.sessions);
        let Some(cached) = sessions.get_mut(key).filter(|_| fold.phase != Phase::Start) else {
            return;
        };
        let folds = &mut cached.folds;
        match folds.binary_search_by_key(&fold.at, |fold| fold.at) {
            Ok(_) => return,
            // Appends replace the latest state.
            Err(index)
                if index == folds.len() && index > 0 && folds[index - 1].last + 64 > fold.last =>
            {
                folds[index - 1] = fold;
            }
            Err(index) => folds.insert(index, fold),
        }
        if folds.len() > MAX_FOLDS {
            folds.remove(0);
        }
    }

    pub(super) fn waiting(&self, key: &SessionKey) -> Vec<(u64, usize)> {
        let sessions = lock(&self.sessions);
        sessions
            .get(key)
            .map_or_else(Vec::new, |cached| cached.waiting.clone())
    }

    pub(super) fn put_waiting(&self, key: &SessionKey, waiting: Vec<(u64, usize)>) {
        if let Some(cached) = lock(&self.sessions).get_mut(key) {
            cached.waiting = waiting;
        }
    }

    /// Returns where to continue reading a file after a line.
    pub(super) fn file_before(&self, subject: &str, after: u64) -> (u64, u64) {
        let read = lock(&self.files).get(subject).copied();
        read.filter(|(_, last)| *last <= after).unwrap_or_default()
    }

    pub(super) fn put_file(&self, subject: &str, read: (u64, u64)) {
        let mut files = lock(&self.files);
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(subject.to_owned(), read);
    }

    /// Drops everything about a session.
    pub(super) fn forget(&self, key: &SessionKey) {
        lock(&self.sessions).remove(key);
    }
}
