use std::collections::BTreeSet;
use std::sync::Arc;

use rusty_claw::Json;
use rusty_claw::store::conformance::{self, Outcome, Report};
use rusty_claw::store::{
    Batch, Dedup, DirectoryStore, MemoryStore, SessionKey, SessionStore, StoreFuture, SyncPolicy,
};

use super::broken::{Broken, Fault, Place};

#[tokio::test]
async fn our_stores_pass_every_check() {
    let all_passed = |report: &Report| {
        report
            .checks
            .iter()
            .all(|check| check.outcome == Outcome::Passed)
    };
    let report = conformance::run(|| async { MemoryStore::new() }).await;
    assert!(report.passed() && all_passed(&report), "{report}");
    for policy in [SyncPolicy::EachAppend, SyncPolicy::BySystem] {
        let folder = tempfile::tempdir().unwrap();
        let open = || async { DirectoryStore::new(folder.path()).sync(policy) };
        let report = conformance::run_durable(open).await;
        assert!(report.passed() && all_passed(&report), "{report}");
        assert_eq!(report.checks.len(), 24);
        let left: Vec<_> = walk(folder.path());
        assert!(left.is_empty(), "the suite cleans up: {left:?}");
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}

macro_rules! table {
    ($($fault:ident => $($check:literal),+;)*) => {
        &[$((Fault::$fault, &[$($check),+])),*]
    };
}

/// Which checks must fail for each fault. Others may fail too.
const TABLE: &[(Fault, &[&str])] = table! {
    NewestFirst => "lines are loaded in the order in which they were appended";
    EmptyForUnknown => "a key that was never written loads nothing";
    SubpathsAreTheSession => "a key that was never written loads nothing", "keys do not mix";
    ProjectsAreOne => "a key that was never written loads nothing", "keys do not mix";
    NoUuids => "a line with a known uuid is not appended again",
        "a line with a uuid is not appended again after that";
    UuidsOfAllKeys => "the same uuid may be in two keys";
    EqualLinesOnce => "equal lines without a uuid are all kept";
    NoBatchNames => "a batch that comes again is not appended again";
    LastBatchNameOnly => "a batch that comes again behind a later one is not appended again";
    WritersAreOne => "batches of two writers are both kept";
    RefusesEmpty => "an empty batch changes nothing";
    CutsLongLines => "a line of 5 MB is kept";
    CutsLongBatches => "2,000 lines in one batch are kept in order";
    WritesAgain => "text is kept as it came";
    LosesRaces => "appends to different keys can run at the same time";
    ResolvesPaths => "a key that looks like a path leads nowhere else";
    ListsSubpathsAsSessions => "the sessions of a project are listed";
    ListsSessionsAsProjects => "projects are listed";
    ListsAllSubpaths => "what is below a session is listed";
    LeavesSubpaths => "a deleted session is gone with everything below it";
    DeletesTooMuch => "a deleted subpath leaves the rest";
    RefusesUnknownDelete => "what is not there can be deleted";
    KeepsUuidsOfDeleted => "a deleted key can be written anew";
    Panics => "lines are loaded in the order in which they were appended";
    AppendUnsupported => "lines are loaded in the order in which they were appended";
    ForgetsOnReopen => "lines are there when the store is opened again";
    ForgetsUuidsOnReopen => "a line with a uuid is not appended again after that";
};

#[tokio::test]
async fn every_check_can_fail() {
    let examine = async |fault| {
        let place = Arc::new(Place::default());
        conformance::run_durable(|| async { Broken::open(fault, &place) }).await
    };
    let sound = examine(Fault::None).await;
    assert!(sound.passed(), "without a fault: {sound}");
    let mut seen = BTreeSet::new();
    for (fault, expected) in TABLE {
        let report = examine(*fault).await;
        let failed: BTreeSet<&str> = report.failed().map(|check| check.name).collect();
        for name in *expected {
            assert!(
                failed.contains(name),
                "{fault:?} must fail {name:?}:\n{report}"
            );
        }
        assert!(!report.passed());
        seen.extend(expected.iter().copied());
    }
    let all: BTreeSet<&str> = sound.checks.iter().map(|check| check.name).collect();
    assert_eq!(seen, all, "every check is seen to fail");
}

/// As little as a store can be.
#[derive(Default)]
struct Least(std::sync::Mutex<std::collections::HashMap<SessionKey, (Vec<Json>, Dedup)>>);

impl SessionStore for Least {
    fn append<'a>(&'a self, key: &'a SessionKey, batch: &'a Batch) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut kept = self.0.lock().unwrap();
            let (lines, dedup) = kept.entry(key.clone()).or_default();
            lines.extend(dedup.fresh(batch).into_iter().cloned());
            dedup.commit(batch);
            Ok(())
        })
    }

    fn load<'a>(&'a self, key: &'a SessionKey) -> StoreFuture<'a, Option<Vec<Json>>> {
        Box::pin(async move {
            let kept = self.0.lock().unwrap();
            Ok(kept.get(key).map(|(lines, _)| lines.clone()))
        })
    }
}

#[tokio::test]
async fn what_a_store_has_not_is_not_held_against_it() {
    let report = conformance::run(|| async { Arc::new(Least::default()) }).await;
    assert!(report.passed(), "{report}");
    let unsupported: Vec<&str> = report
        .checks
        .iter()
        .filter_map(|check| match &check.outcome {
            Outcome::Unsupported(operation) => Some(*operation),
            _ => None,
        })
        .collect();
    assert_eq!(
        unsupported,
        [
            "list_sessions",
            "list_projects",
            "list_subkeys",
            "delete",
            "delete",
            "delete",
            "delete"
        ]
    );
    assert!(report.to_string().contains("the store has no list_subkeys"));
    assert!(!Report::default().passed(), "no checks are no success");
}
