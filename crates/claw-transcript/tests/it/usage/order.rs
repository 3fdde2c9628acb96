//! The same files result in the same report, in any reading order.

use std::num::NonZero;

use claw_transcript::{GroupBy, SessionFile};

use super::{Home, in_utc, reply};

/// All traps as one library, where the same ids mean different messages, and copies abound.
fn files() -> (tempfile::TempDir, Vec<SessionFile>) {
    let (folder, traps) = super::traps();
    let files = traps.iter().map(|(_, library)| library.files());
    let files = files.flat_map(|files| files.expect("a library can be listed"));
    (folder, files.collect())
}

#[test]
fn neither_order_nor_threads_matter() {
    let (_folder, mut files) = files();
    let query = || {
        in_utc()
            .group_by(GroupBy::Session)
            .group_by(GroupBy::Tool)
            .group_by(GroupBy::Branch)
    };
    let json = |threads, files: &[SessionFile]| {
        let threads = NonZero::new(threads).expect("not zero");
        let report = query().threads(threads).count(files.to_vec(), None);
        serde_json::to_string(&report).expect("a report is JSON")
    };
    let first = json(1, &files);
    for turn in 0..files.len() {
        files.rotate_left(1);
        if turn % 2 == 0 {
            files.reverse();
        }
        assert_eq!(json(turn % 5 + 1, &files), first);
    }
}

#[test]
fn progress_ends_where_the_files_do() {
    let home = Home::new();
    home.write("-w/a.jsonl", &vec![reply(&[]); 20_000]);
    home.write("-w/b.jsonl", &[reply(&[])]);
    let files = super::files_of(&home);
    let total: u64 = files.iter().map(|file| file.len).sum();
    let seen = std::sync::Mutex::new(Vec::new());
    let progress = |progress: claw_transcript::Progress| {
        let mut seen = seen.lock().expect("nobody panics");
        seen.push((progress.done, progress.total));
    };
    let report = in_utc().count(files, Some(&progress));
    assert_eq!(report.read.bytes, total);
    let mut seen = seen.into_inner().expect("nobody panics");
    seen.sort_unstable();
    assert!(seen.len() > 2, "a large file reports progress");
    assert_eq!(seen.last(), Some(&(total, total)));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let home = Home::new();
    home.write("-w/a.jsonl", &[reply(&[])]);
    let mut files = super::files_of(&home);
    let mut gone = files[0].clone();
    gone.path = gone.path.with_file_name("gone.jsonl");
    files.push(gone.clone());
    let report = in_utc().count(files, None);
    assert_eq!(report.total.messages, 1);
    assert_eq!(report.read.unreadable.len(), 1);
    assert_eq!(report.read.unreadable[0].path, gone.path);
}

/// Some gateways give every reply the same id. Their requests distinguish them.
#[test]
fn one_id_for_all_replies_loses_none() {
    let own = |at: u64| format!(r#","requestRef":"r-{at}","requestId":"req_{at}""#);
    let service = |at: u64| format!(r#","requestId":"req_{at}""#);
    for more in [&own as &dyn Fn(u64) -> String, &service] {
        let home = Home::new();
        // Each has its own prompt.
        let line = reply(&[("more", "MORE"), ("input", "INPUT")]);
        let line = |at: u64| {
            line.replace("MORE", &more(at))
                .replace("INPUT", &at.to_string())
        };
        let lines: Vec<String> = (0..20_000).map(line).collect();
        home.write("-w/a.jsonl", &lines);
        let report = home.count(in_utc());
        assert_eq!(report.total.messages, 20_000);
        assert_eq!(report.total.tokens.input, 19_999 * 10_000);
    }
}
