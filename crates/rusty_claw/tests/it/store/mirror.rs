use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusty_claw::Received;
use rusty_claw::messages::{Message, SystemMessage};
use rusty_claw::store::{
    FlushMode, MemoryStore, Mirror, MirrorOptions, SessionKey, SessionStore, SyncPolicy,
};
use tokio::time::Instant;

use super::failing::{Act, FailingStore};
use super::texts;

const LONG: Duration = Duration::from_secs(3600);

fn options() -> MirrorOptions {
    MirrorOptions::new("/c")
}

fn frame(session: &str, lines: &[&str]) -> String {
    format!(
        r#"{{"type":"transcript_mirror","filePath":"/c/projects/-p/{session}.jsonl","entries":[{}]}}"#,
        lines.join(",")
    )
}

fn key(session: &str) -> SessionKey {
    SessionKey::new("-p", session)
}

/// Collects lines that are reported as lost.
#[derive(Clone, Default)]
struct Losses(Arc<Mutex<Vec<Received>>>);

impl Losses {
    fn watch(&self, options: MirrorOptions) -> MirrorOptions {
        let losses = Arc::clone(&self.0);
        options.on_loss(move |message| losses.lock().unwrap().push(message))
    }

    fn errors(&self) -> Vec<(String, String)> {
        let losses = self.0.lock().unwrap();
        losses
            .iter()
            .map(|received| match &received.message {
                Message::System(system) => match system {
                    SystemMessage::MirrorError(error) => {
                        (error.key.session_id.to_string(), error.error.clone())
                    }
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            })
            .collect()
    }
}

async fn stored(store: &dyn SessionStore, session: &str) -> Vec<String> {
    let entries = store.load(&key(session)).await.unwrap().unwrap_or_default();
    texts(&entries).into_iter().map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn what_the_cli_printed_is_what_the_cli_wrote() {
    let recorded =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cli/2.1.325/session_mirror");
    let printed = std::fs::read_to_string(recorded.join("stdout.ndjson")).unwrap();
    let store = Arc::new(MemoryStore::new());
    let mirror = Mirror::start(store.clone(), MirrorOptions::new("/home/user/.claude"));
    for line in printed.lines() {
        if line.contains(r#""type":"transcript_mirror""#) {
            mirror.push(line.to_owned());
        }
        if line.contains(r#"{"type":"result""#) {
            mirror.flush();
        }
    }
    let report = mirror.close(LONG).await;
    assert!(report.is_complete(), "{report:?}");

    let project = recorded.join("sessions");
    let mut checked = BTreeMap::new();
    for key in store.keys() {
        let mut path: PathBuf = project.join(&*key.project_key).join(&*key.session_id);
        if let Some(subpath) = &key.subpath {
            path.push(&**subpath);
        }
        path.set_extension("jsonl");
        let written = std::fs::read_to_string(&path).unwrap();
        let written: Vec<&str> = written
            .split_terminator('\n')
            .filter(|line| !line.contains(r#""type":"api-request"#))
            .collect();
        let entries = store.load(&key).await.unwrap().unwrap();
        let mirrored: Vec<&str> = texts(&entries)
            .into_iter()
            .filter(|line| !line.contains(r#""type":"agent_metadata""#))
            .collect();
        assert_eq!(mirrored, written, "{key}");
        checked.insert(key, mirrored.len());
    }
    assert_eq!(checked.len(), 2, "a session and its subagent: {checked:?}");
    assert!(checked.values().all(|lines| *lines > 2), "{checked:?}");
    let session = store.keys()[0].session();
    let last = store.load(&session).await.unwrap().unwrap();
    assert!(
        last.last()
            .unwrap()
            .text()
            .contains(r#""type":"cost-state""#),
        "what comes behind the last result is stored too"
    );
}

#[tokio::test(start_paused = true)]
async fn attempts_end_well_or_are_reported() {
    use Act::{Fail, Hang, Panic, Refuse, Take, TakeAndFail, TakeAndHang};
    // Acts, duration in milliseconds, attempts, whether the lines are stored, whether they are
    // reported as lost.
    let table: &[(&[Act], u64, usize, bool, bool)] = &[
        (&[Take], 0, 1, true, false),
        (&[Fail, Take], 200, 2, true, false),
        (&[Fail, Fail, Take], 1000, 3, true, false),
        (&[Fail, Fail, Fail, Take], 4200, 4, true, false),
        // The pauses grow up to half a minute, and there is no last attempt.
        (&[Fail; 9], 167_000, 10, true, false),
        (&[Fail, Refuse], 200, 2, false, true),
        (&[TakeAndFail, Take], 200, 2, true, false),
        (&[TakeAndHang, Take], 60_200, 2, true, false),
        (&[Hang, Hang, Hang], 184_200, 4, true, false),
        (&[Panic, Take], 200, 2, true, false),
        (&[Panic, Panic, Panic], 4200, 4, true, false),
    ];
    for (acts, millis, attempts, there, lost) in table {
        let store = Arc::new(FailingStore::new(acts));
        let losses = Losses::default();
        let mirror = Mirror::start(store.clone(), losses.watch(options()));
        let start = Instant::now();
        mirror.push(frame("a", &[r#"{"n":1}"#, r#"{"n":1}"#]));
        let report = mirror.close(LONG).await;
        assert_eq!(start.elapsed().as_millis() as u64, *millis, "{acts:?}");
        assert_eq!(report.lag.as_millis() as u64, *millis, "{acts:?}");
        assert_eq!(store.attempts().len(), *attempts, "{acts:?}");
        let ids: Vec<_> = store.attempts().iter().map(|(id, ..)| *id).collect();
        assert!(
            ids.iter().all(|id| *id == ids[0]),
            "a retry has the same name"
        );
        let kept = stored(&*store, "a").await;
        assert_eq!(kept.len(), if *there { 2 } else { 0 }, "{acts:?}");
        assert_eq!(report.lost, if *lost { 2 } else { 0 }, "{acts:?}");
        assert_eq!(report.appended, if *lost { 0 } else { 2 }, "{acts:?}");
        assert_eq!(losses.errors().len(), usize::from(*lost), "{acts:?}");
        assert_eq!(report.damaged.len(), usize::from(*lost), "{acts:?}");
        assert!(report.ended);
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_was_away_gets_everything_in_order() {
    let store = Arc::new(FailingStore::new(&[Act::Fail; 20]));
    let mirror = Mirror::start(store.clone(), options());
    for n in 0..3 {
        mirror.push(frame("a", &[&format!(r#"{{"n":{n}}}"#)]));
        mirror.flush();
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    let report = mirror.close(LONG).await;
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(
        stored(&*store, "a").await,
        [r#"{"n":0}"#, r#"{"n":1}"#, r#"{"n":2}"#]
    );
}

#[tokio::test(start_paused = true)]
async fn a_close_does_not_wait_for_a_long_pause() {
    // Attempts at 0, 0.2, 1, 4.2 and 17 s; the next would be at 47 s.
    let store = Arc::new(FailingStore::new(&[Act::Fail; 5]));
    let mirror = Mirror::start(store.clone(), options());
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    mirror.flush();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(store.attempts().len(), 5);
    let start = Instant::now();
    let report = mirror.close(Duration::from_secs(10)).await;
    assert!(report.is_complete(), "{report:?}");
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn a_mirror_that_was_dropped_does_not_try_for_ever() {
    let store = Arc::new(FailingStore::new(&[Act::Fail; 1000]));
    let mirror = Mirror::start(store.clone(), options());
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    drop(mirror);
    tokio::time::sleep(Duration::from_secs(600)).await;
    let attempts = store.attempts().len();
    assert!((5..30).contains(&attempts), "{attempts}");
    tokio::time::sleep(LONG).await;
    assert_eq!(store.attempts().len(), attempts);
}

#[tokio::test(start_paused = true)]
async fn a_lost_batch_is_named_and_the_next_is_stored() {
    let store = Arc::new(FailingStore::new(&[Act::Refuse]));
    let losses = Losses::default();
    let mirror = Mirror::start(store.clone(), losses.watch(options()));
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    mirror.flush();
    mirror.push(frame("a", &[r#"{"n":2}"#]));
    let report = mirror.close(LONG).await;
    assert_eq!(stored(&*store, "a").await, [r#"{"n":2}"#]);
    assert_eq!((report.appended, report.lost), (1, 1));
    assert!(!report.is_complete());
    assert_eq!(
        losses.errors(),
        [(
            "a".to_owned(),
            "1 lines of -p/a are not in the store: this store has no append; implement \
             SessionStore::append for it"
                .to_owned()
        )]
    );
    let message = losses.0.lock().unwrap()[0].clone();
    assert!(message.raw.to_text().contains(r#""lost_entries":1"#));
    assert!(message.message.session_id().is_some_and(|id| id == "a"));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_holds_up_nobody_and_overflow_is_told_at_once() {
    let store = Arc::new(FailingStore::new(&[Act::Hang; 3]));
    let losses = Losses::default();
    let one = frame("a", &[r#"{"n":1}"#]);
    let limit = one.len() * 3;
    let mirror = Mirror::start(store.clone(), losses.watch(options().queue_limit(limit)));
    let start = Instant::now();
    mirror.push(one.clone());
    mirror.flush();
    tokio::time::sleep(Duration::from_millis(1)).await;
    for _ in 0..10 {
        mirror.push(one.clone());
    }
    assert_eq!(start.elapsed(), Duration::from_millis(1));
    assert_eq!(mirror.stats().lost, 8);
    assert!(mirror.stats().waiting <= limit);
    tokio::time::sleep(Duration::from_millis(1)).await;
    let told: Vec<String> = losses
        .errors()
        .into_iter()
        .map(|(_, error)| error)
        .collect();
    assert_eq!(
        told,
        [
            "8 lines of -p/a are not in the store: too much was waiting for the store already, \
          or the mirror was closed"
        ]
    );
    assert!(mirror.stats().lag >= Duration::from_millis(2));
    let report = mirror.close(LONG).await;
    assert_eq!((report.appended, report.lost), (3, 8));
    assert_eq!(report.damaged, [key("a")]);
    assert_eq!(mirror.stats().waiting, 0);
    assert_eq!(mirror.stats().lag, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn one_frame_is_taken_however_long() {
    let store = Arc::new(MemoryStore::new());
    let mirror = Mirror::start(store.clone(), options().queue_limit(10));
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    let report = mirror.close(LONG).await;
    assert!(report.is_complete(), "{report:?}");
    mirror.push(frame("a", &[r#"{"n":2}"#]));
    assert_eq!(mirror.stats().lost, 1, "behind the end there is nobody");
}

#[tokio::test(start_paused = true)]
async fn a_close_ends_at_its_deadline() {
    let store = Arc::new(FailingStore::new(&[Act::Hang; 3]));
    let losses = Losses::default();
    let mirror = Mirror::start(store.clone(), losses.watch(options()));
    let start = Instant::now();
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    mirror.flush();
    mirror.push(frame("b", &[r#"{"n":2}"#, r#"{"n":3}"#]));
    let report = mirror.close(Duration::from_secs(5)).await;
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    assert!(report.ended);
    assert_eq!((report.appended, report.lost), (0, 3));
    assert_eq!(report.damaged, [key("a"), key("b")]);
    assert_eq!(losses.errors().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn lines_behind_a_turn_do_not_wait_for_the_next() {
    let store = Arc::new(MemoryStore::new());
    let mirror = Mirror::start(store.clone(), options());
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    mirror.flush();
    mirror.push(frame("a", &[r#"{"type":"cost-state"}"#]));
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(stored(&*store, "a").await.len(), 1);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(stored(&*store, "a").await.len(), 2);
    assert!(mirror.close(LONG).await.is_complete());
}

#[tokio::test(start_paused = true)]
async fn batches_are_as_the_mode_says() {
    let table: &[(FlushMode, &[usize])] = &[
        (FlushMode::Batched, &[2, 1, 1]),
        (FlushMode::Eager, &[1, 1, 1, 1]),
    ];
    for (mode, sizes) in table {
        let store = Arc::new(FailingStore::new(&[]));
        let mirror = Mirror::start(store.clone(), options().mode(*mode));
        mirror.push(frame("a", &[r#"{"n":1}"#]));
        mirror.push(frame("b", &[r#"{"n":2}"#]));
        mirror.push(frame("a", &[r#"{"n":3}"#]));
        mirror.flush();
        mirror.push(frame("a", &[r#"{"n":4}"#]));
        let report = mirror.close(LONG).await;
        assert_eq!(report.appended, 4);
        let attempts = store.attempts();
        let found: Vec<usize> = attempts.iter().map(|(_, _, lines)| *lines).collect();
        assert_eq!(found, *sizes, "{mode:?}");
        let mut numbers: Vec<u64> = attempts.iter().map(|(id, ..)| id.sequence).collect();
        numbers.dedup();
        assert_eq!(numbers.len(), sizes.len(), "each batch has its own number");
        assert!(numbers.is_sorted());
        assert_eq!(
            stored(&*store, "a").await,
            [r#"{"n":1}"#, r#"{"n":3}"#, r#"{"n":4}"#]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn frames_of_other_files_are_refused_and_counted() {
    let store = Arc::new(MemoryStore::new());
    let losses = Losses::default();
    let mirror = Mirror::start(store.clone(), losses.watch(options()));
    mirror.push(r#"{"type":"transcript_mirror","filePath":"/c/projects/../../etc/passwd.jsonl","entries":[{}]}"#);
    mirror
        .push(r#"{"type":"transcript_mirror","filePath":"/elsewhere/-p/a.jsonl","entries":[{}]}"#);
    mirror.push(r#"{"type":"transcript_mirror","entries":"none"}"#);
    mirror.push("not json");
    mirror.push(frame("a", &[r#"{"n":1}"#, "null", "7"]));
    let report = mirror.close(LONG).await;
    assert_eq!((report.appended, report.lost, report.refused), (1, 2, 4));
    assert_eq!(store.keys(), [key("a")]);
    let errors = losses.errors();
    assert_eq!(
        errors.len(),
        2,
        "the first refusal and the odd lines: {errors:?}"
    );
    assert!(errors[0].1.contains("passwd"), "{errors:?}");
    assert_eq!(mirror.stats().waiting, 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_config_folder_behind_a_link_is_known_by_both_names() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap().join("real");
    std::fs::create_dir(&real).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let store = Arc::new(MemoryStore::new());
    let mirror = Mirror::start(store.clone(), MirrorOptions::new(&link));
    for (name, spelled) in [("a", &link), ("b", &real)] {
        mirror.push(format!(
            r#"{{"type":"transcript_mirror","filePath":"{}/projects/-p/{name}.jsonl","entries":[{{}}]}}"#,
            spelled.display()
        ));
    }
    assert!(mirror.close(LONG).await.is_complete());
    assert_eq!(store.keys(), [key("a"), key("b")]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_mirror_and_a_dropped_close_store_what_was_pushed() {
    for dropped_close in [false, true] {
        let store = Arc::new(FailingStore::new(&[Act::Slow(Duration::from_secs(10))]));
        let mirror = Mirror::start(store.clone(), options());
        mirror.push(frame("a", &[r#"{"n":1}"#]));
        if dropped_close {
            let close = mirror.close(LONG);
            assert!(
                tokio::time::timeout(Duration::from_secs(1), close)
                    .await
                    .is_err()
            );
        }
        drop(mirror);
        assert!(stored(&*store, "a").await.is_empty());
        tokio::time::sleep(Duration::from_secs(11)).await;
        assert_eq!(stored(&*store, "a").await.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_report_that_panics_ends_nothing() {
    let store = Arc::new(FailingStore::new(&[Act::Refuse]));
    let options = options().on_loss(|_| panic!("the program is broken"));
    let mirror = Mirror::start(store.clone(), options);
    mirror.push(frame("a", &[r#"{"n":1}"#]));
    mirror.flush();
    mirror.push(frame("a", &[r#"{"n":2}"#]));
    let report = mirror.close(LONG).await;
    assert_eq!((report.appended, report.lost, report.ended), (1, 1, true));
}

#[tokio::test]
async fn a_folder_is_filled_through_a_mirror() {
    let folder = tempfile::tempdir().unwrap();
    let store = rusty_claw::store::DirectoryStore::new(folder.path()).sync(SyncPolicy::BySystem);
    let mirror = Mirror::start(Arc::new(store.clone()), options());
    let lines: Vec<String> = (0..1200).map(|n| format!(r#"{{"n":{n}}}"#)).collect();
    for lines in lines.chunks(100) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        mirror.push(frame("a", &lines));
    }
    assert!(mirror.close(LONG).await.is_complete());
    assert_eq!(stored(&store, "a").await, lines);
}
