//! Redaction of lines.

use std::sync::LazyLock;

use claw_testkit::processes::cpu_time;

use super::*;

mod examples;
mod leaks;
mod overlaps;
mod twice;

/// Redacts a line. Also returns the report of its file.
fn redacted(redact: &Redact, line: &str) -> (String, RedactedFile) {
    // Shared, because patterns are slow to compile.
    static DEFAULT: LazyLock<Finder> = LazyLock::new(|| {
        Finder::new(&OwnRules::default(), Detector::is_default, ENTROPY).expect("patterns compile")
    });
    let wanted = |detector| redact.detectors.contains(&detector);
    let usual = redact.rules.rules.is_empty()
        && Detector::ALL
            .into_iter()
            .all(|d| wanted(d) == d.is_default());
    let own =
        (!usual).then(|| Finder::new(&redact.rules, wanted, ENTROPY).expect("patterns compile"));
    let finder = own.as_ref().unwrap_or(&DEFAULT);
    let renamed = (
        "11111111-0000-4000-8000-000000000001".to_owned(),
        "new-id".to_owned(),
    );
    let mut names = Pseudonyms::new();
    let mut pass = Pass::new(finder, &mut names);
    pass.json(line.as_bytes());
    let known = Known::new(finder, &names).expect("words");
    let mut pass = Pass::new(finder, &mut names);
    pass.known = known.as_ref();
    pass.images = redact.images;
    pass.renamed = redact.new_id.then_some(&renamed);
    pass.listed = 100;
    pass.line = 1;
    pass.json(line.as_bytes());
    let new = pass.apply(line.as_bytes());
    let new = new.unwrap_or_else(|| line.as_bytes().to_vec());
    (String::from_utf8(new).expect("text stays text"), pass.file)
}

#[test]
fn only_texts_change_and_nothing_around_them() {
    let cases = [
        // Spacing, order, duplicate names, numbers and escapes elsewhere are kept.
        (
            r#" { "b" : 1.0e5 ,"a":"x\u0041 a@b.io\n/\/", "b":  9007199254740993 } "#,
            r#" { "b" : 1.0e5 ,"a":"x\u0041 [email-1]\n/\/", "b":  9007199254740993 } "#,
        ),
        // Found through escapes, at the edges of words and inside.
        (
            r#"{"text":"one\na@b.io\ttwo \u0061\u0040b.io \"a@b.io\" C:\\Users\\bob\\x"}"#,
            r#"{"text":"one\n[email-1]\ttwo [email-1] \"[email-1]\" C:\\Users\\user-1\\x"}"#,
        ),
        // Structural members are kept unchanged; other members with such names are redacted.
        (
            r#"{"uuid":"a@b.io","tail":["a@b.io"],"message":{"id":"a@b.io","content":[{"type":"tool_use","id":"a@b.io","input":{"id":"a@b.io","tail":["a@b.io"]}}]}}"#,
            r#"{"uuid":"a@b.io","tail":["[email-1]"],"message":{"id":"a@b.io","content":[{"type":"tool_use","id":"a@b.io","input":{"id":"[email-1]","tail":["[email-1]"]}}]}}"#,
        ),
        // Names of members that are paths.
        (
            r#"{"files":{"/home/bob/a.txt":{"cwd":"/home/bob"}}}"#,
            r#"{"files":{"/home/user-1/a.txt":{"cwd":"/home/user-1"}}}"#,
        ),
        // A truncated line, and one that is not JSON.
        (
            r#"{"type":"user","message":{"content":"x\na@b.io and c@d.io"#,
            r#"{"type":"user","message":{"content":"x\n[email-1] and [email-2]"#,
        ),
        ("plain a@b.io", "plain [email-1]"),
        ("\"a@b.io\"", "\"[email-1]\""),
        ("", ""),
    ];
    for (line, expected) in cases {
        assert_eq!(redacted(&Redact::new(), line).0, expected);
    }
}

#[test]
fn hexadecimal_text_around_a_secret_is_kept() {
    let hex = |text: &str| -> String { text.bytes().map(|byte| format!("{byte:02x}")).collect() };
    let text = |email: &str, other: &str| {
        let (before, after) = (hex("\0grüße an "), hex(" und an \u{1}viele "));
        format!(r#"{{"a":"{before}{email}{after}{other}{after}"}}"#)
    };
    let line = text(&hex("jane@corp.com"), &hex("joe@corp.com"));
    let expected = text("[email-1]", "[email-2]");
    assert_eq!(redacted(&Redact::new(), &line).0, expected);
}

#[test]
fn many_keywords_take_no_square() {
    let jwts = "-eyJ".repeat(20_000);
    let passwords = "password=".repeat(4_000);
    let lines = format!("{}\n", "-eyJ".repeat(100)).repeat(10);
    for text in [format!("{jwts} {jwts}"), passwords, lines] {
        let line = serde_json::json!({ "a": text }).to_string();
        let start = cpu_time();
        assert_eq!(redacted(&Redact::new(), &line).0, line);
        let used = cpu_time() - start;
        assert!(used.as_secs() < 20, "{} {used:?}", &text[..9]);
    }
}

#[test]
fn changed_thinking_loses_its_signature_and_other_thinking_keeps_it() {
    let line = r#"{"message":{"content":[{"type":"thinking","thinking":"ask a@b.io","signature":"c2ln"},{"signature":"c2ln","thinking":"ask Bob","type":"thinking"},{"type":"redacted_thinking","data":"YUBiLmlv"}]}}"#;
    let (new, file) = redacted(&Redact::new(), line);
    let expected = line
        .replacen("a@b.io", "[email-1]", 1)
        .replacen("c2ln", "", 1);
    assert_eq!((new, file.signatures_emptied), (expected, 1));
}

#[test]
fn pictures_become_a_pixel_only_when_asked() {
    let line = r#"{"message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlhAAAA"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xCuLj"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a@b.io"}}]},"toolUseResult":{"file":{"base64":"aWNvbg==","type":"image/png"}}}"#;
    let (new, file) = redacted(&Redact::new(), line);
    assert_eq!(new, line.replace("a@b.io", "[email-1]"));
    assert_eq!((file.images_replaced, file.not_searched), (0, 3));
    let (new, file) = redacted(&Redact::new().images(true), line);
    let expected = line
        .replace("a@b.io", "[email-1]")
        .replace("R0lGODlhAAAA", pixel::pixel("image/gif").1)
        .replace("aWNvbg==", pixel::pixel("image/png").1);
    assert_eq!(new, expected);
    assert_eq!((file.images_replaced, file.not_searched), (2, 1));
}

#[test]
fn a_new_id_stands_wherever_the_old_one_did() {
    let line = r#"{"sessionId":"11111111-0000-4000-8000-000000000001","cwd":"/home/bob","path":"/p/11111111-0000-4000-8000-000000000001/x"}"#;
    let (new, _) = redacted(&Redact::new().new_id(true), line);
    assert_eq!(
        new,
        r#"{"sessionId":"new-id","cwd":"/home/user-1","path":"/p/new-id/x"}"#
    );
}

#[test]
fn own_rules_come_first_and_detectors_can_be_chosen() {
    let rules = r#"{"rules":[
        {"name":"customer","words":["acme","Foo & Sons"],"ignoreCase":true},
        {"name":"ticket","regex":"OPS-([0-9]+)"}]}"#;
    let redact = Redact::new().rules(OwnRules::parse(rules).expect("rules"));
    let line = r#"{"a":"Acme, acmeology, Foo & Sons, OPS-12, x@acme.com","acme":"ACME"}"#;
    let (new, _) = redacted(&redact, line);
    assert_eq!(
        new,
        r#"{"a":"[customer-1], acmeology, [customer-2], OPS-[ticket-1], [email-1]","[customer-3]":"[customer-4]"}"#
    );
    let some = Redact::new()
        .only([Detector::Ipv4, Detector::Host])
        .without(Detector::Ipv4);
    let (new, _) = redacted(&some, r#"{"a":"https://db.corp/x a@b.io 10.1.2.3"}"#);
    assert_eq!(new, r#"{"a":"https://host-1.invalid/x a@b.io 10.1.2.3"}"#);
    for bad in [
        r#"{"rules":[{"name":"A b","words":["x"]}]}"#,
        r#"{"rules":[{"name":"email","words":["x"]}]}"#,
        r#"{"rules":[{"name":"x"}]}"#,
        r#"{"rules":[{"name":"x","regex":"("}]}"#,
        r#"{"rules":[{"name":"x","regexp":"a"}]}"#,
    ] {
        assert!(OwnRules::parse(bad).is_err(), "{bad}");
    }
}
