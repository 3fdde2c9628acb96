//! Exporting.

#[path = "../../crates/claw-transcript/tests/it/export/inert.rs"]
mod inert;

use claw_transcript::{Export, Format};

/// An export is text in every format but that of raw lines, and a page is inert.
pub fn exporting(data: &[u8]) {
    let bytes = super::said::file(data);
    super::said::with_session(&bytes, |file, _| {
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
                Format::Json => drop(text.parse::<serde_json::Value>().expect("JSON")),
                Format::Document => text.lines().for_each(|line| {
                    line.parse::<serde_json::Value>().expect("a line of JSON");
                }),
                _ => {}
            }
        }
    });
}
