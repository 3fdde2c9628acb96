//! Overlapping finds of random rules in random texts.

use proptest::prelude::*;

use super::*;

/// The text of a line, without its structure.
fn texts(value: &serde_json::Value, all: &mut String) {
    match value {
        serde_json::Value::String(text) => {
            all.push_str(text);
            all.push('\n');
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, all)),
        serde_json::Value::Object(members) => members.iter().for_each(|(name, item)| {
            all.push_str(name);
            all.push('\n');
            texts(item, all);
        }),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    /// Rules that overlap each other, detectors and known secrets leave nothing of any find, and
    /// JSON stays JSON.
    #[test]
    fn no_rule_leaves_what_another_found(
        words in prop::collection::vec("[a-c]{2,5}", 1..4),
        patterns in prop::collection::vec(
            ("[a-c]", 1_usize..6).prop_map(|(first, most)| format!("{first}[a-c@.]{{1,{most}}}")),
            0..3,
        ),
        said in prop::collection::vec("[a-c@. =\\\\\"{}é]{0,24}|password=[a-c@0-9]{4,12}|[a-c]{2,5}@[a-c]{2,5}\\.com", 1..8),
    ) {
        let mut rules: Vec<serde_json::Value> = patterns
            .iter()
            .enumerate()
            .map(|(at, pattern)| serde_json::json!({"name": format!("p{at}"), "regex": pattern}))
            .collect();
        rules.push(serde_json::json!({"name": "w", "words": words}));
        let rules = serde_json::json!({"rules": rules}).to_string();
        let redact = Redact::new()
            .only([Detector::Email, Detector::Assignment, Detector::UrlPassword])
            .rules(OwnRules::parse(&rules).expect("rules"));
        let nested = serde_json::json!({"token": said.join(" "), "x": said}).to_string();
        let line = serde_json::json!({
            "type": "user",
            "message": {"content": [
                {"type": "thinking", "thinking": said[0], "signature": "c2ln"},
                {"type": "tool_use", "input": {"thinking": said[0], "signature": said[0], "said": said}},
                {"type": "text", "text": nested},
            ]},
        })
        .to_string();
        let (new, _) = redacted(&redact, &line);
        let value: serde_json::Value = serde_json::from_str(&new).expect("still JSON");
        let mut left = String::new();
        texts(&value["message"]["content"][1]["input"], &mut left);
        for word in &words {
            let alone = regex::Regex::new(&format!(r"\b{word}\b")).expect("a word");
            prop_assert!(!alone.is_match(&left), "{} in {}", word, left);
        }
    }
}
