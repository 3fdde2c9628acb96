//! Structs that a release can extend without breaking programs, and how those build them.

use std::fs;
use std::path::{Path, PathBuf};

use rusty_claw_macros::Wire;
use rusty_claw_protocol::messages::{ApiMessage, AssistantMessage, ModelUsage};
use rusty_claw_protocol::{Extra, Str};

/// Public structs with public fields that programs may build by a literal, with the reason.
const OPEN_TO_LITERALS: [(&str, &str); 4] = [
    ("Field", "the derive of other crates writes it as a literal"),
    (
        "MemberKey",
        "the reading code's own; a key and its number are all of it",
    ),
    ("Shape", "the derive of other crates writes it as a literal"),
    (
        "Variant",
        "the derive of other crates writes it as a literal",
    ),
];

#[test]
fn every_decoded_struct_is_non_exhaustive() {
    let mut files = Vec::new();
    sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    let (mut marked, mut open) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (name, non_exhaustive) in structs_with_public_fields(&text) {
            if non_exhaustive {
                marked += 1;
            } else {
                open.push(name);
            }
        }
    }
    open.sort();
    let reasons = OPEN_TO_LITERALS.map(|(name, _)| name);
    assert_eq!(
        open, reasons,
        "declare the struct with #[wire_type] or #[non_exhaustive], or write its reason above"
    );
    assert!(marked > 500, "only {marked} structs were found");
}

#[test]
fn the_scan_sees_a_struct_without_the_attribute() {
    let text = "#[derive(Wire)]\npub struct Open {\n    pub a: Str,\n}\n\n\
        #[derive(Wire)]\n#[non_exhaustive]\n#[wire(own_new)]\npub struct Marked {\n    pub a: Str,\n}\n\n\
        #[wire_type(own_new)]\npub struct Declared {\n    pub a: Str,\n}\n\n\
        pub struct Private {\n    a: Str,\n}\n";
    assert_eq!(
        structs_with_public_fields(text),
        [("Open", false), ("Marked", true), ("Declared", true)]
            .map(|(name, marked)| (name.to_owned(), marked))
    );
}

#[test]
fn a_constructor_takes_what_the_wire_requires() {
    let mut answer = AssistantMessage::new(ApiMessage::user("Hello"));
    answer.request_id = Some("req_1".into());
    assert_eq!(answer.message.content.text(), "Hello");
    assert!(answer.error.is_none() && answer.extra.is_empty());
    let usage = ModelUsage::new(10, 5, 0, 0, 0, 0.25, 200_000, 1);
    assert_eq!((usage.input_tokens, usage.cost_usd), (10, 0.25));
}

/// A member that the wire gains later must not change the constructor's parameters.
#[derive(Debug, Clone, Default, PartialEq, Wire)]
#[expect(unreachable_pub, reason = "only a public struct gets a constructor")]
pub struct Extended {
    pub name: Str,
    #[wire(later)]
    pub level: u64,
    pub note: Option<String>,
    pub extra: Extra,
}

#[test]
fn a_later_member_is_required_but_no_parameter() {
    let text = serde_json::to_string(&Extended::new("a")).unwrap();
    assert_eq!(text, r#"{"name":"a","level":0}"#);
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The public structs of a source file that have a public field, and whether the attributes in
/// front of each make it `#[non_exhaustive]`.
fn structs_with_public_fields(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut non_exhaustive = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("pub struct ") {
            let name = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap();
            let body = lines
                .by_ref()
                .take_while(|line| *line != "}" && rest.ends_with('{'));
            if body.into_iter().any(|line| line.starts_with("    pub ")) {
                found.push((name.to_owned(), non_exhaustive));
            }
        }
        non_exhaustive |= line == "#[non_exhaustive]" || line.starts_with("#[wire_type");
        non_exhaustive &= line.starts_with("#[") || line.starts_with("///");
    }
    found
}
