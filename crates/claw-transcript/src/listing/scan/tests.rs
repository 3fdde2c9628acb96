mod plain;

use proptest::prelude::*;

use super::*;

const KINDS: [Kind; 6] = [
    Kind::User,
    Kind::CustomTitle,
    Kind::AiTitle,
    Kind::Tag,
    Kind::Relocated,
    Kind::ContinuedIn,
];

/// Fragments of session files, complete and broken, from which the test builds texts.
const BITS: &[&str] = &[
    "{\"type\":\"user\"",
    "{\"type\": \"user\"",
    "{\"type\":\"custom-title\"",
    "{\"type\": \"custom-title\"",
    "{\"type\":\"ai-title\"",
    "{\"type\":\"tag\"",
    "{\"type\":\"relocated\"",
    "{\"type\": \"relocated\"",
    "{\"type\":\"users\"",
    "{\"a\":1",
    ",\"type\":\"user\"",
    ",\"type\":\"type\":\"tag\"",
    "\"type\":",
    ",\"customTitle\":\"One\"",
    ",\"customTitle\":\"T\\u00e9\\\"o\"",
    ",\"customTitle\":\"\"",
    ",\"customTitle\":7",
    ",\"aiTitle\":\"Made up\"",
    ",\"tag\":\"keep\"",
    ",\"relocatedCwd\":\"/new\"",
    ",\"gitBranch\":\"main\"",
    ",\"gitBranch\": \"side\"",
    ",\"gitBranch\":\"cut",
    ",\"gitBranch\":null",
    ",\"isMeta\":true",
    ",\"isMeta\": true",
    ",\"isMeta\":false",
    ",\"x\":{\"type\":\"user\"}",
    ",\"x\":\"é😀\"",
    "\\",
    "\"",
    " ",
    "}",
    "}",
    "}\n",
    "}\n",
    "}\r\n",
    "\n",
];

fn texts() -> impl Strategy<Value = String> {
    let bits = prop::collection::vec(prop::sample::select(BITS), 0..40);
    bits.prop_map(|bits| bits.concat())
}

proptest! {
    #[test]
    fn what_is_found_fast_is_what_is_found_plainly(text in texts()) {
        let piece = Piece::new(text.clone());
        for kind in KINDS {
            let name = kind.as_str();
            let fast: Vec<&str> = piece.lines_with(kind).collect();
            let slow: Vec<&str> = plain::lines_with(&text, name).collect();
            prop_assert_eq!(fast, slow);
            let compact = format!("\"type\":\"{name}\"");
            prop_assert_eq!(piece.has_compact(kind), text.contains(&compact));
            for member in ["customTitle", "aiTitle", "tag", "relocatedCwd"] {
                prop_assert_eq!(
                    piece.last_named(kind, member),
                    plain::last_named(&text, name, member)
                );
                prop_assert_eq!(
                    piece.last_of_type(kind, member),
                    plain::last_of_type(&text, name, member)
                );
            }
        }
        for key in ["customTitle", "gitBranch", "tag", "isMeta", "type"] {
            prop_assert_eq!(last_string(&text, key), plain::last_string(&text, key));
            prop_assert_eq!(first_raw(&text, key), plain::first_raw(&text, key));
            prop_assert_eq!(last_raw(&text, key), plain::last_raw(&text, key));
            for line in text.split('\n') {
                prop_assert_eq!(has_true(line, key), plain::has_true(line, key));
            }
        }
    }
}

#[test]
fn the_texts_of_the_test_have_what_is_looked_for() {
    let text = "{\"type\":\"custom-title\",\"customTitle\":\"One\"}\n\
                {\"a\":1{\"type\":\"custom-title\",\"customTitle\":\"Glued\"}\n\
                {\"type\":\"user\",\"gitBranch\":\"main\",\"isMeta\": true}\n\
                {\"type\":\"user\",\"gitBranch\":\"cut";
    let piece = Piece::new(text.to_owned());
    let title = piece.last_named(Kind::CustomTitle, "customTitle");
    assert_eq!(title.as_deref(), Some("Glued"));
    assert_eq!(piece.lines_with(Kind::User).count(), 2);
    assert_eq!(last_raw(text, "gitBranch").as_deref(), Some("main"));
}
