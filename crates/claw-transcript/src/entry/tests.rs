use super::*;

fn entry(line: &str) -> Entry<'_> {
    Entry::read(line.as_bytes()).expect("an object")
}

#[test]
fn a_member_that_is_doubled_escaped_or_odd_is_read_as_the_cli_reads_it() {
    let line = entry(r#"{"type":"x","\u0074ype":"user","uuid":5,"parentUuid":7,"a":1}"#);
    assert_eq!(line.kind(), Kind::User);
    assert_eq!(line.uuid(), None);
    assert_eq!(line.parent(), ParentRef::Odd);
    assert_eq!(line.members().count(), 5);
    assert_eq!(line.get("a"), Some("1"));
}

#[test]
fn bytes_that_are_no_text_lose_nothing_else() {
    let line = b"\0\0{\"type\":\"assistant\",\"uuid\":\"u\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"h\xFF\\ud83d\"}]}}";
    let entry = Entry::read(line).expect("an object");
    assert_eq!(entry.uuid().as_deref(), Some("u"));
    assert_eq!(entry.parts(), [Part::Text("h\u{FFFD}\u{FFFD}".into())]);
}

#[test]
fn three_dialects_say_the_same() {
    let table = [
        (
            r#"{"type":"assistant","uuid":"m4","parentUuid":"m3","sessionId":"s","subtype":"tool_use","toolName":"Write","toolArguments":{"a":1}}"#,
            Dialect::Document,
            "Call(m4 Write {\"a\":1})",
        ),
        (
            r#"{"type":"system","uuid":"m5","parentUuid":"m4","sessionId":"s","subtype":"tool_result","message":"done"}"#,
            Dialect::Document,
            "Answer(m4 \"done\")",
        ),
        (
            r#"{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","version":"2","message":{"content":[{"type":"tool_use","id":"t","name":"Write","input":{"a":1}}]}}"#,
            Dialect::Disk,
            "Call(t Write {\"a\":1})",
        ),
        (
            r#"{"type":"user","uuid":"u","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"done"}]}}"#,
            Dialect::Stream,
            "Answer(t \"done\")",
        ),
        (
            r#"{"type":"system","uuid":"u","parentUuid":"x","sessionId":"s","version":"2","subtype":"compact_boundary","content":"Compacted"}"#,
            Dialect::Disk,
            "Text(Compacted)",
        ),
        (
            r#"{"type":"compact_system","uuid":"u","sessionId":"s","message":"conversation_compacting"}"#,
            Dialect::Document,
            "Text(conversation_compacting)",
        ),
    ];
    for (line, dialect, said) in table {
        let entry = entry(line);
        assert_eq!(entry.dialect(), dialect, "{line}");
        let parts: Vec<String> = entry.parts().iter().map(drawn).collect();
        assert_eq!(parts, [said], "{line}");
    }
}

fn drawn(part: &Part<'_>) -> String {
    match part {
        Part::Text(text) => format!("Text({text})"),
        Part::Call {
            id, name, input, ..
        } => format!(
            "Call({} {} {})",
            id.as_deref().unwrap_or("-"),
            name.as_deref().unwrap_or("-"),
            input.unwrap_or("-")
        ),
        Part::Answer { call, content, .. } => format!(
            "Answer({} {})",
            call.as_deref().unwrap_or("-"),
            content.unwrap_or("-")
        ),
        other => format!("{other:?}"),
    }
}

#[test]
fn broken_lines_say_why_and_keep_what_is_whole() {
    let table: [(&[u8], &str, usize); 7] = [
        (
            b"{\"type\":\"mode\"}{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\"}",
            "entries without a newline between them",
            2,
        ),
        (
            b"{\"type\":\"user\",\"mess{\"type\":\"text\",\"text\":\"no entry\"},{\"type\":\"tag\"}",
            "a torn entry with a whole one behind it",
            1,
        ),
        (b"{\"type\":\"us", "an entry that is cut off", 0),
        (b"{\"type\":}", "not valid JSON", 0),
        (b"[1,2]", "JSON, but no object", 0),
        (b"null", "JSON, but no object", 0),
        (b"hello \xFF", "no JSON", 0),
    ];
    for (line, why, pieces) in table {
        let Body::Broken(damage) = Body::read(line) else {
            panic!("{why}: not broken");
        };
        assert_eq!(damage.why, why);
        assert_eq!(damage.pieces.len(), pieces, "{why}");
        for piece in damage.pieces {
            assert!(Entry::read(&line[piece]).is_some());
        }
    }
    assert!(matches!(Body::read(b"\0\0 \r"), Body::Blank));
}

#[test]
fn a_line_made_of_torn_entries_ends() {
    let hostile = br#"{"type":"user","a":["#.repeat(50_000);
    let Body::Broken(damage) = Body::read(&hostile) else {
        panic!("not broken");
    };
    assert_eq!(damage.why, "an entry that is cut off");
    let deep = [
        b"{\"type\":\"user\",\"a\":".to_vec(),
        b"[".repeat(1_000_000),
    ]
    .concat();
    assert!(matches!(Body::read(&deep), Body::Broken(_)));
}

#[test]
fn every_known_kind_goes_by_its_name() {
    for kind in Kind::ALL {
        assert_eq!(Kind::of(kind.as_str()), *kind);
        assert_ne!(kind.group(), KindGroup::Unknown);
    }
    assert_eq!(Kind::of("new-in-3.0"), Kind::Unknown);
}
