//! Looking at one stdout line without parsing it into values.

use super::json_text;

/// `type` or `type/subtype`; requests and stream events take the subtype of what they carry.
pub(super) fn kind(line: &str) -> String {
    let (mut kind, mut sub) = (None, None);
    let seen = json_text::visit(line, &mut |v| match v.path {
        "type" => kind = v.string().map(str::to_owned),
        "subtype" | "request.subtype" | "event.type" | "response.subtype" => {
            sub = v.string().map(str::to_owned);
        }
        _ => {}
    });
    match (seen, kind, sub) {
        (None, ..) => "(not json)".to_owned(),
        (_, None, _) => "(no type)".to_owned(),
        (_, Some(kind), None) => kind,
        (_, Some(kind), Some(sub)) => format!("{kind}/{sub}"),
    }
}

/// Whether a line is of a kind (`type` or `type/subtype`) and contains a text.
pub(super) fn matches(line: &str, wanted: &str, text: &str) -> bool {
    let is_kind = |kind: &str| kind == wanted || kind.split('/').next() == Some(wanted);
    line.contains(text) && is_kind(&kind(line))
}

/// Whether a line is the reply to this request.
pub(super) fn replies_to(line: &str, id: &str) -> bool {
    let reply = || json_text::string_at(line, "response.request_id");
    line.contains("control_response") && reply().as_deref() == Some(id)
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
        assert!(matches(line, "result", ""));
        assert!(matches(line, "result/success", "hi"));
        assert!(!matches(line, "result/success", "ho"));
        assert!(!matches(line, "res", ""));
    }
}
