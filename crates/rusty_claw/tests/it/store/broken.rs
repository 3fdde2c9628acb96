//! Stores that are wrong in one way each, so that every check is seen to fail.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::SystemTime;

use rusty_claw::store::{
    Batch, BatchId, Dedup, SessionKey, SessionStore, StoreError, StoreFuture, StoredSession,
};
use rusty_claw::{Json, Str};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    None,
    NewestFirst,
    EmptyForUnknown,
    SubpathsAreTheSession,
    ProjectsAreOne,
    NoUuids,
    UuidsOfAllKeys,
    EqualLinesOnce,
    NoBatchNames,
    LastBatchNameOnly,
    WritersAreOne,
    RefusesEmpty,
    CutsLongLines,
    CutsLongBatches,
    WritesAgain,
    LosesRaces,
    ResolvesPaths,
    ListsSubpathsAsSessions,
    ListsSessionsAsProjects,
    ListsAllSubpaths,
    LeavesSubpaths,
    DeletesTooMuch,
    RefusesUnknownDelete,
    KeepsUuidsOfDeleted,
    Panics,
    AppendUnsupported,
    ForgetsOnReopen,
    ForgetsUuidsOnReopen,
}

type Lines = HashMap<SessionKey, Vec<Json>>;

#[derive(Default)]
pub(crate) struct Place {
    lines: Mutex<Lines>,
    dedups: Mutex<HashMap<SessionKey, Dedup>>,
    last: Mutex<HashMap<SessionKey, BatchId>>,
}

pub(crate) struct Broken {
    fault: Fault,
    place: Arc<Place>,
}

impl Broken {
    pub(crate) fn open(fault: Fault, place: &Arc<Place>) -> Self {
        if fault == Fault::ForgetsOnReopen {
            place.lines().clear();
        }
        if matches!(fault, Fault::ForgetsUuidsOnReopen | Fault::ForgetsOnReopen) {
            place.dedups.lock().unwrap().clear();
        }
        Self {
            fault,
            place: Arc::clone(place),
        }
    }

    /// The key as this store understands it.
    fn key(&self, key: &SessionKey) -> SessionKey {
        match self.fault {
            Fault::SubpathsAreTheSession => key.session(),
            Fault::ProjectsAreOne => SessionKey {
                project_key: "".into(),
                ..key.clone()
            },
            Fault::ResolvesPaths => resolved(key),
            _ => key.clone(),
        }
    }

    fn fresh(&self, key: &SessionKey, batch: &Batch) -> Vec<Json> {
        let mut dedups = self.place.dedups.lock().unwrap();
        let shared = match self.fault {
            Fault::UuidsOfAllKeys => SessionKey::new("all", "all"),
            _ => key.clone(),
        };
        let dedup = dedups.entry(shared).or_default();
        let id = match self.fault {
            Fault::NoBatchNames | Fault::LastBatchNameOnly => BatchId::first(),
            Fault::WritersAreOne => BatchId {
                writer: Default::default(),
                ..batch.id
            },
            _ => batch.id,
        };
        let last = self
            .place
            .last
            .lock()
            .unwrap()
            .insert(key.clone(), batch.id);
        if self.fault == Fault::LastBatchNameOnly && last == Some(batch.id) {
            return Vec::new();
        }
        let named = Batch::new(id, batch.entries.clone());
        let mut fresh: Vec<Json> = match self.fault {
            Fault::NoUuids if dedup.is_retry(&named) => Vec::new(),
            Fault::NoUuids => named.entries.clone(),
            _ => dedup.fresh(&named).into_iter().cloned().collect(),
        };
        dedup.commit(&named);
        match self.fault {
            Fault::CutsLongLines => fresh.retain(|entry| entry.text().len() < 1 << 20),
            Fault::CutsLongBatches => fresh.truncate(1000),
            Fault::WritesAgain => {
                for entry in &mut fresh {
                    *entry = Json::from_value(&entry.to_value());
                }
            }
            _ => {}
        }
        fresh
    }
}

impl Place {
    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap()
    }
}

fn resolved(key: &SessionKey) -> SessionKey {
    let path = format!("/{key}");
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name.trim_end_matches('\0')),
        }
    }
    let mut names = names.into_iter();
    let (project, session) = (names.next().unwrap_or(""), names.next().unwrap_or(""));
    let rest: Vec<&str> = names.collect();
    let key = SessionKey::new(project, session);
    if rest.is_empty() {
        key
    } else {
        key.with_subpath(rest.join("/"))
    }
}

impl SessionStore for Broken {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            match self.fault {
                Fault::Panics => panic!("broken"),
                Fault::AppendUnsupported => {
                    return Err(StoreError::Unsupported {
                        operation: "append",
                    });
                }
                Fault::RefusesEmpty if batch.entries.is_empty() => {
                    return Err(StoreError::failed("nothing to write", "empty"));
                }
                _ => {}
            }
            let key = self.key(key);
            let fresh = self.fresh(&key, batch);
            if self.fault == Fault::LosesRaces {
                // Reads everything, is away for a moment, and writes everything back.
                let mut lines = self.place.lines().clone();
                tokio::task::yield_now().await;
                lines.entry(key).or_default().extend(fresh);
                *self.place.lines() = lines;
                return Ok(());
            }
            let mut lines = self.place.lines();
            let kept = lines.entry(key).or_default();
            for entry in fresh {
                if self.fault == Fault::EqualLinesOnce && kept.contains(&entry) {
                    continue;
                }
                kept.push(entry);
            }
            Ok(())
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        Box::pin(async move {
            let mut found = self.place.lines().get(&self.key(key)).cloned();
            match self.fault {
                Fault::NewestFirst => found.iter_mut().for_each(|entries| entries.reverse()),
                Fault::EmptyForUnknown => found = Some(found.unwrap_or_default()),
                _ => {}
            }
            Ok(found)
        })
    }

    fn list_sessions<'a>(&'a self, project_key: &'a str) -> StoreFuture<'a, Vec<StoredSession>> {
        Box::pin(async move {
            let all = self.fault == Fault::ListsSubpathsAsSessions;
            let lines = self.place.lines();
            let keys = lines
                .keys()
                .filter(|key| key.project_key == *project_key && (all || key.subpath.is_none()));
            Ok(keys
                .map(|key| StoredSession {
                    session_id: key.session_id.clone(),
                    modified: SystemTime::now(),
                })
                .collect())
        })
    }

    fn list_projects(&self) -> StoreFuture<'_, Vec<Str>> {
        Box::pin(async move {
            let lines = self.place.lines();
            let mut projects: Vec<Str> = lines.keys().map(|key| key.project_key.clone()).collect();
            if self.fault != Fault::ListsSessionsAsProjects {
                projects.sort();
                projects.dedup();
            }
            Ok(projects)
        })
    }

    fn list_subkeys<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Vec<Str>> {
        Box::pin(async move {
            let all = self.fault == Fault::ListsAllSubpaths;
            let lines = self.place.lines();
            let keys = lines.keys().filter(|stored| {
                stored.session() == key.session() || (all && stored.project_key == key.project_key)
            });
            Ok(keys.filter_map(|key| key.subpath.clone()).collect())
        })
    }

    fn delete<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let key = self.key(key);
            let mut lines = self.place.lines();
            if self.fault == Fault::RefusesUnknownDelete && !lines.contains_key(&key) {
                return Err(StoreError::failed("cannot delete", "not there"));
            }
            let gone = |stored: &SessionKey| match self.fault {
                Fault::LeavesSubpaths => *stored == key,
                Fault::DeletesTooMuch => stored.session() == key.session(),
                _ => *stored == key || (key.subpath.is_none() && stored.session() == key),
            };
            lines.retain(|stored, _| !gone(stored));
            if self.fault != Fault::KeepsUuidsOfDeleted {
                let mut dedups = self.place.dedups.lock().unwrap();
                dedups.retain(|stored, _| !gone(stored));
            }
            Ok(())
        })
    }
}
