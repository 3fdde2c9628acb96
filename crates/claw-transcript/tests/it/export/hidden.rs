//! Hidden messages are nowhere in an export: not at their position, not where the CLI repeats them,
//! and not in copies.

use claw_transcript::{Export, ForkOptions, Format, RepairTarget, SessionFile, SoftDeletes};
use serde_json::{Value, json};

use super::export;
use crate::scratch::Scratch;

const ID: &str = "5e5e5e5e-0000-4000-8000-000000000007";
const SECRET: &str = "00000000-0000-4000-8000-000000000003";

/// A session whose second prompt is a secret that the CLI repeats wherever it can.
fn session() -> String {
    let id = |at: usize| format!("00000000-0000-4000-8000-{at:012}");
    let mut text = String::new();
    let mut add = |line: Value| text.push_str(&format!("{line}\n"));
    let said = [
        "open words",
        "open reply",
        "SECRETWORD",
        "another reply",
        "more",
        "end",
    ];
    for (at, words) in said.into_iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let content = json!([{"type":"text","text":words}]);
        add(
            json!({"parentUuid":at.checked_sub(1).map(|at| id(at + 1)),"isSidechain":false,
            "type":role,"uuid":id(at + 1),"sessionId":ID,"timestamp":format!("2026-01-31T12:00:{at:02}.000Z"),
            "userType":"external","version":"2.1.325","cwd":"/home/user/x",
            "message":{"id":format!("msg_{at}"),"role":role,"content":content}}),
        );
        if words == "SECRETWORD" {
            add(
                json!({"type":"attachment","uuid":id(99),"parentUuid":id(3),"sessionId":ID,
                "isSidechain":false,"timestamp":"2026-01-31T12:00:03.000Z",
                "attachment":{"type":"file","content":"SECRETWORD file"}}),
            );
        }
    }
    for line in [
        json!({"type":"mode","mode":"default","sessionId":ID}),
        json!({"type":"last-prompt","lastPrompt":"SECRETWORD lp","sessionId":ID}),
        json!({"type":"queue-operation","operation":"enqueue","content":"SECRETWORD q","sessionId":ID}),
        json!({"type":"ai-title","aiTitle":"About SECRETWORD","sessionId":ID}),
        json!({"type":"summary","summary":"SECRETWORD sum","leafUuid":id(6)}),
        json!({"type":"of-tomorrow","what":"SECRETWORD new","sessionId":ID}),
    ] {
        add(line);
    }
    text
}

fn hidden_in(folder: &std::path::Path) {
    let mut marks = SoftDeletes::open(folder, ID).unwrap();
    marks.delete(SECRET);
    marks.save().unwrap();
}

/// That the secret is in every form without marks, and in none with them.
fn assert_hidden(files: &[SessionFile], marks: &std::path::Path) {
    for format in Format::ALL {
        for system in [true, false] {
            let form = Export::new(format).system(system);
            let (with, _) = export(&form, files);
            assert!(with.contains("SECRETWORD"), "{}", format.as_str());
            let (without, report) = export(&form.without_deleted_in(marks), files);
            let lines = without.lines();
            let leaks: Vec<&str> = lines.filter(|line| line.contains("SECRETWORD")).collect();
            assert_eq!(leaks, [""; 0], "{}", format.as_str());
            assert!(without.contains("another reply") && report.deleted == 1);
            assert!(!report.title.contains("SECRETWORD"), "{}", report.title);
        }
    }
}

#[test]
fn what_the_cli_repeats_is_hidden_too() {
    let scratch = Scratch::new();
    let marks = tempfile::tempdir().unwrap();
    scratch.session("-p", ID, session());
    hidden_in(marks.path());
    let files = scratch.library().session_files(ID).unwrap();
    assert_hidden(&files, marks.path());
    let text = std::fs::read_to_string(&files[0].path).unwrap();
    assert_eq!(text, session(), "the file is unchanged");
    let form = Export::new(Format::Jsonl).without_deleted_in(marks.path());
    let (lines, report) = export(&form, &files);
    assert!(lines.contains("\"mode\":\"default\""), "{lines}");
    assert!(report.quoting >= 5, "{}", report.quoting);
    // A title that a person set is kept.
    let titled = session()
        + &format!(
            "{{\"type\":\"custom-title\",\"customTitle\":\"Mine\",\"sessionId\":\"{ID}\"}}\n"
        );
    scratch.session("-p", ID, titled);
    let files = scratch.library().session_files(ID).unwrap();
    let page = Export::new(Format::Html).without_deleted_in(marks.path());
    assert_eq!(export(&page, &files).1.title, "Mine");
}

#[test]
fn a_mark_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    hidden_in(folder.path());
    let mut marks = SoftDeletes::open(folder.path(), ID).unwrap();
    assert!(marks.restore(SECRET) && !marks.restore(SECRET));
    assert!(SoftDeletes::open(folder.path(), "../escape").is_err());
}

#[test]
fn marks_hold_for_copies_and_forks() {
    let scratch = Scratch::new();
    let marks = tempfile::tempdir().unwrap();
    // Torn at the end, so that there is something to repair.
    scratch.session("-p", ID, session() + "{\"type\":\"user\",\"uu");
    hidden_in(marks.path());
    let library = scratch.library();
    let files = library.session_files(ID).unwrap();
    let plan = library.plan_repair(ID).unwrap();
    let repaired = plan.apply(&RepairTarget::NewSession).unwrap();
    let again = library.session_files(&repaired.session_id).unwrap();
    assert_ne!(again[0].path, files[0].path);
    assert_hidden(&again, marks.path());
    let fork = library.fork(ID, &ForkOptions::new()).unwrap();
    let forked = library.session_files(&fork).unwrap();
    let text = std::fs::read_to_string(&forked[0].path).unwrap();
    assert!(!text.contains(&format!("\"uuid\":\"{SECRET}\"")) && text.contains("SECRETWORD"));
    assert_hidden(&forked, marks.path());
    // Everything at once: three sessions, one message hidden in each.
    let to = tempfile::tempdir().unwrap();
    let all = Export::new(Format::Markdown).without_deleted_in(marks.path());
    let report = all.write_folder(&library, to.path(), |_| ()).unwrap();
    assert_eq!((report.sessions, report.deleted), (3, 3));
}

#[test]
fn marks_of_other_sessions_take_nothing_away() {
    let scratch = Scratch::new();
    let marks = tempfile::tempdir().unwrap();
    scratch.session("-p", ID, session());
    let other = "5e5e5e5e-0000-4000-8000-000000000008";
    let mut of_other = SoftDeletes::open(marks.path(), other).unwrap();
    // One that is not here, and one whose name means nothing elsewhere.
    of_other.delete("99999999-0000-4000-8000-000000000003");
    of_other.delete("msg-001");
    of_other.save().unwrap();
    std::fs::write(marks.path().join("deleted/notes.txt"), "not ours").unwrap();
    let files = scratch.library().session_files(ID).unwrap();
    for format in Format::ALL {
        let form = Export::new(format);
        let (all, _) = export(&form, &files);
        assert_eq!(
            export(&form.without_deleted_in(marks.path()), &files).0,
            all
        );
    }
    let all = SoftDeletes::open_all(marks.path()).unwrap();
    assert_eq!(
        all.iter().map(SoftDeletes::session).collect::<Vec<_>>(),
        [other]
    );
}
