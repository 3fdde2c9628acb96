//! A text is found however JSON writes it.

use claw_transcript::{SearchQuery, SearchRole};
use proptest::prelude::*;

use super::{count, hits, marked};
use crate::scratch::Scratch;

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// A prompt whose content is written as this JSON string.
fn line(content: &str) -> String {
    format!(
        r#"{{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"{ID}","timestamp":"2026-11-15T02:25:24.576Z","message":{{"role":"user","content":{content}}}}}"#
    )
}

fn session(content: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.session("-p", ID, line(content) + "\n");
    scratch
}

#[test]
fn every_way_to_write_a_character_is_understood() {
    let table = [
        // What is asked for, and how the file writes it.
        ("one\ntwo", r#""one\ntwo""#),
        ("one\ntwo", r#""one\u000atwo""#),
        ("one\ntwo", r#""one\u000Atwo""#),
        ("say \"hi\"", r#""say \"hi\"""#),
        ("say \"hi\"", r#""say \u0022hi\u0022""#),
        (r"C:\temp", r#""C:\\temp""#),
        (r"C:\temp", r#""C:\u005Ctemp""#),
        ("src/main.rs", r#""src/main.rs""#),
        ("src/main.rs", r#""src\/main.rs""#),
        ("src/main.rs", r#""src\u002fmain.rs""#),
        ("plain", r#""pl\u0061in""#),
        ("plain", r#""\u0070\u006c\u0061\u0069\u006e""#),
        ("café", r#""caf\u00e9""#),
        ("café", r#""caf\u00E9""#),
        ("café", r#""café""#),
        ("日本", r#""\u65e5\u672c""#),
        ("日本", r#""日\u672c""#),
        ("🦀!", r#""\ud83e\udd80!""#),
        ("🦀!", r#""🦀!""#),
        ("\u{1b}[31m", r#""\u001b[31m""#),
        ("\u{1b}[31m", r#""\u001B[31m""#),
        ("tab\there", r#""tab\there""#),
        ("\u{8}\u{c}\r", r#""\b\f\r""#),
        ("\u{2028}", "\"\u{2028}\""),
        ("<b>", r#""\u003cb\u003e""#),
    ];
    for (text, content) in table {
        let scratch = session(content);
        for query in [
            SearchQuery::phrase(text),
            SearchQuery::phrase(text).any_case(),
            SearchQuery::regex(escaped(text)),
        ] {
            let found = hits(&scratch, &query);
            assert_eq!(marked(&found), [text], "{text:?} in {content}: {query:?}");
            assert_eq!(found[0].role, SearchRole::User);
        }
    }
}

#[test]
fn what_json_is_written_with_is_no_text() {
    let scratch = session(r#""one\ntwo \u0041 \\n""#);
    for text in [
        "\\ntwo", "ntwo", "u0041", "uuid", "content", "u1", "\":", ID, "user",
    ] {
        assert_eq!(count(&scratch, SearchQuery::phrase(text)), 0, "{text}");
        let raw = SearchQuery::phrase(text).raw();
        assert_eq!(count(&scratch, raw), 1, "{text}");
    }
    assert_eq!(count(&scratch, SearchQuery::phrase("\\n")), 1);
}

#[test]
fn case_is_that_of_all_scripts() {
    for (asked, content) in [
        ("STRASSE", r#""strasse""#),
        ("kelvin", "\"\u{212a}ELVIN\""),
        ("kelvin", r#""\u212aelvin""#),
        ("ſet", r#""SET""#),
        ("σίσυφος", r#""ΣΊΣΥΦΟΣ""#),
        ("ПРИВЕТ", r#""\u043f\u0440\u0438\u0432\u0435\u0442""#),
        ("École", r#""\u00c9COLE""#),
    ] {
        let scratch = session(content);
        let folded = SearchQuery::phrase(asked).any_case();
        assert_eq!(count(&scratch, folded), 1, "{asked} in {content}");
        let regex = SearchQuery::regex(escaped(asked)).any_case();
        assert_eq!(count(&scratch, regex), 1, "{asked} in {content}");
        assert_eq!(count(&scratch, SearchQuery::phrase(asked)), 0, "{asked}");
    }
}

/// A text as a regular expression.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as a JSON string, every character that the choices name as an escape.
fn written(text: &str, choices: &[u8]) -> String {
    let mut out = String::from("\"");
    for (c, choice) in text.chars().zip(choices.iter().cycle()) {
        match (choice % 4, c) {
            (0, c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            (1, c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04X}"));
                }
            }
            (2, '/') => out.push_str("\\/"),
            (_, c) => {
                let json = serde_json::to_string(&c.to_string()).unwrap();
                out.push_str(&json[1..json.len() - 1]);
            }
        }
    }
    out + "\""
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// Any part of any text is found, however it is written.
    #[test]
    fn any_part_of_a_text_is_found(
        text in "([a-zA-Z \"\\\\/\n\t<>é日本Σ🦀\u{1b}]|\\PC|\\pC){1,40}",
        choices in proptest::collection::vec(any::<u8>(), 1..40),
        cut in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (a, b) = (cut.0.index(ends.len()), cut.1.index(ends.len()));
        let part = &text[ends[a.min(b)]..ends[a.max(b)]];
        for content in [written(&text, &choices), written(&text, &[0]), written(&text, &[3])] {
            let scratch = session(&content);
            for query in [SearchQuery::phrase(part), SearchQuery::phrase(part).any_case()] {
                let found = hits(&scratch, &query);
                prop_assert_eq!(found.len(), 1, "{:?} in {}", part, content);
                prop_assert!(part.is_empty() || !found[0].snippet.matches.is_empty());
            }
            let upper: String = part.chars().flat_map(char::to_uppercase).collect();
            if upper.chars().count() == part.chars().count() && upper.to_lowercase() == part {
                let query = SearchQuery::phrase(upper).any_case();
                prop_assert_eq!(count(&scratch, query), 1, "{:?} in {}", part, content);
            }
        }
    }
}
