//! Checks and repairs of parents that are lost or in other files.

use std::fs;

use claw_testkit::processes::cpu_time;
use claw_transcript::{
    Check, RepairAction, RepairPlan, RepairTarget, Rule, SessionFile, Severity, repair_bytes,
};

use super::{complaints, holds, repaired, steps};
use crate::line::{S, agent, call, line, prompt, reply, text, uuid};
use crate::scratch::{Scratch, session_files_under, testdata};

/// The findings about parents in the files of the project `across`, and the number of steps of
/// their repair plans.
fn parents_across(scratch: &Scratch) -> Vec<(String, String, usize)> {
    let files = scratch.library().files().unwrap();
    let report = Check::new().files(&files);
    let said = files.iter().map(|file| {
        let findings = report.findings();
        let mut of_file =
            findings.filter(|(of, found)| of.path == file.path && found.rule == Rule::ParentExists);
        let finding = of_file.next().map(|(_, finding)| {
            let (said, _) = finding
                .message
                .split_once(':')
                .unwrap_or((&finding.message, ""));
            format!("{} {said}", finding.severity)
        });
        let name = file.path.file_stem().unwrap().to_string_lossy();
        let name = name[name.len() - 2..].to_owned();
        let finding = finding.unwrap_or_default();
        (name, finding, steps(file).steps().count())
    });
    said.collect()
}

#[test]
fn a_subagents_parent_may_be_in_its_own_session_and_no_other_in_another_file() {
    let scratch = Scratch::of(&testdata().join("sessions/across"));
    let (a1, f1) = (S.replace("0001", "00a1"), S.replace("0001", "00f1"));
    let elsewhere =
        |session: &str| format!("error the parent is in session {session}, and not here");
    let lost = format!("error the parent {} is not in this session", uuid(84));
    let expected: [(&str, &str, usize); 14] = [
        ("91", "error the parent is in the file of a subagent", 1),
        ("g2", "", 0),
        (
            "92",
            "warning the parent is older than the compaction that the file begins with, and gone",
            0,
        ),
        ("93", &lost, 1),
        ("a1", "", 0),
        ("b1", &elsewhere(&a1), 1),
        ("c1", &elsewhere(&a1), 1),
        ("d1", &elsewhere(&a1), 1),
        ("e1", "", 0),
        ("e2", "", 0),
        ("e3", "", 0),
        ("e4", &elsewhere(&f1), 1),
        ("f1", "", 0),
        ("f2", "", 0),
    ];
    let expected = expected.map(|(name, said, steps)| (name.to_owned(), said.to_owned(), steps));
    let mut found = parents_across(&scratch);
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(found, expected);
    for file in scratch.library().files().unwrap() {
        holds(&file);
    }
}

#[test]
fn a_fork_does_not_hide_what_is_wrong_with_its_original_nor_the_other_way_round() {
    let folder = testdata().join("cli/2.1.325/resume_fork/sessions/-home-user-project");
    let sessions: Vec<(String, String)> = session_files_under(&folder)
        .into_iter()
        .map(|file| {
            let text = fs::read_to_string(&file.path).unwrap();
            (file.session_id.unwrap(), text)
        })
        .collect();
    assert_eq!(sessions.len(), 2, "a session and its fork");
    for (damaged, whole) in &sessions {
        // Any one of the lines that both have, the first prompt among them.
        let parents = whole.lines().enumerate().filter(|(_, line)| {
            let uuid = line.split("\"uuid\":\"").nth(1).map(|rest| &rest[..36]);
            uuid.is_some_and(|uuid| whole.contains(&format!("\"parentUuid\":\"{uuid}\"")))
        });
        let parents: Vec<usize> = parents.map(|(at, _)| at).collect();
        assert!(parents.len() > 10, "{parents:?}");
        for lost in parents {
            let scratch = Scratch::new();
            for (session, text) in &sessions {
                let lines = text.lines().enumerate();
                let kept = lines.filter(|(at, _)| session != damaged || *at != lost);
                let kept = kept.map(|(_, line)| format!("{line}\n"));
                scratch.session("-p", session, kept.collect::<String>());
            }
            for file in scratch.library().files().unwrap() {
                let is_damaged = file.session_id.as_ref() == Some(damaged);
                let complaints = complaints(&file);
                let of_parent = complaints.iter().filter(|finding| {
                    finding.rule == Rule::ParentExists && finding.severity == Severity::Error
                });
                assert_eq!(of_parent.count(), usize::from(is_damaged), "line {lost}");
                assert_eq!(steps(&file).is_empty(), !is_damaged, "line {lost}");
            }
        }
    }
}

#[test]
fn a_copy_of_a_subagents_file_does_not_hide_what_is_wrong_with_it() {
    let scratch = Scratch::new();
    let main = line(1, 0, &prompt("go")) + &line(2, 1, &reply("m1", &call("t1")));
    let path = scratch.session("-p", S, main);
    let lines = [
        agent(3, 2, &prompt("task")),
        agent(4, 3, &reply("m2", &text("one"))),
        agent(5, 4, &prompt("on")),
    ];
    let beside = path.with_file_name("agent-a1.jsonl");
    fs::write(&beside, lines.concat()).unwrap();
    let inside = path.with_extension("").join("subagents/agent-a1.jsonl");
    fs::create_dir_all(inside.parent().unwrap()).unwrap();
    fs::write(&inside, [&*lines[0], &*lines[2]].concat()).unwrap();
    let [beside, inside] = [beside, inside].map(|path| SessionFile::at(path).unwrap());
    assert!(holds(&beside), "it is whole");
    assert!(!holds(&inside) && !steps(&inside).is_empty());
}

#[test]
fn the_id_of_a_call_is_no_parent() {
    let scratch = Scratch::new();
    let main = line(1, 0, &prompt("go")) + &line(2, 1, &reply("m1", &call(&uuid(9))));
    let path = scratch.session("-p", S, main);
    let inside = path.with_extension("").join("subagents/agent-a1.jsonl");
    fs::create_dir_all(inside.parent().unwrap()).unwrap();
    for (parent, is_there) in [(2, true), (9, false)] {
        fs::write(&inside, agent(3, parent, &prompt("task"))).unwrap();
        let file = SessionFile::at(&inside).unwrap();
        assert_eq!(holds(&file), is_there, "{parent}");
    }
}

#[test]
fn a_repaired_session_does_not_hide_what_is_wrong_with_the_original() {
    let scratch = Scratch::new();
    // The prompt before the second reply is lost, and so is the summary of a compaction.
    let boundary = format!(
        "\"type\":\"system\",\"subtype\":\"compact_boundary\",\"content\":\"c\",\
         \"compactMetadata\":{{\"trigger\":\"auto\",\"preservedMessages\":{{\"anchorUuid\":\"{}\",\
         \"uuids\":[\"{}\"]}}}}",
        uuid(6),
        uuid(2)
    );
    let file = [
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &text("one"))),
        line(4, 3, &reply("m2", &text("two"))),
        line(5, 0, &boundary),
        line(7, 6, &prompt("on")),
        line(8, 7, &reply("m3", &text("three"))),
    ]
    .concat();
    let path = scratch.session("-p", S, file);
    let original = SessionFile::at(&path).unwrap();
    let before = complaints(&original);
    assert_eq!(before.len(), 2, "{before:?}");
    let plan = RepairPlan::of_file(&path).unwrap();
    let stand_ins = plan
        .steps()
        .filter(|step| step.action == RepairAction::StandIn);
    assert_eq!(stand_ins.count(), 2, "{plan}");
    let repaired = plan.apply(&RepairTarget::NewSession).unwrap();
    assert_eq!(
        (repaired.errors_left, repaired.steps_left),
        (0, 0),
        "{plan}"
    );
    assert_eq!(complaints(&original), before);
    let mended = fs::read_to_string(&repaired.path).unwrap();
    assert!(
        !mended.contains(&uuid(3)) && !mended.contains(&uuid(6)),
        "{mended}"
    );
    assert!(steps(&original).steps().count() > 0, "the plan is the same");
}

#[test]
fn subagents_in_the_old_layout_come_along() {
    let scratch = Scratch::new();
    let main = line(1, 0, &prompt("go")) + &line(2, 1, &reply("m1", &call("t1"))) + "{\"torn";
    let path = scratch.session("-p", S, main);
    let old = agent(3, 2, &prompt("task"));
    let beside = path.with_file_name("agent-a1.jsonl");
    fs::write(&beside, &old).unwrap();
    fs::write(path.with_file_name("agent-a1.meta.json"), "{}").unwrap();
    // Another one of the same name, in the new layout.
    let inside = path.with_extension("").join("subagents/agent-a1.jsonl");
    fs::create_dir_all(inside.parent().unwrap()).unwrap();
    let newer = agent(4, 2, &prompt("another task"));
    fs::write(&inside, newer).unwrap();

    let repaired = scratch.library().plan_repair(S).unwrap();
    assert_eq!(repaired.files.len(), 3);
    let repaired = repaired.apply(&RepairTarget::NewSession).unwrap();
    assert_eq!((repaired.errors_left, repaired.steps_left), (0, 0));
    assert_eq!(fs::read_to_string(&beside).unwrap(), old, "it is as it was");
    let again = RepairPlan::of_file(&repaired.path).unwrap();
    let agents: Vec<String> = again
        .files
        .iter()
        .filter(|file| file.agent_id.is_some())
        .map(|file| fs::read_to_string(&file.path).unwrap())
        .collect();
    assert_eq!(agents.len(), 2, "{agents:?}");
    assert!(
        agents
            .iter()
            .all(|text| text.contains(&repaired.session_id))
    );
    assert!(agents.iter().any(|text| text.contains("\"task\"")));
    let subagents = repaired.path.with_extension("").join("subagents");
    for name in [
        "agent-a1.jsonl",
        "beside-1/agent-a1.jsonl",
        "beside-1/agent-a1.meta.json",
    ] {
        assert!(subagents.join(name).is_file(), "{name}");
    }
}

#[test]
fn many_lost_parents_take_no_long_time() {
    let count = 6_000;
    let start = cpu_time();
    // The prompt before every reply is lost; and the same after a line whose parent comes later, so
    // that the order is unreliable.
    let mut replies = line(1, 0, &prompt("go"));
    let mut prompts = line(1, 3, &prompt("go")) + &line(3, 0, &prompt("x"));
    for at in 0..count {
        let (own, lost) = (10 + at, 5_000_000 + at);
        replies += &line(own, lost, &reply(&format!("m{at}"), &text("r")));
        prompts += &line(own, lost, &prompt("p"));
    }
    for file in [replies, prompts] {
        let (steps, _) = repair_bytes(file.as_bytes());
        assert!(steps.len() >= count as usize, "{}", steps.len());
    }
    // A debug build needs a few seconds on a busy machine; going up every chain, minutes.
    let used = cpu_time() - start;
    assert!(used.as_secs() < 60, "{used:?}");
}

#[test]
fn a_line_without_a_uuid_keeps_no_parent_that_is_lost() {
    let document = |own: &str, parent: &str, rest: &str| {
        format!(
            "{{\"type\":\"assistant\",{own}\"parentUuid\":\"{parent}\",\
             \"timestamp\":\"2025-01-27T10:00:05Z\",\"sessionId\":\"session-123\",{rest}}}\n"
        )
    };
    let said = "\"subtype\":\"response\",\"message\":\"said\"";
    let called = "\"subtype\":\"tool_use\",\"toolName\":\"Read\",\"toolArguments\":{}";
    // The first line is torn, and the next one lost the name of its uuid.
    let (steps, mended) = repaired(&[
        "{\"type\":\"user\",\"uuid\":\"msg-001\",\"timestamp\n".to_owned(),
        document("\"u\":\"msg-002\",", "msg-001", called),
        document("\"uuid\":\"msg-003\",", "msg-002", said),
    ]);
    assert!(!mended.contains("\"parentUuid\":\"msg-001\""), "{steps:?}");
    assert!(!mended.contains("\"parentUuid\":\"msg-002\""), "{steps:?}");
    assert_eq!(mended.lines().count(), 2);
    assert_eq!(repair_bytes(mended.as_bytes()).0, []);
    // Old progress lines need no uuid.
    let progress = "{\"type\":\"progress\",\"parentUuid\":\"gone\",\"sessionId\":\"s\"}\n";
    let (_, mended) = repaired(&[progress.to_owned()]);
    assert!(
        !mended.contains("gone") && !mended.contains("uuid\""),
        "{mended}"
    );
}
