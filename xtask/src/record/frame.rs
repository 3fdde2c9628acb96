//! Looking at one stdout line without parsing it into values.

use super::json_text;
use super::scenario::Pattern;

/// `type` or `type/subtype`; requests and stream events take the subtype of what they carry.
pub(super) fn kind(line: &str) -> String {
    let (mut kind, mut sub) = (None, None);
    let seen = json_text::visit(line, &mut |v| {
        let text = || {
            v.text
                .strip_prefix('"')
                .and_then(|t| t.strip_suffix('"'))
                .map(str::to_owned)
        };
        match v.path {
            "type" => kind = text(),
            "subtype" | "request.subtype" | "event.type" | "response.subtype" => sub = text(),
            _ => {}
        }
    });
    match (seen, kind, sub) {
        (None, ..) => "(not json)".to_owned(),
        (_, None, _) => "(no type)".to_owned(),
        (_, Some(kind), None) => kind,
        (_, Some(kind), Some(sub)) => format!("{kind}/{sub}"),
    }
}

/// Whether a line is what a scenario waits for.
pub(super) fn matches(line: &str, pattern: &Pattern) -> bool {
    if pattern
        .text
        .as_ref()
        .is_some_and(|text| !line.contains(text.as_str()))
    {
        return false;
    }
    let kind = kind(line);
    kind == pattern.kind || kind.split('/').next() == Some(pattern.kind)
}

/// Whether a line is the reply to this request.
pub(super) fn replies_to(line: &str, id: &str) -> bool {
    line.contains("control_response") && text(line, "response.request_id").as_deref() == Some(id)
}

/// The string at a path.
pub(super) fn text(line: &str, path: &str) -> Option<String> {
    json_text::string_at(line, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_found_wherever_the_keys_are() {
        assert_eq!(
            kind(r#"{"is_error":false,"subtype":"success","type":"result"}"#),
            "result/success"
        );
        assert_eq!(
            kind(r#"{"type":"control_request","request":{"subtype":"can_use_tool"}}"#),
            "control_request/can_use_tool"
        );
        assert_eq!(
            kind(r#"{"type":"stream_event","event":{"type":"ping","x":"\ud83d"}}"#),
            "stream_event/ping"
        );
        assert_eq!(kind("nonsense"), "(not json)");
    }

    #[test]
    fn patterns_take_a_type_or_a_subtype_and_a_text() {
        let line = r#"{"type":"result","subtype":"success","result":"hi"}"#;
        let pattern = |kind, text: Option<&str>| Pattern {
            kind,
            text: text.map(str::to_owned),
        };
        assert!(matches(line, &pattern("result", None)));
        assert!(matches(line, &pattern("result/success", Some("hi"))));
        assert!(!matches(line, &pattern("result/success", Some("ho"))));
        assert!(!matches(line, &pattern("res", None)));
    }
}
