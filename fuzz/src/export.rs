//! Exporting.

#[path = "../../crates/claw-transcript/tests/it/export/inert.rs"]
mod inert;

use claw_transcript::{Export, Format};

/// An export is text in every format but that of raw lines, and a page is inert.
pub fn exporting(data: &[u8]) {
    let bytes = super::conversation::file(data);
    super::conversation::with_session(&bytes, |file, _| {
        for format in Format::ALL {
            let mut out = Vec::new();
            let export = Export::new(format).system(true);
            let written = export.write(std::slice::from_ref(file), &mut out);
            if written.is_err() || format == Format::Jsonl {
                continue;
            }
            let text = String::from_utf8(out).expect("an export is text");
            match format {
                Format::Html => inert::assert_inert(&text),
                Format::Json => assert_json(&text),
                Format::Document => text.lines().for_each(assert_json),
                _ => {}
            }
        }
    });
}

/// JSON by its grammar. A string may name half of a character, which exports pass on.
fn assert_json(text: &str) {
    let read = serde_json::from_str::<&serde_json::value::RawValue>(text);
    assert!(read.is_ok(), "{read:?}\n{text}");
}
