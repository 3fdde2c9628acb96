//! Tests the plan for each kind of damage.

use std::cell::Cell;
use std::collections::HashSet;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use claw_testkit::processes::cpu_time;

use super::rounds::mend;
use super::scan::Place;
use super::*;
use crate::entry::Entry;

/// A conversation of three turns: a call, two parallel calls, an emoji.
fn session() -> Vec<String> {
    let user = |uuid: &str, parent: &str, text: &str| {
        line(
            "user",
            uuid,
            parent,
            &format!(r#""message":{{"role":"user","content":"{text}"}}"#),
        )
    };
    let block = |uuid: &str, parent: &str, reply: &str, block: &str| {
        let message =
            format!(r#""message":{{"id":"{reply}","role":"assistant","content":[{block}]}}"#);
        line("assistant", uuid, parent, &message)
    };
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let call = |id: &str| {
        format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"ls"}}}}"#)
    };
    let result = |uuid: &str, parent: &str, call: &str, text: &str| {
        let message = format!(
            r#""message":{{"role":"user","content":[{{"tool_use_id":"{call}","type":"tool_result","content":"{text}"}}]}}"#
        );
        line("user", uuid, parent, &message)
    };
    vec![
        user("u1", "", "P1"),
        block("a1", "u1", "m1", &text("R1")),
        block("a2", "a1", "m1", &call("t1")),
        result("r1", "a2", "t1", "T1"),
        block("a3", "r1", "m2", &text("R1b")),
        r#"{"type":"mode","mode":"normal","sessionId":"s"}"#.to_owned(),
        user("u2", "a3", "P2"),
        block("b1", "u2", "m3", &call("t2")),
        block("b2", "b1", "m3", &call("t3")),
        result("r2", "b1", "t2", "T2"),
        result("r3", "b2", "t3", "T3"),
        block("b3", "r3", "m4", &text("R2 🦀")),
        user("u3", "b3", "P3"),
        block("c1", "u3", "m5", &text("R3")),
    ]
}

fn line(kind: &str, uuid: &str, parent: &str, rest: &str) -> String {
    let parent = if parent.is_empty() {
        "null".to_owned()
    } else {
        format!("\"{parent}\"")
    };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{rest},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","sessionId":"s","version":"2.1.325"}}"#
    )
}

fn file(lines: &[String]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| [line.as_bytes(), b"\n"].concat())
        .collect()
}

/// Repairs bytes, and checks the guarantees of every repair.
fn repair(bytes: &[u8]) -> (Vec<RepairStep>, String) {
    let (steps, mended) = repair_bytes(bytes);
    let (again, same) = repair_bytes(&mended);
    assert_eq!(again, [], "a repaired file needs no repair");
    assert_eq!(same, mended);
    (
        steps,
        String::from_utf8(mended).expect("repaired files are text"),
    )
}

/// The uuids from the last line of the main chain to the first.
fn way(mended: &str) -> Vec<String> {
    let entries: Vec<Entry<'_>> = mended
        .lines()
        .map(|line| Entry::read(line.as_bytes()).expect("every line is an entry"))
        .filter(|entry| entry.uuid().is_some())
        .collect();
    let mut way = Vec::new();
    let mut next = entries.last();
    while let Some(entry) = next {
        way.push(entry.uuid().unwrap_or_default().into_owned());
        assert!(way.len() <= entries.len(), "a circle: {way:?}");
        let parent = entry.parent().id();
        next = parent.map(|parent| {
            let found = entries
                .iter()
                .find(|entry| entry.uuid() == Some(parent.clone()));
            found.unwrap_or_else(|| panic!("{parent} is lost"))
        });
    }
    way
}

fn done(steps: &[RepairStep]) -> Vec<(RepairAction, u64)> {
    steps.iter().map(|step| (step.action, step.line)).collect()
}

#[test]
fn a_whole_session_stays_as_it_is() {
    let bytes = file(&session());
    assert_eq!(repair_bytes(&bytes), (Vec::new(), bytes));
    let crlf = session().join("\r\n") + "\r\n";
    let (steps, mended) = repair(crlf.as_bytes());
    assert_eq!((steps, mended), (Vec::new(), crlf));
}

#[test]
fn a_line_with_neither_id_nor_parent_stays_as_it_is() {
    let mut lines = session();
    lines.push(r#"{"type":"user","customTitle":"no","x":{"type":"custom-title"}}"#.to_owned());
    lines.push(r#"{"type":"assistant","message":{"content":"no"}}"#.to_owned());
    let bytes = file(&lines);
    assert_eq!(repair_bytes(&bytes), (Vec::new(), bytes));
}

type Damage<'a> = &'a dyn Fn(&mut Vec<String>);

#[test]
fn damage_that_loses_nothing_is_undone() {
    use RepairAction::{DropCopy, Move, Relink, Remove, Sidechain, Split};
    let flip = |line: &mut String| *line = line.replace("chain\":false", "chain\":true");
    // The step, its line, and the damage.
    let cases: [(RepairAction, u64, Damage<'_>); 9] = [
        (Remove, 15, &|lines| lines.push(lines[13][..80].to_owned())),
        (Split, 12, &|lines| {
            let next = lines.remove(12);
            lines[11] += &next;
        }),
        (Relink, 7, &|lines| {
            lines[6] = lines[6].replace("\"a3\"", "\"c1\"");
        }),
        (Relink, 7, &|lines| {
            lines[6] = lines[6].replace("\"a3\"", "\"u2\"");
        }),
        (DropCopy, 6, &|lines| lines.insert(5, lines[4].clone())),
        (Move, 13, &|lines| lines.swap(12, 13)),
        (Sidechain, 1, &|lines| flip(&mut lines[0])),
        (Sidechain, 7, &|lines| flip(&mut lines[6])),
        (Sidechain, 14, &|lines| flip(&mut lines[13])),
    ];
    for (action, line, damage) in cases {
        let mut lines = session();
        damage(&mut lines);
        let (steps, mended) = repair(&file(&lines));
        assert_eq!(done(&steps), [(action, line)]);
        assert_eq!(mended.as_bytes(), file(&session()), "{action:?} of {line}");
    }
    // The end of the file is torn, not a line.
    let whole = file(&session()[..13]);
    let (steps, mended) = repair(&[&whole[..], &session()[13].as_bytes()[..80]].concat());
    assert_eq!(done(&steps), [(Remove, 14)]);
    assert_eq!(mended.as_bytes(), whole);
}

#[test]
fn what_hung_under_a_torn_line_hangs_under_the_one_before() {
    let mut lines = session();
    lines[4].truncate(70);
    let (steps, mended) = repair(&file(&lines));
    assert_eq!(
        done(&steps),
        [(RepairAction::Remove, 5), (RepairAction::Relink, 7)]
    );
    assert_eq!(way(&mended).last().map(String::as_str), Some("u1"));
    assert_eq!(
        (steps[1].before.as_deref(), steps[1].after.as_deref()),
        (Some("a3"), Some("r1"))
    );
}

#[test]
fn a_lost_result_is_stood_in_for() {
    let mut lines = session();
    lines.remove(3);
    let (steps, mended) = repair(&file(&lines));
    assert_eq!(
        done(&steps),
        [(RepairAction::Answer, 3), (RepairAction::Relink, 4)]
    );
    let way = way(&mended);
    assert_eq!(way.len(), 12, "{way:?}");
    assert!(
        mended
            .lines()
            .nth(3)
            .is_some_and(|line| line.contains("\"tool_use_id\":\"t1\""))
    );
}

#[test]
fn the_last_call_may_still_run() {
    let lines = &session()[..9];
    assert_eq!(repair(&file(lines)).0, []);
    let lines = &session()[..10];
    assert_eq!(repair(&file(lines)).0, []);
}

#[test]
fn a_result_without_a_call_becomes_text_on_the_way() {
    let mut lines = session();
    lines.remove(8);
    let (steps, mended) = repair(&file(&lines));
    assert!(
        done(&steps).contains(&(RepairAction::ResultToText, 10)),
        "{steps:?}"
    );
    assert!(way(&mended).contains(&"r3".to_owned()), "{mended}");
    let text = r#"{"type":"text","text":"T3"}"#;
    assert!(mended.contains(text), "{mended}");
    lines = session();
    lines.remove(7);
    let (_, mended) = repair(&file(&lines));
    assert!(way(&mended).contains(&"r2".to_owned()), "{mended}");
}

#[test]
fn different_lines_with_one_uuid_stay() {
    let mut lines = session();
    lines.insert(5, lines[4].replace("R1b", "R1c"));
    let (steps, mended) = repair(&file(&lines));
    let actions: Vec<_> = steps.iter().map(|step| step.action).collect();
    assert!(actions.contains(&RepairAction::NewUuid), "{steps:?}");
    assert!(mended.contains("R1b") && mended.contains("R1c"));
    assert_eq!(way(&mended).len(), 13, "{mended}");
}

#[test]
fn bytes_that_are_no_text_are_replaced_or_go() {
    let mut bytes = file(&session());
    bytes.splice(0..0, *b"\xEF\xBB\xBF\0\0");
    bytes.extend([0; 40]);
    let (steps, mended) = repair(&bytes);
    assert_eq!(
        done(&steps),
        [(RepairAction::Strip, 1), (RepairAction::Strip, 15)]
    );
    assert_eq!(mended.as_bytes(), file(&session()));

    let text = String::from_utf8(file(&session())).expect("text");
    let (_, mended) = repair(text.replace('🦀', "\\ud83e").as_bytes());
    assert_eq!(mended, text.replace('🦀', "\\ufffd"));
    let crab = text.find('🦀').expect("an emoji");
    let mut bytes = text.clone().into_bytes();
    bytes.splice(crab..crab + 4, [0xFF]);
    let (_, mended) = repair(&bytes);
    assert_eq!(mended, text.replace('🦀', "\u{FFFD}"));
}

#[test]
fn a_lost_prompt_between_replies_is_stood_in_for() {
    let mut lines = session();
    lines.remove(12);
    let (steps, mended) = repair(&file(&lines));
    let expected = [(RepairAction::StandIn, 13), (RepairAction::Relink, 13)];
    assert_eq!(done(&steps), expected);
    let way = way(&mended);
    assert_eq!(way.len(), 12, "{mended}");
    // With the lost uuid, it would pass for the old file's parent in a check.
    assert!(!mended.contains("\"u3\""), "{mended}");
    assert_eq!((&*way[0], &*way[2]), ("c1", "b3"));
}

#[test]
fn a_call_and_its_result_count_once_however_often_a_line_has_them() {
    let mut lines = session();
    let twice = |line: &str, start: &str| {
        let at = line.find(start).expect("a block");
        let end = line.rfind("]}").expect("the end of the blocks");
        format!("{},{}", &line[..end], &line[at..])
    };
    lines[2] = twice(&lines[2], r#"{"type":"tool_use""#);
    assert_eq!(repair(&file(&lines)).0, []);
    lines.remove(3);
    let (steps, _) = repair(&file(&lines));
    let answers = steps.iter().filter(|s| s.action == RepairAction::Answer);
    assert_eq!(answers.count(), 1, "{steps:?}");

    let mut lines = session();
    lines[3] = twice(&lines[3], r#"{"tool_use_id""#);
    let (steps, mended) = repair(&file(&lines));
    assert_eq!(done(&steps)[0], (RepairAction::ResultToText, 4));
    let line = mended.lines().find(|line| line.contains("T1")).expect("it");
    assert_eq!(line.matches("\"tool_result\"").count(), 1, "{line}");
    assert_eq!(line.matches("\"T1\"").count(), 2, "{line}");
}

#[test]
fn second_result_is_dropped_only_if_it_is_a_copy() {
    let mut lines = session();
    lines.insert(4, lines[3].replace("\"r1\"", "\"r1b\""));
    let (steps, _) = repair(&file(&lines));
    assert_eq!(done(&steps), [(RepairAction::DropCopy, 5)]);
    lines[4].insert_str(1, r#""toolUseResult":"T1 in full","#);
    let (steps, mended) = repair(&file(&lines));
    assert_eq!(done(&steps)[0], (RepairAction::ResultToText, 5));
    assert!(mended.contains("T1 in full"), "{mended}");
}

#[test]
fn lines_without_rules_keep_their_members() {
    for line in [
        r#"{"type":"result","key":"k","key":"k","result":"R"}"#,
        r#"{"type":"result","timestamp":"yesterday"}"#,
    ] {
        let mut lines = session();
        lines.insert(5, line.to_owned());
        assert_eq!(repair(&file(&lines)).0, [], "{line}");
    }
}

#[test]
fn what_a_repair_brings_to_light_is_repaired_too() {
    // The lost parent is replaced by a line of the main chain, and then the flag is wrong.
    let mut lines = session();
    lines[6] = lines[6].replace("\"parentUuid\":\"a3\"", "\"parentUuid\":\"lost\"");
    lines[6] = lines[6].replace("\"isSidechain\":false", "\"isSidechain\":true");
    lines[4].truncate(60);
    let (steps, _) = repair(&file(&lines));
    assert!(steps.iter().all(|step| step.line <= lines.len() as u64));
    let starts: Vec<u64> = lines
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len() as u64 + 1;
            Some(start)
        })
        .collect();
    for step in &steps {
        let line = usize::try_from(step.line).expect("few lines") - 1;
        assert!(step.offset >= starts[line], "{step}");
        assert!(step.offset <= starts[line] + lines[line].len() as u64);
    }
}

#[test]
fn a_line_that_begins_a_chain_is_not_said_to_follow_one() {
    let lines = &session()[6..];
    let (steps, _) = repair(&file(lines));
    let first = steps.iter().find(|step| step.line == 1).unwrap();
    assert_eq!(first.after.as_deref(), Some("null"), "{first}");
    assert!(first.why.contains("begins one"), "{first}");
}

#[test]
fn a_count_that_is_text_becomes_the_number_that_it_is() {
    let mut lines = session();
    let usage = |input: &str, output: &str| {
        format!(r#""usage":{{"input_tokens":{input},"output_tokens":{output}}},"role":"assistant""#)
    };
    lines[1] = lines[1].replace(r#""role":"assistant""#, &usage(r#""+5""#, r#""007""#));
    let (_, mended) = repair(&file(&lines));
    lines[1] = lines[1].replace(&usage(r#""+5""#, r#""007""#), &usage("5", "7"));
    assert_eq!(mended.as_bytes(), file(&lines));
}

#[test]
fn changes_in_one_place_are_all_made() {
    let whole = session();
    for (at, old, new) in [
        (
            0,
            r#"{"parentUuid":null,"#,
            r#"{"parentUuid":1,"parentUuid":2 , "parentUuid":null,"#,
        ),
        (
            1,
            r#""type":"assistant","#,
            r#""type":"a","type":"b","type":"assistant","#,
        ),
    ] {
        let mut lines = whole.clone();
        lines[at] = lines[at].replacen(old, new, 1);
        let (steps, mended) = repair(&file(&lines));
        assert_eq!(steps.len(), 2, "{new}");
        let line = mended.lines().nth(at).expect("a line").replace(" ", "");
        assert_eq!(line, whole[at].replace(" ", ""));
    }
    // The missing member becomes the first one, and the first one is duplicate.
    let mut lines = whole;
    lines[1] = lines[1].replace(r#""sessionId":"s","#, "");
    let expected = lines[1].replacen('{', r#"{"sessionId":"s","#, 1);
    lines[1] = lines[1].replacen('{', r#"{"parentUuid":"x","#, 1);
    let (_, mended) = repair(&file(&lines));
    assert_eq!(mended.lines().nth(1), Some(expected.as_str()));
}

/// A buffer that counts the calls of `write`.
struct Counted<'c>(Cursor<Vec<u8>>, &'c Cell<u32>);

impl Read for Counted<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.set(self.1.get() + 1);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn removed_lines_are_written_together() {
    let bytes = [file(&session()), b"{\"cut\n".repeat(1000)].concat();
    let writes = Cell::new(0);
    let buffer = || Ok(Counted(Cursor::default(), &writes));
    let none = |_| HashSet::new();
    let mended = mend(&mut Cursor::new(bytes), &Place::default(), buffer, none);
    let removed = mended.unwrap().removed.unwrap().0.into_inner();
    assert_eq!(removed.split(|byte| *byte == b'\n').count(), 2001);
    assert!(writes.get() < 10, "{} writes", writes.get());
}

#[test]
fn a_file_that_grows_during_a_repair_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let out = folder.path().join("out.jsonl");
    let whole = file(&session());
    for torn in ["", "{\"cut\n"] {
        let bytes = [&whole[..], torn.as_bytes()].concat();
        std::fs::write(&path, &bytes).unwrap();
        let plan = RepairPlan::of_file(&path).unwrap();
        std::fs::write(&path, [&bytes[..], session()[5].as_bytes(), b"\n"].concat()).unwrap();
        let written = plan.files[0].write_to(&out, folder.path(), None);
        assert!(matches!(written, Err(RepairError::Changed { .. })));
        assert!(!out.exists());
    }
}

#[test]
fn many_session_ids_take_no_square() {
    let ids = 0..60_000;
    let lines = ids.map(|id| format!("{{\"type\":\"mode\",\"sessionId\":\"s-{id:05}\"}}"));
    let bytes = file(&lines.collect::<Vec<_>>());
    let start = cpu_time();
    assert_eq!(repair_bytes(&bytes).0, []);
    let used = cpu_time() - start;
    assert!(used.as_secs() < 10, "{used:?}");
}
