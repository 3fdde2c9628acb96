//! Lines in the format of the CLI.

use std::borrow::Cow;

use crate::Json;

/// Removes white space between the tokens of a JSON text.
///
/// The CLI searches for sessions of other folders by their bytes and does not find a line that was
/// written with spaces, and a line must not contain a newline. The CLI's own lines are compact
/// already and are returned unchanged.
pub(super) fn compact(text: &str) -> Cow<'_, str> {
    let mut in_string = false;
    let mut escaped = false;
    for byte in text.bytes() {
        if !in_string && matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            return Cow::Owned(without_space(text));
        }
        if byte == b'"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && byte == b'\\' && !escaped;
    }
    Cow::Borrowed(text)
}

fn without_space(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let mut escaped = false;
    for c in text.chars() {
        if !in_string && matches!(c, ' ' | '\t' | '\n' | '\r') {
            continue;
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// The metadata of a subagent, if a line contains it.
///
/// The CLI stores it in `agent-<id>.meta.json` and mirrors it as a line of the type
/// `agent_metadata`. The last one counts.
pub(super) fn agent_metadata(entry: &Json) -> Option<String> {
    let peek = crate::Peek::new(entry.text().as_bytes())?;
    if peek.kind() != "agent_metadata" {
        return None;
    }
    let mut value = entry.to_value();
    value.as_object_mut()?.remove("type");
    Some(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_between_tokens_goes_and_nothing_else() {
        let table = [
            (r#"{"a":1,"b":[true,null]}"#, r#"{"a":1,"b":[true,null]}"#),
            ("{ \"a\" : 1,\n\t\"b\":[ ]\r\n}", r#"{"a":1,"b":[]}"#),
            (r#"{"a b":"c  d \" e \\"}"#, r#"{"a b":"c  d \" e \\"}"#),
            (
                r#"{"a b": "c  d \" e \\" , "f":" g"}"#,
                r#"{"a b":"c  d \" e \\","f":" g"}"#,
            ),
            (
                r#"{"a": "\ud83d", "b": 1.50}"#,
                r#"{"a":"\ud83d","b":1.50}"#,
            ),
            ("{\"a\": \"\u{2028} ü\"}", "{\"a\":\"\u{2028} ü\"}"),
        ];
        for (text, expected) in table {
            assert_eq!(compact(text), expected);
        }
        assert!(matches!(compact(r#"{"a":" "}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn metadata_loses_its_type_only() {
        let entry = Json::from_text(r#"{"type":"agent_metadata","agentType":"x","finished":true}"#)
            .unwrap();
        assert_eq!(
            agent_metadata(&entry).as_deref(),
            Some(r#"{"agentType":"x","finished":true}"#)
        );
        let other = Json::from_text(r#"{"type":"user","agentType":"x"}"#).unwrap();
        assert_eq!(agent_metadata(&other), None);
    }
}
