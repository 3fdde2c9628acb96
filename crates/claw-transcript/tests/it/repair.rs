//! Repairs of recorded sessions, and as files.

mod random;

use std::path::{Path, PathBuf};

use claw_transcript::{RepairAction, RepairError, RepairPlan, RepairStep, RepairTarget};

use crate::scratch::{Scratch, session_files_under, testdata};

/// The recorded session files.
fn recorded() -> Vec<PathBuf> {
    let files = session_files_under(&testdata().join("cli")).into_iter();
    let mut files: Vec<PathBuf> = files.map(|file| file.path).collect();
    files.retain(|path| path.to_string_lossy().contains("/sessions/"));
    assert!(files.len() > 50, "{} recorded files", files.len());
    files
}

#[test]
fn recorded_sessions_need_no_repair() {
    for path in recorded() {
        let plan = RepairPlan::of_file(&path).unwrap();
        // Some were torn on purpose before they were resumed, some have half an emoji.
        let name = path.to_string_lossy();
        let expected = |step: &RepairStep| match step.action {
            RepairAction::Remove => name.contains("/resume_torn_"),
            RepairAction::Text => name.contains("/unicode_lone_surrogate"),
            _ => false,
        };
        assert!(plan.steps().all(expected), "{plan}");
    }
}

/// A session whose every turn has a mark, in the CLI's shape.
fn marked() -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let mut parent = "null".to_owned();
    let mut number = 0;
    let mut line = |parent: &mut String, kind: &str, rest: String| {
        number += 1;
        let uuid = format!("00000000-0000-4000-8000-{number:012}");
        lines.push(
            format!(
                r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{rest},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.{number:03}Z","sessionId":"s","version":"2.1.325"}}"#
            )
            .into_bytes(),
        );
        *parent = format!("\"{uuid}\"");
    };
    for turn in 0..8 {
        line(
            &mut parent,
            "user",
            format!(r#""message":{{"role":"user","content":"MARK prompt {turn} 🦀"}}"#),
        );
        line(
            &mut parent,
            "attachment",
            format!(r#""attachment":{{"type":"date","text":"MARK {turn}"}}"#),
        );
        let mut calls = Vec::new();
        for call in 0..turn % 4 {
            line(
                &mut parent,
                "assistant",
                format!(
                    r#""message":{{"id":"m{turn}","role":"assistant","content":[{{"type":"tool_use","id":"t{turn}-{call}","name":"Bash","input":{{"command":"MARK"}}}}]}}"#
                ),
            );
            calls.push((call, parent.clone()));
        }
        for (call, mut under) in calls {
            line(
                &mut under,
                "user",
                format!(
                    r#""message":{{"role":"user","content":[{{"tool_use_id":"t{turn}-{call}","type":"tool_result","content":"MARK result {turn}-{call}"}}]}}"#
                ),
            );
            parent = under;
        }
        line(
            &mut parent,
            "assistant",
            format!(
                r#""message":{{"id":"n{turn}","role":"assistant","content":[{{"type":"text","text":"MARK reply {turn}"}}]}}"#
            ),
        );
    }
    lines
}

const ID: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// A damaged session with a subagent, a long result and a title.
fn damaged(scratch: &Scratch) -> PathBuf {
    let mut lines = marked();
    lines.remove(10);
    let mut bytes = lines.join(&b"\n"[..]);
    bytes = String::from_utf8(bytes)
        .unwrap()
        .replace("\"sessionId\":\"s\"", &format!("\"sessionId\":\"{ID}\""))
        .into_bytes();
    bytes.extend(b"\n{\"parentUuid\":\"torn");
    let path = scratch.session("-p", ID, &bytes);
    let beside = path.with_extension("");
    for (name, text) in [
        ("subagents/agent-a1.meta.json", "{}"),
        ("tool-results/t1.txt", "long"),
        ("custom-title.json", "{}"),
    ] {
        let file = beside.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let agent = format!(
        r#"{{"parentUuid":null,"isSidechain":false,"agentId":"a1","type":"user","message":{{"role":"user","content":"MARK"}},"uuid":"00000000-0000-4000-8000-00000000000a","sessionId":"{ID}"}}"#
    );
    std::fs::write(beside.join("subagents/agent-a1.jsonl"), agent + "\n").unwrap();
    path
}

#[test]
fn a_repair_is_a_new_session() {
    let scratch = Scratch::new();
    let path = damaged(&scratch);
    let before = std::fs::read(&path).unwrap();
    let plan = scratch.library().plan_repair(ID).unwrap();
    assert_eq!(plan.files.len(), 2);
    assert_eq!(plan.files[1].steps.len(), 1, "{plan}");

    assert_eq!(plan.repaired_before(), None);
    let repaired = plan.apply(&RepairTarget::NewSession).unwrap();
    assert_ne!(repaired.session_id, ID);
    assert_eq!(repaired.steps_left, 0);
    assert!(
        repaired.errors_before > repaired.errors_left,
        "{repaired:?}"
    );
    assert_eq!(
        repaired.resume_command(),
        format!("claude --resume {}", repaired.session_id)
    );
    assert_eq!(
        std::fs::read(&path).unwrap(),
        before,
        "the original is as it was"
    );

    let text = std::fs::read_to_string(&repaired.path).unwrap();
    assert!(!text.contains(ID) && text.contains(&repaired.session_id));
    let beside = repaired.path.with_extension("");
    for name in [
        "subagents/agent-a1.meta.json",
        "tool-results/t1.txt",
        "custom-title.json",
    ] {
        assert!(beside.join(name).is_file(), "{name}");
    }
    let agent = std::fs::read_to_string(beside.join("subagents/agent-a1.jsonl")).unwrap();
    assert!(agent.contains("\"isSidechain\":true") && agent.contains(&repaired.session_id));
    let removed = std::fs::read_to_string(repaired.kept_in.join("removed.txt")).unwrap();
    assert!(removed.ends_with("{\"parentUuid\":\"torn\n"), "{removed}");
    let kept = std::fs::read_to_string(repaired.kept_in.join("plan.json")).unwrap();
    assert!(kept.contains("\"line-whole\""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&repaired.path)
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_eq!(plan.repaired_before(), Some(repaired.path));
    let sessions = scratch
        .library()
        .list(&claw_transcript::SessionFilter::new())
        .unwrap();
    assert_eq!(sessions.len(), 2, "both are listed");
}

#[test]
fn a_repair_writes_new_files_only() {
    let scratch = Scratch::new();
    let path = damaged(&scratch);
    let plan = RepairPlan::of_file(&path).unwrap();
    let folder = path.parent().unwrap().to_path_buf();
    let over = plan.apply(&RepairTarget::Folder(folder.clone()));
    assert!(matches!(over, Err(RepairError::Exists { .. })), "{over:?}");
    let over = plan.apply(&RepairTarget::Session(ID.to_owned()));
    assert!(matches!(over, Err(RepairError::Exists { .. })), "{over:?}");
    let wrong = plan.apply(&RepairTarget::Session("../x".to_owned()));
    assert!(matches!(wrong, Err(RepairError::File(_))), "{wrong:?}");

    let elsewhere = folder.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let repaired = plan
        .apply(&RepairTarget::Folder(elsewhere.clone()))
        .unwrap();
    assert_eq!(repaired.path, elsewhere.join(format!("{ID}.jsonl")));
    let again = RepairPlan::of_file(&repaired.path).unwrap();
    let nothing = again.apply(&RepairTarget::NewSession);
    assert!(
        matches!(nothing, Err(RepairError::Nothing { .. })),
        "{nothing:?}"
    );

    // The file was renamed: the id is taken from the lines.
    let renamed = folder.join("renamed.jsonl");
    std::fs::copy(&path, &renamed).unwrap();
    let renamed_plan = RepairPlan::of_file(&renamed).unwrap();
    let into = folder.join("renamed-repaired");
    let repaired = renamed_plan.apply(&RepairTarget::Folder(into)).unwrap();
    assert_eq!(repaired.session_id, ID);
    let repaired = renamed_plan.apply(&RepairTarget::NewSession).unwrap();
    let text = std::fs::read_to_string(&repaired.path).unwrap();
    assert!(!text.contains(ID) && text.contains(&repaired.session_id));
    for made in [&repaired.path, &renamed] {
        std::fs::remove_file(made).unwrap();
    }
    std::fs::remove_dir_all(repaired.path.with_extension("")).unwrap();
    std::fs::remove_dir_all(folder.join("renamed-repaired")).unwrap();

    let mut grown = std::fs::read(&path).unwrap();
    grown.push(b'\n');
    std::fs::write(&path, grown).unwrap();
    let late = plan.apply(&RepairTarget::NewSession);
    assert!(matches!(late, Err(RepairError::Changed { .. })), "{late:?}");
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().collect();
    assert_eq!(left.len(), 3, "nothing is left behind: {left:?}");
}

/// Puts a file of a subagent there that is torn behind its first line.
fn torn_agent(path: &Path, agent: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let line = format!(
        r#"{{"parentUuid":null,"isSidechain":true,"agentId":"{agent}","type":"user","message":{{"role":"user","content":"{agent}"}},"uuid":"00000000-0000-4000-8000-00000000001a","sessionId":"{ID}"}}"#
    );
    std::fs::write(path, line + "\n{\"type\":\"us").unwrap();
}

#[test]
fn two_subagents_of_one_name_are_repaired() {
    let scratch = Scratch::new();
    let path = damaged(&scratch);
    let beside = path.with_extension("");
    torn_agent(&beside.join("subagents/agent-a1.jsonl"), "a1");
    torn_agent(&beside.join("subagents/workflows/w1/agent-a1.jsonl"), "a1");
    let plan = RepairPlan::of_file(&path).unwrap();
    assert_eq!(plan.files.len(), 3, "{plan}");
    let repaired = plan.apply(&RepairTarget::NewSession).unwrap();
    for name in [
        "removed.txt",
        "removed-agent-a1.txt",
        "removed-agent-a1-2.txt",
    ] {
        let removed = std::fs::read_to_string(repaired.kept_in.join(name)).unwrap();
        assert!(removed.starts_with("# byte "), "{name}: {removed}");
    }
}

#[test]
fn new_damage_is_not_repaired_before() {
    let scratch = Scratch::new();
    let path = damaged(&scratch);
    let beside = path.with_extension("");
    let repaired = RepairPlan::of_file(&path).unwrap();
    let repaired = repaired.apply(&RepairTarget::NewSession).unwrap().path;
    let before = || RepairPlan::of_file(&path).unwrap().repaired_before();
    assert_eq!(before(), Some(repaired.clone()));

    let agent = beside.join("subagents/agent-a1.jsonl");
    let whole = std::fs::read(&agent).unwrap();
    torn_agent(&agent, "a1");
    assert_eq!(before(), None, "a subagent's file was torn");
    std::fs::write(&agent, &whole).unwrap();
    assert_eq!(before(), Some(repaired));

    let another = beside.join("subagents/agent-a2.jsonl");
    torn_agent(&another, "a2");
    assert_eq!(before(), None, "there is one more");
    std::fs::remove_file(another).unwrap();

    // The same length, but damaged at another position.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[0] = b'x';
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(before(), None, "the first line is broken now");
}
