//! Sessions that are forks of one another.

use std::fs;

use claw_transcript::{FileRole, ForkKind, ForkOptions, SessionFile, families};

use crate::scratch::{Scratch, testdata};

const FIRST: &str = "5e5e5e5e-2222-4222-8222-000000000101";

fn kinds(files: &[SessionFile]) -> Vec<Vec<(String, ForkKind)>> {
    let named = |file: usize| files[file].session_id.clone().expect("an id");
    let families = families(files).expect("families").into_iter();
    families
        .map(|family| {
            let members = family.members.into_iter();
            members
                .map(|member| (named(member.file), member.kind))
                .collect()
        })
        .collect()
}

#[test]
fn all_three_kinds_of_forks_are_found() {
    let scratch = Scratch::of(&testdata().join("cli/2.1.325/resume_fork/sessions"));
    let copied = "f6a4c3f6-b4cf-4ba4-97f8-e4c08cfe86ef";
    let library = scratch.library();
    let forked = library
        .fork(FIRST, &ForkOptions::default())
        .expect("a fork");
    // As `/branch` writes it: the same uuids, each line naming its source.
    let original = fs::read_to_string(
        scratch
            .projects()
            .join("-home-user-project")
            .join(format!("{FIRST}.jsonl")),
    )
    .expect("a session");
    let branched = "00000000-0000-4000-8000-00000000000b";
    let mut text = String::new();
    for line in original.lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if let Some(uuid) = line.get("uuid").cloned() {
            line["forkedFrom"] = serde_json::json!({"sessionId": FIRST, "messageUuid": uuid});
            line["sessionId"] = branched.into();
            text += &format!("{line}\n");
        }
    }
    scratch.session("-elsewhere", branched, text);
    // As a fork of a compacted session begins: with a line from the middle of another.
    let middle = "00000000-0000-4000-8000-00000000000c";
    let from = original
        .find("\"still?\"")
        .and_then(|at| original[..at].rfind('\n'));
    scratch.session("-elsewhere", middle, &original[from.expect("a line") + 1..]);
    scratch.session("-elsewhere", "00000000-0000-4000-8000-00000000000d", "{\"type\":\"user\",\"uuid\":\"x\",\"parentUuid\":null,\"sessionId\":\"s\",\"message\":{\"content\":\"alone\"}}\n");
    let files = library.files().expect("files");
    let found = kinds(&files);
    assert_eq!(found.len(), 1, "{found:?}");
    let mut found = found.into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(found.remove(0), (FIRST.to_owned(), ForkKind::Original));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let mut expected = vec![
        (copied.to_owned(), ForkKind::Copied),
        (branched.to_owned(), ForkKind::Branched),
        (middle.to_owned(), ForkKind::Copied),
        (forked, ForkKind::Forked),
    ];
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, expected);
}

#[test]
fn sessions_that_share_nothing_are_no_family() {
    for name in ["slash_clear", "agent_background", "text_basic"] {
        let sessions = testdata().join("cli/2.1.325").join(name).join("sessions");
        let scratch = Scratch::of(&sessions);
        let files = scratch.library().files().expect("files");
        assert!(files.iter().any(|file| file.role == FileRole::Main));
        assert!(kinds(&files).is_empty(), "{name}");
    }
}
