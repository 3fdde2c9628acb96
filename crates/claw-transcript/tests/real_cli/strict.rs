//! The rules of the API for a list of messages.

use std::collections::HashSet;

use serde_json::Value;

/// Every reason for which the API would respond with 400.
pub(crate) fn refusals(messages: &[Value]) -> Vec<String> {
    let mut errors = Vec::new();
    if messages.is_empty() {
        errors.push("nothing was sent".to_owned());
    }
    // System messages are allowed between turns.
    let turns: Vec<&Value> = messages
        .iter()
        .filter(|message| message["role"] != "system")
        .collect();
    if turns.first().is_some_and(|first| first["role"] != "user") {
        errors.push("the first message is not the user's".to_owned());
    }
    for (at, message) in turns.iter().enumerate() {
        let next = turns.get(at + 1);
        let before = at.checked_sub(1).and_then(|at| turns.get(at));
        if next.is_some_and(|next| next["role"] == message["role"]) {
            errors.push(format!("two {} messages in a row", message["role"]));
        }
        if is_empty(&message["content"]) {
            errors.push(format!("message {at} is empty"));
        }
        let calls = ids(message, "tool_use", "id");
        let results = next.map(|next| ids(next, "tool_result", "tool_use_id"));
        let results = results.unwrap_or_default();
        for call in &calls {
            let answers = results.iter().filter(|result| *result == call).count();
            if answers != 1 {
                errors.push(format!("{call} has {answers} results in the next message"));
            }
        }
        if calls.iter().collect::<HashSet<_>>().len() != calls.len() {
            errors.push("a message has the same call twice".to_owned());
        }
        let asked = before.map(|before| ids(before, "tool_use", "id"));
        let asked = asked.unwrap_or_default();
        for result in ids(message, "tool_result", "tool_use_id") {
            if !asked.contains(&result) {
                errors.push(format!("the result of {result} does not follow its call"));
            }
        }
    }
    errors
}

fn is_empty(content: &Value) -> bool {
    match content {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(blocks) => {
            let is_blank = |block: &Value| {
                block["type"] == "text"
                    && block["text"]
                        .as_str()
                        .is_none_or(|text| text.trim().is_empty())
            };
            blocks.is_empty() || blocks.iter().any(is_blank)
        }
        _ => true,
    }
}

fn ids(message: &Value, kind: &str, member: &str) -> Vec<String> {
    let blocks = message["content"].as_array().into_iter().flatten();
    blocks
        .filter(|block| block["type"] == kind)
        .filter_map(|block| Some(block[member].as_str()?.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_that_the_api_rejects_are_found() {
        let user = |content: Value| json!({"role": "user", "content": content});
        let reply = |content: Value| json!({"role": "assistant", "content": content});
        let call = json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]);
        let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": "x"}]);
        let whole = [user(json!("a")), reply(call.clone()), user(result.clone())];
        assert_eq!(refusals(&whole), [""; 0]);
        for wrong in [
            vec![],
            vec![user(json!(""))],
            vec![user(json!("a")), user(json!("b"))],
            vec![reply(json!("a"))],
            vec![user(json!("a")), reply(call), user(json!("b"))],
            vec![user(json!("a")), reply(json!("b")), user(result)],
        ] {
            assert!(!refusals(&wrong).is_empty(), "{wrong:?}");
        }
    }
}
