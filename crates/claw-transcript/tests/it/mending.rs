//! What is in order is left alone, and checks and repairs never contradict each other.

mod across;

use std::fs;

use claw_testkit::corpus::SessionCorpus;
use claw_transcript::{
    Check, Finding, RepairAction, RepairPlan, RepairStep, Rule, SessionFile, SessionLibrary,
    Severity, repair_bytes,
};

use crate::line::{S, call, line, prompt, reply, result, side, text, uuid};
use crate::mutations::document_sessions;
use crate::scratch::{Scratch, session_files_under, testdata};

/// The findings that a repair may fix: warnings and errors, and notes about removable bytes and
/// copies.
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

/// Repairs lines. Returns the steps and the repaired text.
fn repaired(lines: &[String]) -> (Vec<RepairStep>, String) {
    let (steps, text) = repair_bytes(lines.concat().as_bytes());
    (steps, String::from_utf8(text).unwrap())
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

#[test]
fn what_no_check_complains_about_needs_no_repair() {
    let scratch = Scratch::new();
    let mut files = session_files_under(&testdata().join("sessions"));
    let recorded = session_files_under(&testdata().join("cli"));
    files.extend(
        recorded
            .into_iter()
            .filter(|file| file.path.to_string_lossy().contains("/sessions/")),
    );
    for (name, text) in document_sessions() {
        let path = scratch.session("-document", name, text);
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
    // The conversation continues without the subagent, so the result of its call is missing.
    let past = lines[4].replace("\"parentUuid\": \"msg-004\"", "\"parentUuid\": \"msg-002\"");
    let scratch = Scratch::new();
    let text = lines[..4].concat() + &past;
    let path = scratch.session("-document", "session-123", text);
    let complaints = complaints(&SessionFile::at(path).unwrap());
    let rules: Vec<_> = complaints.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::Pairing]);
}

#[test]
fn sidechains_in_a_main_file_stay_sidechains() {
    // Old releases wrote a subagent's lines under the call, without its name.
    let old = [
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &call("t1"))),
        side(3, 2, &prompt("task")),
        side(4, 3, &reply("m2", &text("found"))),
        line(5, 2, &result("t1")),
        line(6, 5, &reply("m3", &text("it is so"))),
    ]
    .concat();
    assert_eq!(repair_bytes(old.as_bytes()), (vec![], old.into_bytes()));
    let mut count = 0;
    for (name, text) in document_sessions() {
        if text.contains("isSidechain") {
            assert_eq!(repair_bytes(text.as_bytes()).0, [], "{name}");
            count += 1;
        }
    }
    assert!(count > 0, "the document draws a sidechain");
}

#[test]
fn a_conversation_that_hangs_under_a_sidechain_stays_a_conversation() {
    let bent = [
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &call("t1"))),
        side(3, 2, &prompt("task")),
        side(4, 3, &reply("m2", &text("found"))),
        line(5, 4, &result("t1")),
        line(6, 5, &reply("m3", &text("it is so"))),
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
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &text("one"))),
        side(3, 2, &prompt("on")),
        side(4, 3, &reply("m2", &text("two"))),
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

/// The findings for a session of the document, by rule.
fn document_rules(text: &str) -> Vec<Rule> {
    let scratch = Scratch::new();
    let path = scratch.session("-document", "session-123", text);
    let complaints = complaints(&SessionFile::at(path).unwrap());
    complaints.iter().map(|finding| finding.rule).collect()
}

#[test]
fn what_the_document_leaves_open_is_no_complaint() {
    let line = |number: u32, kind: &str, rest: &str| {
        let time = format!("2025-01-27T10:00:{number:02}Z");
        format!(
            r#"{{"type":"{kind}","uuid":"msg-{number}","sessionId":"session-123","timestamp":"{time}",{rest}}}"#
        ) + "\n"
    };
    let result = |number| line(number, "system", r#""subtype":"tool_result","message":"r""#);
    let called = line(2, "assistant", r#""toolName":"Read","toolArguments":{}"#);
    // Nothing names a parent: results belong to the calls before them.
    let unlinked = line(1, "user", r#""message":"go""#) + &called + &result(3);
    assert_eq!(document_rules(&unlinked), []);
    assert_eq!(document_rules(&(unlinked + &result(4))), [Rule::Pairing]);
    let restored = r#""message":"conversation_restored","metadata":null"#;
    assert_eq!(document_rules(&line(1, "compact_system", restored)), []);
    let done = restored.replace("restored", "compacted");
    let done = document_rules(&line(1, "compact_system", &done));
    assert_eq!(done, [Rule::FieldRequired]);
    // The subagent fails, and the conversation continues.
    let failed = [
        ("user", r#""message":"go""#),
        ("assistant", r#""message":"I ask""#),
        (
            "user",
            r#""message":"task","userType":"external","isSidechain":true"#,
        ),
        (
            "system",
            r#""subtype":"error","message":"boom","isError":true,"isSidechain":true"#,
        ),
        ("assistant", r#""message":"It failed.""#),
    ];
    let failed = (1..)
        .zip(failed)
        .map(|(number, (kind, rest))| match number {
            1 => line(1, kind, rest),
            _ => line(
                number,
                kind,
                &format!(r#""parentUuid":"msg-{}",{rest}"#, number - 1),
            ),
        });
    assert_eq!(document_rules(&failed.collect::<String>()), []);
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
        let (steps, mended) = repaired(&[
            line(1, 0, &prompt("go")),
            line(2, 1, &format!("{one}{}", prompt("same"))),
            line(2, 1, &format!("{other}{}", prompt("same"))),
            line(3, 2, &reply("m1", &text("done"))),
        ]);
        assert!(mended.contains(one) && mended.contains(other), "{steps:?}");
        assert_eq!(mended.lines().count(), 4, "{mended}");
        assert_eq!(mended.matches("\"uuid\":").count(), 4);
    }
    // When and where a line was copied makes no other line of it.
    let again = line(2, 1, &prompt("same")).replace("12:00:02", "12:30:02");
    let again = again.replace("2.1.325", "2.1.326");
    let whole = [
        line(1, 0, &prompt("go")),
        line(2, 1, &prompt("same")),
        line(3, 2, &reply("m1", &text("done"))),
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
    let (_, mended) = repaired(&[
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &call("t1"))),
        line(2, 1, &reply("m2", &call("t2"))),
        line(3, 2, &result("t1")),
        line(4, 2, &result("t2")),
        line(5, 4, &reply("m3", &text("done"))),
    ]);
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
        line(1, 0, &prompt("go")),
        line(2, 1, &reply("m1", &call("call_0"))),
        line(3, 2, &result("call_0")),
        line(4, 3, &reply("m2", &call("call_0"))),
        line(5, 4, &result("call_0")),
        line(6, 5, &reply("m3", &text("done"))),
    ]
    .concat();
    assert_eq!(repair_bytes(file.as_bytes()).0, []);
}

#[test]
fn an_entry_that_is_quoted_in_a_torn_line_is_no_line() {
    let quoted = line(9, 8, &prompt("quoted"));
    let quoted = quoted.trim_end();
    let next = line(3, 1, &reply("m1", &text("r")));
    let (parent, own) = (uuid(1), uuid(2));
    let torn = format!(
        r#"{{"parentUuid":"{parent}","type":"user","uuid":"{own}","toolUseResult":{{"saved":{quoted}}},"message":{{"role":"user","content":"torn he"#
    );
    // Alone, and with a whole entry glued to it.
    for between in ["\n", ""] {
        let file = line(1, 0, &prompt("go")) + &torn + between + &next;
        let (steps, mended) = repaired(&[file]);
        assert!(!mended.contains("quoted"), "{steps:?}");
        assert_eq!(mended.lines().count(), 2, "{mended}");
        assert!(mended.contains("\"r\""));
    }
    // In a list too; and cut off between two members, or in a number, it is glued.
    let cuts = [
        (r#""a":[1,QUOTED],"b":"cut"#, false),
        (r#""a":QUOTED,"b":"cut"#, false),
        (r#""a":QUOTED"#, true),
        (r#""a":12QUOTED"#, true),
        (r#""a":1,QUOTED"#, true),
        (r#""a":"cut heQUOTED"#, true),
        (r#""a":"cut {"type":"user","b":"cutQUOTED"#, true),
    ];
    for (cut, glued) in cuts {
        let torn = format!(r#"{{"type":"user",{cut}"#).replace("QUOTED", quoted);
        let (_, mended) = repaired(&[torn]);
        assert_eq!(mended.contains("quoted"), glued, "{cut}");
    }
}
