//! Checking session files.

use std::fs;

use claw_transcript::{Check, CheckReport, SessionFile, Severity};

use crate::scratch::{session_files_under, testdata};

/// A report without notes, as text with short paths.
pub(crate) fn drawn(report: &CheckReport, above: Severity) -> Vec<String> {
    let findings = report.findings();
    findings
        .filter(|(_, found)| found.severity >= above)
        .map(|(file, found)| {
            let path = file.path.strip_prefix(testdata()).unwrap_or(&file.path);
            let path = path.display();
            let (line, severity, rule) = (found.line, found.severity, found.rule);
            format!("{path}:{line} {severity} {rule} {}", found.message)
        })
        .collect()
}

#[test]
fn recorded_sessions_are_clean_but_for_those_that_were_cut_off_on_purpose() {
    let report = Check::new().files(&session_files_under(&testdata().join("cli")));
    assert!(report.files_checked >= 57);
    insta::assert_debug_snapshot!(drawn(&report, Severity::Note));
}

/// Checks one file, given by its bytes.
pub(crate) fn checked(bytes: &[u8], name: &str) -> CheckReport {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    fs::write(&path, bytes).expect("a file");
    let file = SessionFile::at(path).expect("a file");
    Check::new().threads(1).files(&[file])
}

#[test]
fn rules_of_the_document_s_tables_are_told_by_what_is_wrong() {
    let line = |rest: &str| {
        format!(
            "{{\"uuid\":\"a\",\"timestamp\":\"2025-01-27T10:00:00Z\",\"sessionId\":\"s\",{rest}}}\n"
        )
    };
    // An object for the rule, how bad it is, and the bytes that are shown.
    let cases = [
        (
            r#""type":"compact_system","message":"conversation_exploded""#,
            "shape error \"conversation_exploded\"",
        ),
        (
            r#""type":"system","message":"x","isError":"yes""#,
            "shape error \"yes\"",
        ),
        (r#""type":"user","message":"x","isMeta":7"#, "shape error 7"),
        (
            r#""type":"user","message":"x","userType":5"#,
            "shape error 5",
        ),
        (
            r#""type":"user","message":"x","toolName":"Bash""#,
            "shape error \"Bash\"",
        ),
        (
            r#""type":"assistant","message":"x","subtype":"thinking","toolArguments":{"a":1}"#,
            "shape error {\"a\":1}",
        ),
        (
            r#""type":"compact_system","message":"conversation_compacted","metadata":{"totalMessages":1.5,"preservedMessages":1,"compressionRatio":0.1}"#,
            "shape error 1.5",
        ),
        (
            r#""type":"compact_system","message":"conversation_compacted","metadata":{"totalMessages":15,"preservedMessages":1}"#,
            "field-required warning {\"totalMessages\":15,\"preservedMessages\":1}",
        ),
        (
            r#""type":"assistant","message":"x","subtype":"banana""#,
            "shape warning \"banana\"",
        ),
        (
            r#""type":"user","message":"x","mine":1,"other":2,"mine":3,"mine":4"#,
            "key-unique warning 4",
        ),
    ];
    for (rest, expected) in cases {
        let text = line(rest);
        let report = checked(text.as_bytes(), "made.jsonl");
        let shown: Vec<String> = report
            .findings()
            .filter(|(_, found)| found.severity >= Severity::Warning)
            .map(|(_, found)| {
                let from = usize::try_from(found.offset).expect("small");
                let to = from + usize::try_from(found.length).expect("small");
                format!("{} {} {}", found.rule, found.severity, &text[from..to])
            })
            .collect();
        assert_eq!(shown, [expected], "{rest}");
    }
    let allowed = [
        r#""type":"user","message":"x","userType":"external","isMeta":false,"isDeleted":true"#,
        r#""type":"user","message":"x","userType":null,"subtype":null,"parentUuid":null"#,
        r#""type":"compact_system","message":"conversation_restored","metadata":{}"#,
        r#""type":"compact_system","message":"conversation_restoring""#,
    ];
    for rest in allowed {
        let report = checked(line(rest).as_bytes(), "made.jsonl");
        assert_eq!(drawn(&report, Severity::Warning), [""; 0], "{rest}");
    }
}

/// Lines of the document's dialect, each under the one before it.
fn document(lines: &[&str]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let parent = match at {
            0 => "null".to_owned(),
            at => format!("\"m{}\"", at - 1),
        };
        text += &format!(
            "{{\"uuid\":\"m{at}\",\"parentUuid\":{parent},\"timestamp\":\"2025-01-27T10:00:00Z\",\
             \"sessionId\":\"s\",{line}}}\n"
        );
    }
    text
}

#[test]
fn a_conversation_that_goes_on_goes_on_past_every_open_call() {
    let call = r#""type":"assistant","subtype":"tool_use","toolName":"Read","toolArguments":{}"#;
    let prompt = r#""type":"user","message":"go on""#;
    let stop = r#""type":"user","message":"stop","isAborted":true"#;
    let severities = |lines: &[&str]| {
        let report = checked(document(lines).as_bytes(), "made.jsonl");
        let found = report.findings().map(|(_, found)| {
            assert_eq!(found.rule.id(), "pairing", "{}", found.message);
            (found.line, found.severity)
        });
        found.collect::<Vec<_>>()
    };
    let (error, note) = (Severity::Error, Severity::Note);
    assert_eq!(
        severities(&[prompt, call, call, call]),
        [(2, note), (3, note), (4, note)]
    );
    assert_eq!(
        severities(&[prompt, call, call, call, prompt]),
        [(2, error), (3, error), (4, error)]
    );
    assert_eq!(severities(&[prompt, call, call, stop]), []);
    let answer = r#""type":"system","subtype":"tool_result","message":"x""#;
    assert_eq!(
        severities(&[prompt, call, call, answer, prompt]),
        [(2, error)]
    );
}

#[test]
fn a_result_that_comes_twice_and_one_of_nothing_are_told_apart_in_a_long_file() {
    let line = |at: usize, kind: &str, message: &str| {
        let parent = match at {
            0 => "null".to_owned(),
            at => format!("\"5e5e5e5e-2222-4222-8222-{:012}\"", at - 1),
        };
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"5e5e5e5e-2222-4222-8222-{at:012}\",\
             \"parentUuid\":{parent},\"timestamp\":\"2026-01-27T10:00:00Z\",\"sessionId\":\"s\",\
             \"version\":\"2.1.325\",\"isSidechain\":false,\"message\":{message}}}\n"
        )
    };
    let call = |id: usize| {
        format!(
            "{{\"id\":\"msg_{id}\",\"role\":\"assistant\",\"usage\":{{\"output_tokens\":1}},\
             \"content\":[{{\"type\":\"tool_use\",\"id\":\"toolu_{id}\",\"name\":\"Read\",\"input\":{{}}}}]}}"
        )
    };
    let answer = |id: usize| {
        format!(
            "{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\
             \"tool_use_id\":\"toolu_{id}\",\"content\":\"x\"}}]}}"
        )
    };
    let mut text = String::new();
    for id in 0..3000 {
        text += &line(2 * id, "assistant", &call(id));
        text += &line(2 * id + 1, "user", &answer(id));
    }
    let clean = checked(text.as_bytes(), "made.jsonl");
    assert_eq!(drawn(&clean, Severity::Note), [""; 0]);
    text += &line(6000, "user", &answer(17));
    text += &line(6001, "user", &answer(9999));
    let found = drawn(&checked(text.as_bytes(), "made.jsonl"), Severity::Note).join("\n");
    assert!(
        found.contains(":6001 error pairing the call toolu_17 has a result already"),
        "{found}"
    );
    assert!(
        found.contains(":6002 error pairing a result of the call toolu_9999"),
        "{found}"
    );
    assert_eq!(found.lines().count(), 2, "{found}");
}

#[test]
fn the_order_of_findings_does_not_depend_on_threads() {
    let files = session_files_under(&testdata().join("sessions"));
    let one = Check::new().threads(1).files(&files);
    let four = Check::new().threads(4).files(&files);
    assert!(one.total.errors > 0);
    assert_eq!(one, four);
}

#[test]
fn a_finding_says_the_bytes_that_are_wrong() {
    let text = concat!(
        "{\"type\":\"user\",\"uuid\":\"a\",\"timestamp\":\"2025-01-27T10:00:00Z\",",
        "\"sessionId\":\"s\",\"message\":\"hi\"}\n",
        "\0\0{\"type\":\"assistant\",\"uuid\":\"b\",\"timestamp\":\"late\",\"sessionId\":\"s\",",
        "\"parentUuid\":\"gone\",\"message\":\"ho\"}\n",
    );
    let report = checked(text.as_bytes(), "made.jsonl");
    let shown: Vec<(&str, u64, &str)> = report
        .findings()
        .filter(|(_, found)| found.severity == Severity::Error)
        .map(|(_, found)| {
            let from = usize::try_from(found.offset).expect("small");
            let to = from + usize::try_from(found.length).expect("small");
            (found.rule.id(), found.line, &text[from..to])
        })
        .collect();
    let expected = [
        ("timestamp-iso", 2, "\"late\""),
        ("parent-exists", 2, "\"gone\""),
    ];
    assert_eq!(shown, expected);
    assert_eq!((report.exit_code(false), report.exit_code(true)), (2, 2));
}

#[test]
fn warnings_count_only_when_they_are_taken_seriously() {
    let torn = b"{\"type\":\"mode\",\"mode\":\"normal\",\"sessionId\":\"s\"}\n{\"type\":\"us";
    let report = checked(torn, "made.jsonl");
    assert_eq!((report.total.errors, report.total.warnings), (0, 1));
    assert_eq!((report.exit_code(false), report.exit_code(true)), (0, 1));
    let clean = checked(&torn[..48], "made.jsonl");
    assert_eq!((clean.exit_code(false), clean.exit_code(true)), (0, 0));
    let empty = checked(b"", "made.jsonl");
    assert_eq!((empty.exit_code(false), empty.exit_code(true)), (2, 2));
}

#[test]
fn findings_beyond_the_limit_are_counted() {
    let line = "{\"type\":\"user\",\"timestamp\":5,\"message\":\"hi\",\"sessionId\":\"s\"}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("many.jsonl");
    fs::write(&path, line.repeat(30)).expect("a file");
    let report = Check::new()
        .listed(4)
        .files(&[SessionFile::at(path).expect("a file")]);
    assert_eq!(report.total.errors, 60);
    let [file] = &report.files[..] else {
        panic!("one file");
    };
    assert_eq!(file.findings.len(), 8);
    assert!(file.suppressed.values().all(|more| *more == 26));
}

#[test]
fn new_names_are_told_once_for_each_version_and_alarm_nobody() {
    let line = |version: &str, extra: &str| {
        format!(
            "{{\"type\":\"telepathy\",\"version\":\"{version}\"}}\n\
             {{\"type\":\"mode\",\"mode\":\"x\",\"sessionId\":\"s\",\"version\":\"{version}\"{extra}}}\n"
        )
    };
    let text = line("9.0.0", "") + &line("9.0.1", ",\"mood\":1") + &line("9.0.1", ",\"mood\":2");
    let report = checked(text.as_bytes(), "made.jsonl");
    assert_eq!(report.exit_code(true), 0);
    let drift: Vec<String> = report
        .drift
        .iter()
        .map(|item| {
            let what = item.what.as_str();
            format!(
                "{what} {}.{} {} {}",
                item.kind, item.name, item.version, item.lines
            )
        })
        .collect();
    let expected = [
        "kind telepathy.telepathy 9.0.0 1",
        "kind telepathy.telepathy 9.0.1 2",
        "member mode.mood 9.0.1 2",
    ];
    assert_eq!(drift, expected);
    assert_eq!(report.total.notes, 2);
}

#[test]
fn the_sarif_log_has_what_its_schema_asks_for() {
    let report = checked(b"{\"type\":\"user\"}\n", "made file.jsonl");
    let sarif = report.to_sarif();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert!(run["tool"]["driver"]["name"].is_string());
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        assert!(result["message"]["text"].is_string());
        let level = result["level"].as_str().expect("a level");
        assert!(["none", "note", "warning", "error"].contains(&level));
        let index = result["ruleIndex"].as_u64().expect("an index");
        let rule = &rules[usize::try_from(index).expect("small")];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a uri");
        assert!(
            uri.starts_with("file:///") && uri.ends_with("made%20file.jsonl"),
            "{uri}"
        );
        assert!(
            place["region"]["startLine"]
                .as_u64()
                .is_some_and(|line| line >= 1)
        );
        assert!(place["region"]["byteOffset"].is_u64() && place["region"]["byteLength"].is_u64());
    }
}
