//! Looking at one stdout line without parsing it into values.

use super::json_text;

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

/// Whether a line is of a kind (`type` or `type/subtype`) and contains a text.
pub(super) fn matches(line: &str, wanted: &str, text: Option<&str>) -> bool {
    if text.is_some_and(|text| !line.contains(text)) {
        return false;
    }
    let kind = kind(line);
    kind == wanted || kind.split('/').next() == Some(wanted)
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
        assert!(matches(line, "result", None));
        assert!(matches(line, "result/success", Some("hi")));
        assert!(!matches(line, "result/success", Some("ho")));
        assert!(!matches(line, "res", None));
    }
}
