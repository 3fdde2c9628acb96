//! Redacting.

use claw_transcript::{Pseudonyms, Redact, SessionFile};

use super::scratch::shown;

/// Checks that redacting keeps the number of lines, keeps JSON valid, and is idempotent.
pub fn redacting(data: &[u8]) {
    let original = super::conversation::file(data);
    let copy = redacted(&original);
    let (before, after) = (lines(&original), lines(&copy));
    assert_eq!(before.len(), after.len(), "{}", shown(&copy));
    for (before, after) in before.iter().zip(after) {
        if is_json(before) {
            assert!(is_json(after), "{}\n{}", shown(before), shown(after));
        }
    }
    let again = redacted(&copy);
    assert_eq!(
        shown(&again),
        shown(&copy),
        "a second time changes the copy"
    );
}

fn redacted(bytes: &[u8]) -> Vec<u8> {
    super::conversation::with_session(bytes, |file: &SessionFile, into| {
        let mut names = Pseudonyms::new();
        let report = Redact::new().session(file, &mut names, Some(into));
        let report = report.expect("a file can be redacted");
        let written = report.files.first().and_then(|file| file.written.clone());
        std::fs::read(written.expect("a copy")).expect("the copy can be read")
    })
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').collect()
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(line).is_ok()
}
