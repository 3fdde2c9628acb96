//! What is in order is left alone, and checks and repairs never contradict each other.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use claw_testkit::corpus::SessionCorpus;
use claw_testkit::corpus::mutations::document_sessions;
use claw_transcript::{
    Check, Finding, RepairAction, RepairPlan, RepairTarget, Rule, SessionFile, SessionLibrary,
    Severity, repair_bytes,
};

use crate::scratch::{Scratch, testdata};

/// What checking finds that a repair may be for: what is worse than a note, and notes of bytes
/// and copies that can go.
fn complaints(file: &SessionFile) -> Vec<Finding> {
    let report = Check::new().threads(1).files(std::slice::from_ref(file));
    let findings = report.files.into_iter().flat_map(|file| file.findings);
    findings
        .filter(|finding| {
            let can_go = matches!(finding.rule, Rule::LineText | Rule::UuidUnique);
            finding.severity > Severity::Note || can_go
        })
        .collect()
}

fn steps(file: &SessionFile) -> RepairPlan {
    RepairPlan::of_files([file.clone()]).unwrap()
}

/// Where no check complains there is no step. Says whether none did.
fn holds(file: &SessionFile) -> bool {
    let plan = steps(file);
    let complaints = complaints(file);
    assert!(
        plan.is_empty() || !complaints.is_empty(),
        "no check asks for it: {plan}"
    );
    complaints.is_empty()
}

fn files_under(folder: &Path) -> Vec<SessionFile> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(SessionFile::at(path).unwrap());
        }
    }
    files
}

#[test]
fn what_no_check_complains_about_needs_no_repair() {
    let scratch = Scratch::new();
    let mut files = files_under(&testdata().join("sessions"));
    let recorded = files_under(&testdata().join("cli"));
    files.extend(
        recorded
            .into_iter()
            .filter(|file| file.path.to_string_lossy().contains("/sessions/")),
    );
    for made in document_sessions() {
        let path = scratch.session("-document", made.name, made.text);
        files.push(SessionFile::at(path).unwrap());
    }
    SessionCorpus::of_sessions(20)
        .seed(5)
        .damage_every(3)
        .write(&scratch.projects().join("generated"))
        .unwrap();
    let generated = SessionLibrary::open(scratch.projects().join("generated/.claude"));
    files.extend(generated.files().unwrap());
    let damaged = files.iter().filter(|file| !holds(file)).map(|file| {
        let path = file.path.to_string_lossy().replace('\\', "/");
        path.split_once("/testdata/")
            .map_or(path.clone(), |(_, name)| name.to_owned())
    });
    // Sessions of other tests have only the members that those tests need, and the damaged sessions
    // of the review have their own expectations.
    let damaged = damaged
        .filter(|name| !name.starts_with("sessions/made/"))
        .filter(|name| !name.starts_with("sessions/review/"));
    let (mut damaged, made): (Vec<_>, Vec<_>) =
        damaged.partition(|name| name.starts_with("sessions/") || name.starts_with("cli/"));
    damaged.sort();
    assert_eq!(damaged.len(), DAMAGED.len(), "{damaged:#?}");
    for (name, damaged) in DAMAGED.iter().zip(&damaged) {
        assert!(damaged.starts_with(name), "{damaged} is to be in order");
    }
    // Every third session of a corpus has damage.
    let generated = made.iter().all(|name| name.contains("/generated/"));
    assert!(generated && !made.is_empty(), "{made:?}");
}

/// How the names of the files in `testdata` begin that checks complain about, which is what they
/// are for. All others are in order.
const DAMAGED: [&str; 11] = [
    "cli/2.1.325/resume_after_sigkill_midstream/",
    "cli/2.1.325/resume_after_sigkill_permission/",
    "cli/2.1.325/resume_torn_last_line/",
    "cli/2.1.325/unicode_lone_surrogates/",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-000000000091.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-000000000092.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-000000000093.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-0000000000b1.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-0000000000c1.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-0000000000d1.jsonl",
    "sessions/across/-home-user-project/5e5e5e5e-0000-4000-8000-0000000000e1/subagents/agent-e4",
];

#[test]
fn a_task_is_answered_by_what_comes_behind_its_sidechain() {
    let flow = testdata().join("sessions/flows/document/sidechain.jsonl");
    let whole = fs::read_to_string(flow).unwrap();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 5);
    // It may still run too, with or without a word of the subagent.
    for count in 2..=5 {
        let scratch = Scratch::new();
        let path = scratch.session("-document", "session-123", lines[..count].concat());
        let complaints = complaints(&SessionFile::at(path).unwrap());
        assert_eq!(complaints, [], "{count} lines");
    }
    // Where the conversation goes on past the subagent, nothing came back.
    let past = lines[4].replace("\"parentUuid\": \"msg-004\"", "\"parentUuid\": \"msg-002\"");
    let scratch = Scratch::new();
    let text = lines[..4].concat() + &past;
    let path = scratch.session("-document", "session-123", text);
    let complaints = complaints(&SessionFile::at(path).unwrap());
    let rules: Vec<_> = complaints.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::Pairing]);
}

const S: &str = "5e5e5e5e-0000-4000-8000-000000000001";

fn uuid(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

/// A line of the disk; the parent 0 is none.
fn line(number: u32, parent: u32, session: &str, rest: &str) -> String {
    let parent = match parent {
        0 => "null".to_owned(),
        parent => format!("\"{}\"", uuid(parent)),
    };
    let (minute, second) = (number / 60 % 60, number % 60);
    let flag = if rest.contains("isSidechain") {
        ""
    } else {
        "\"isSidechain\":false,"
    };
    format!(
        "{{\"parentUuid\":{parent},{flag}{rest},\"uuid\":\"{}\",\
         \"timestamp\":\"2026-01-31T12:{minute:02}:{second:02}.000Z\",\"sessionId\":\"{session}\",\
         \"cwd\":\"/home/user/p\",\"version\":\"2.1.325\"}}\n",
        uuid(number)
    )
}

fn prompt(text: &str) -> String {
    format!("\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}")
}

fn reply(id: &str, block: &str) -> String {
    format!(
        "\"type\":\"assistant\",\"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\
         \"content\":[{block}],\"usage\":{{\"output_tokens\":1}}}}"
    )
}

fn text(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":\"{text}\"}}")
}

fn call(id: &str) -> String {
    format!("{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"Task\",\"input\":{{}}}}")
}

fn result(id: &str) -> String {
    format!(
        "\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"{id}\",\
         \"type\":\"tool_result\",\"content\":\"done\"}}]}}"
    )
}

#[test]
fn sidechains_in_a_main_file_stay_sidechains() {
    let side = "\"isSidechain\":true,";
    // Old releases wrote a subagent's lines under the call, without its name.
    let old = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &call("t1"))),
        line(3, 2, S, &format!("{side}{}", prompt("task"))),
        line(4, 3, S, &format!("{side}{}", reply("m2", &text("found")))),
        line(5, 2, S, &result("t1")),
        line(6, 5, S, &reply("m3", &text("it is so"))),
    ]
    .concat();
    assert_eq!(repair_bytes(old.as_bytes()), (vec![], old.into_bytes()));
    let document = document_sessions();
    let delegated = document
        .iter()
        .filter(|made| made.text.contains("isSidechain"));
    let mut count = 0;
    for made in delegated {
        assert_eq!(repair_bytes(made.text.as_bytes()).0, [], "{}", made.name);
        count += 1;
    }
    assert!(count > 0, "the document draws a sidechain");
}

#[test]
fn a_conversation_that_hangs_under_a_sidechain_stays_a_conversation() {
    let side = "\"isSidechain\":true,";
    let bent = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &call("t1"))),
        line(3, 2, S, &format!("{side}{}", prompt("task"))),
        line(4, 3, S, &format!("{side}{}", reply("m2", &text("found")))),
        line(5, 4, S, &result("t1")),
        line(6, 5, S, &reply("m3", &text("it is so"))),
    ]
    .concat();
    let (steps, mended) = repair_bytes(bent.as_bytes());
    let actions: Vec<_> = steps.iter().map(|step| (step.action, step.line)).collect();
    assert_eq!(actions, [(RepairAction::Relink, 5)], "{steps:?}");
    let mended = String::from_utf8(mended).unwrap();
    assert_eq!(mended.matches("\"isSidechain\":true").count(), 2);
}

#[test]
fn a_prompt_of_the_conversation_that_is_marked_as_sidechain_is_found_at_the_end_too() {
    let wrong = "\"isSidechain\":true,";
    let said = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &text("one"))),
        line(3, 2, S, &format!("{wrong}{}", prompt("on"))),
        line(4, 3, S, &format!("{wrong}{}", reply("m2", &text("two")))),
    ];
    for count in [3, 4] {
        let scratch = Scratch::new();
        let path = scratch.session("-p", S, said[..count].concat());
        let complaints = complaints(&SessionFile::at(&path).unwrap());
        let rules: Vec<_> = complaints.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, [Rule::SidechainConsistent], "{count} lines");
        let (steps, mended) = repair_bytes(said[..count].concat().as_bytes());
        let mended = String::from_utf8(mended).unwrap();
        assert!(!mended.contains(wrong), "{steps:?}");
    }
}

/// What is said about a session of the document, by rule.
fn document_rules(text: &str) -> Vec<Rule> {
    let scratch = Scratch::new();
    let path = scratch.session("-document", "session-123", text);
    let complaints = complaints(&SessionFile::at(path).unwrap());
    complaints.iter().map(|finding| finding.rule).collect()
}

#[test]
fn what_the_document_leaves_open_is_no_complaint() {
    let line = |number: u32, kind: &str, rest: &str| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"msg-{number}\",\"sessionId\":\"session-123\",\
             \"timestamp\":\"2025-01-27T10:00:{number:02}Z\",{rest}}}\n"
        )
    };
    let result = |number| {
        line(
            number,
            "system",
            "\"subtype\":\"tool_result\",\"message\":\"r\"",
        )
    };
    let called = line(2, "assistant", "\"toolName\":\"Read\",\"toolArguments\":{}");
    // Nothing names a parent: results belong to the calls before them.
    let unlinked = line(1, "user", "\"message\":\"go\"") + &called + &result(3);
    assert_eq!(document_rules(&unlinked), []);
    assert_eq!(document_rules(&(unlinked + &result(4))), [Rule::Pairing]);
    let restored = "\"message\":\"conversation_restored\",\"metadata\":null";
    assert_eq!(document_rules(&line(1, "compact_system", restored)), []);
    let done = restored.replace("restored", "compacted");
    let done = document_rules(&line(1, "compact_system", &done));
    assert_eq!(done, [Rule::FieldRequired]);
    // The subagent fails, and the conversation goes on.
    let side = "\"isSidechain\":true";
    let failed = [
        line(1, "user", "\"message\":\"go\""),
        line(
            2,
            "assistant",
            "\"parentUuid\":\"msg-1\",\"message\":\"I ask\"",
        ),
        line(
            3,
            "user",
            &format!(
                "\"parentUuid\":\"msg-2\",\"message\":\"task\",\"userType\":\"external\",{side}"
            ),
        ),
        line(
            4,
            "system",
            &format!(
                "\"parentUuid\":\"msg-3\",\"subtype\":\"error\",\"message\":\"boom\",\"isError\":true,{side}"
            ),
        ),
        line(
            5,
            "assistant",
            "\"parentUuid\":\"msg-4\",\"message\":\"It failed.\"",
        ),
    ];
    assert_eq!(document_rules(&failed.concat()), []);
}

#[test]
fn two_lines_of_one_uuid_that_differ_anywhere_are_both_kept() {
    let differ = [
        ("\"toolUseResult\":\"A\",", "\"toolUseResult\":\"B\","),
        ("\"error\":{\"status\":529},", "\"error\":{\"status\":400},"),
        ("\"toolName\":\"Write\",", "\"toolName\":\"Bash\","),
        ("", "\"metadata\":{\"a\":1},"),
    ];
    for (one, other) in differ {
        let file = [
            line(1, 0, S, &prompt("go")),
            line(2, 1, S, &format!("{one}{}", prompt("same"))),
            line(2, 1, S, &format!("{other}{}", prompt("same"))),
            line(3, 2, S, &reply("m1", &text("done"))),
        ]
        .concat();
        let (steps, mended) = repair_bytes(file.as_bytes());
        let mended = String::from_utf8(mended).unwrap();
        assert!(mended.contains(one) && mended.contains(other), "{steps:?}");
        assert_eq!(mended.lines().count(), 4, "{mended}");
        assert_eq!(mended.matches("\"uuid\":").count(), 4);
    }
    // When and where a line was copied makes no other line of it.
    let again = line(2, 1, S, &prompt("same")).replace("12:00:02", "12:30:02");
    let again = again.replace("2.1.325", "2.1.326");
    let whole = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &prompt("same")),
        line(3, 2, S, &reply("m1", &text("done"))),
    ]
    .concat();
    let scratch = Scratch::new();
    let path = scratch.session("-p", S, whole.clone() + &again);
    let complaints = complaints(&SessionFile::at(path).unwrap());
    let said: Vec<_> = complaints.iter().map(|it| (it.rule, it.severity)).collect();
    assert_eq!(said, [(Rule::UuidUnique, Severity::Note)], "{complaints:?}");
    let (steps, mended) = repair_bytes((whole.clone() + &again).as_bytes());
    let actions: Vec<_> = steps.iter().map(|step| step.action).collect();
    assert_eq!(actions, [RepairAction::DropCopy]);
    assert_eq!(mended, whole.as_bytes());
}

#[test]
fn children_keep_the_one_of_two_lines_that_they_mean() {
    // Both replies have one uuid; each result answers the call of one of them.
    let file = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &call("t1"))),
        line(2, 1, S, &reply("m2", &call("t2"))),
        line(3, 2, S, &result("t1")),
        line(4, 2, S, &result("t2")),
        line(5, 4, S, &reply("m3", &text("done"))),
    ]
    .concat();
    let (_, mended) = repair_bytes(file.as_bytes());
    let mended = String::from_utf8(mended).unwrap();
    let parent_of = |number: u32| {
        let own = format!("\"uuid\":\"{}\"", uuid(number));
        let line = mended.lines().find(|line| line.contains(&own)).unwrap();
        line[15..51].to_owned()
    };
    assert_eq!(parent_of(3), uuid(2), "{mended}");
    let second = mended.lines().find(|line| line.contains("\"t2\"")).unwrap();
    assert!(second.contains(&format!("\"uuid\":\"{}\"", parent_of(4))));
}

#[test]
fn calls_may_be_counted_anew_in_each_reply() {
    let file = [
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &call("call_0"))),
        line(3, 2, S, &result("call_0")),
        line(4, 3, S, &reply("m2", &call("call_0"))),
        line(5, 4, S, &result("call_0")),
        line(6, 5, S, &reply("m3", &text("done"))),
    ]
    .concat();
    assert_eq!(repair_bytes(file.as_bytes()).0, []);
}

#[test]
fn many_lost_parents_take_no_long_time() {
    let count = 6_000;
    let started = Instant::now();
    // Every reply lost the prompt before it; and the same behind a line that hangs under a later
    // one, so that no order can be relied on.
    let mut replies = line(1, 0, S, &prompt("go"));
    let mut prompts = line(1, 3, S, &prompt("go")) + &line(3, 0, S, &prompt("x"));
    for at in 0..count {
        let (own, lost) = (10 + at, 5_000_000 + at);
        replies += &line(own, lost, S, &reply(&format!("m{at}"), &text("r")));
        prompts += &line(own, lost, S, &prompt("p"));
    }
    for file in [replies, prompts] {
        let (steps, _) = repair_bytes(file.as_bytes());
        assert!(steps.len() >= count as usize, "{}", steps.len());
    }
    // A debug build needs a few seconds on a busy machine; going up every chain, minutes.
    let took = started.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
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
    let file = [
        "{\"type\":\"user\",\"uuid\":\"msg-001\",\"timestamp\n".to_owned(),
        document("\"u\":\"msg-002\",", "msg-001", called),
        document("\"uuid\":\"msg-003\",", "msg-002", said),
    ]
    .concat();
    let (steps, mended) = repair_bytes(file.as_bytes());
    let mended = String::from_utf8(mended).unwrap();
    assert!(!mended.contains("\"parentUuid\":\"msg-001\""), "{steps:?}");
    assert!(!mended.contains("\"parentUuid\":\"msg-002\""), "{steps:?}");
    assert_eq!(mended.lines().count(), 2);
    assert_eq!(repair_bytes(mended.as_bytes()).0, []);
    // Old progress lines need no uuid.
    let progress = "{\"type\":\"progress\",\"parentUuid\":\"gone\",\"sessionId\":\"s\"}\n";
    let (_, mended) = repair_bytes(progress.as_bytes());
    let mended = String::from_utf8(mended).unwrap();
    assert!(
        !mended.contains("gone") && !mended.contains("uuid\""),
        "{mended}"
    );
}

/// What is said about parents in the files of the project `across`, and of how many steps the
/// plans for them are.
fn parents_across(scratch: &Scratch) -> Vec<(String, Option<String>, usize)> {
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
        (name, finding, steps(file).steps().count())
    });
    said.collect()
}

#[test]
fn a_subagents_parent_may_be_in_its_own_session_and_no_other_in_another_file() {
    let scratch = Scratch::of(&testdata().join("sessions/across"));
    let (a1, f1) = (S.replace("0001", "00a1"), S.replace("0001", "00f1"));
    let expected = [
        (
            "91",
            Some("error the parent is in the file of a subagent".to_owned()),
            1,
        ),
        ("g2", None, 0),
        (
            "92",
            Some(
                "warning the parent is older than the compaction that the file begins with, and \
                 gone"
                    .to_owned(),
            ),
            0,
        ),
        (
            "93",
            Some(format!(
                "error the parent {} is not in this session",
                uuid(84)
            )),
            1,
        ),
        ("a1", None, 0),
        (
            "b1",
            Some(format!("error the parent is in session {a1}, and not here")),
            1,
        ),
        (
            "c1",
            Some(format!("error the parent is in session {a1}, and not here")),
            1,
        ),
        (
            "d1",
            Some(format!("error the parent is in session {a1}, and not here")),
            1,
        ),
        ("e1", None, 0),
        ("e2", None, 0),
        ("e3", None, 0),
        (
            "e4",
            Some(format!("error the parent is in session {f1}, and not here")),
            1,
        ),
        ("f1", None, 0),
        ("f2", None, 0),
    ];
    let expected = expected.map(|(name, said, steps)| (name.to_owned(), said, steps));
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
    let sessions: Vec<(String, String)> = files_under(&folder)
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
    let main = line(1, 0, S, &prompt("go")) + &line(2, 1, S, &reply("m1", &call("t1")));
    let path = scratch.session("-p", S, main);
    let side = "\"isSidechain\":true,\"agentId\":\"a1\",";
    let agent = [
        line(3, 2, S, &format!("{side}{}", prompt("task"))),
        line(4, 3, S, &format!("{side}{}", reply("m2", &text("one")))),
        line(5, 4, S, &format!("{side}{}", prompt("on"))),
    ];
    let beside = path.with_file_name("agent-a1.jsonl");
    fs::write(&beside, agent.concat()).unwrap();
    let inside = path.with_extension("").join("subagents/agent-a1.jsonl");
    fs::create_dir_all(inside.parent().unwrap()).unwrap();
    fs::write(&inside, [&*agent[0], &*agent[2]].concat()).unwrap();
    let [beside, inside] = [beside, inside].map(|path| SessionFile::at(path).unwrap());
    assert!(holds(&beside), "it is whole");
    assert!(!holds(&inside) && !steps(&inside).is_empty());
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
        line(1, 0, S, &prompt("go")),
        line(2, 1, S, &reply("m1", &text("one"))),
        line(4, 3, S, &reply("m2", &text("two"))),
        line(5, 0, S, &boundary),
        line(7, 6, S, &prompt("on")),
        line(8, 7, S, &reply("m3", &text("three"))),
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
    let main = line(1, 0, S, &prompt("go")) + &line(2, 1, S, &reply("m1", &call("t1"))) + "{\"torn";
    let path = scratch.session("-p", S, main);
    let side = "\"isSidechain\":true,\"agentId\":\"a1\",";
    let agent = line(3, 2, S, &format!("{side}{}", prompt("task")));
    let beside = path.with_file_name("agent-a1.jsonl");
    fs::write(&beside, &agent).unwrap();
    fs::write(path.with_file_name("agent-a1.meta.json"), "{}").unwrap();
    // Another one of the same name, in the new layout.
    let inside = path.with_extension("").join("subagents/agent-a1.jsonl");
    fs::create_dir_all(inside.parent().unwrap()).unwrap();
    let newer = line(4, 2, S, &format!("{side}{}", prompt("another task")));
    fs::write(&inside, newer).unwrap();

    let repaired = scratch.library().plan_repair(S).unwrap();
    assert_eq!(repaired.files.len(), 3);
    let repaired = repaired.apply(&RepairTarget::NewSession).unwrap();
    assert_eq!((repaired.errors_left, repaired.steps_left), (0, 0));
    assert_eq!(
        fs::read_to_string(&beside).unwrap(),
        agent,
        "it is as it was"
    );
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
fn an_entry_that_is_quoted_in_a_torn_line_is_no_line() {
    let quoted = line(9, 8, S, &prompt("quoted"));
    let quoted = quoted.trim_end();
    let next = line(3, 1, S, &reply("m1", &text("r")));
    let torn = format!(
        "{{\"parentUuid\":\"{}\",\"type\":\"user\",\"uuid\":\"{}\",\"toolUseResult\":{{\"saved\":\
         {quoted}}},\"message\":{{\"role\":\"user\",\"content\":\"torn he",
        uuid(1),
        uuid(2)
    );
    // Alone, and with a whole entry glued to it.
    for (between, lines) in [("\n", 2), ("", 2)] {
        let file = line(1, 0, S, &prompt("go")) + &torn + between + &next;
        let (steps, mended) = repair_bytes(file.as_bytes());
        let mended = String::from_utf8(mended).unwrap();
        assert!(!mended.contains("quoted"), "{steps:?}");
        assert_eq!(mended.lines().count(), lines, "{mended}");
        assert!(mended.contains("\"r\""));
    }
    // In a list too; and cut off between two members, or in a number, it is glued.
    let cuts = [
        (
            format!("{{\"type\":\"user\",\"a\":[1,{quoted}],\"b\":\"cut"),
            false,
        ),
        (
            format!("{{\"type\":\"user\",\"a\":{quoted},\"b\":\"cut"),
            false,
        ),
        (format!("{{\"type\":\"user\",\"a\":{quoted}"), true),
        (format!("{{\"type\":\"user\",\"a\":12{quoted}"), true),
        (format!("{{\"type\":\"user\",\"a\":1,{quoted}"), true),
        (format!("{{\"type\":\"user\",\"a\":\"cut he{quoted}"), true),
        (
            format!("{{\"type\":\"user\",\"a\":\"cut {{\"type\":\"user\",\"b\":\"cut{quoted}"),
            true,
        ),
    ];
    for (torn, glued) in cuts {
        let (_, mended) = repair_bytes(torn.as_bytes());
        let mended = String::from_utf8(mended).unwrap();
        assert_eq!(mended.contains("quoted"), glued, "{torn}");
    }
}
