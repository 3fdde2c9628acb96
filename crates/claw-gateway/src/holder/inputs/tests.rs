use super::*;

fn line(text: &'static str) -> Bytes {
    Bytes::from_static(text.as_bytes())
}

/// Writes everything that waits, in pieces of a size.
fn write(inputs: &mut Inputs, size: usize) -> (String, Vec<String>) {
    let (mut bytes, mut ids) = (Vec::new(), Vec::new());
    while let Some(next) = inputs.next() {
        let count = next.len().min(size);
        bytes.extend_from_slice(&next[..count]);
        ids.extend(inputs.advance(count));
    }
    (String::from_utf8(bytes).unwrap(), ids)
}

#[test]
fn each_line_is_written_whole_and_once() {
    for size in [1, 2, 100] {
        let mut inputs = Inputs::default();
        for _ in 0..2 {
            assert_eq!(inputs.accept("a".into(), line("one\n")), Accepted::Queued);
            assert_eq!(inputs.accept("b".into(), line("two\n")), Accepted::Queued);
        }
        let (written, ids) = write(&mut inputs, size);
        assert_eq!((written.as_str(), ids.len()), ("one\ntwo\n", 2));
        assert_eq!(inputs.accept("a".into(), line("one\n")), Accepted::Written);
        assert_eq!(write(&mut inputs, size).0, "");
    }
}

#[test]
fn only_whole_lines_are_accepted() {
    let mut inputs = Inputs::default();
    for text in ["", "half", "two\nlines\n", "more\nhalf"] {
        assert_eq!(inputs.accept("a".into(), line(text)), Accepted::Refused);
    }
    inputs.close();
    assert_eq!(inputs.accept("a".into(), line("late\n")), Accepted::Closed);
}

#[test]
fn a_line_that_was_begun_is_completed_for_the_next_owner() {
    let mut inputs = Inputs::default();
    inputs.accept("a".into(), line("one\n"));
    inputs.accept("b".into(), line("two\n"));
    assert_eq!(inputs.next(), Some(&b"one\n"[..]));
    inputs.advance(2);
    inputs.drop_waiting();
    // The next owner repeats both.
    assert_eq!(inputs.accept("a".into(), line("one\n")), Accepted::Queued);
    assert_eq!(inputs.accept("b".into(), line("two\n")), Accepted::Queued);
    assert_eq!(write(&mut inputs, 9).0, "e\ntwo\n");
}

#[test]
fn the_input_is_closed_after_its_lines() {
    let mut inputs = Inputs::default();
    inputs.accept("a".into(), line("one\n"));
    inputs.close();
    assert!(!inputs.is_over());
    write(&mut inputs, 9);
    assert!(inputs.is_over());
}

#[test]
fn a_bounded_number_of_ids_is_remembered() {
    let mut inputs = Inputs::default();
    for number in 0..=MOST_IDS {
        inputs.accept(number.to_string(), line("x\n"));
        write(&mut inputs, 9);
    }
    assert_eq!(inputs.written_ids.len(), MOST_IDS);
    let last = inputs.accept(MOST_IDS.to_string(), line("x\n"));
    assert_eq!(last, Accepted::Written);
    assert_eq!(inputs.accept("0".into(), line("x\n")), Accepted::Queued);
}

#[test]
fn lines_have_the_ids_of_their_content() {
    let cases = [
        (
            r#"{"type":"user","uuid":"u","request_id":"r"}"#,
            Some("user:u"),
        ),
        (r#"{"type":"user","message":{}}"#, None),
        (
            r#"{"type":"control_request","request_id":"r","request":{}}"#,
            Some("control_request:r"),
        ),
        (
            r#"{"type":"control_response","response":{"request_id":"r"}}"#,
            Some("control_response:r"),
        ),
        (
            r#"{"type":"control_cancel_request","request_id":"r"}"#,
            Some("control_cancel_request:r"),
        ),
        (r#"{"type":"keep_alive"}"#, None),
        ("not JSON", None),
    ];
    for (text, id) in cases {
        assert_eq!(input_id(text.as_bytes()).as_deref(), id, "{text}");
    }
}
