//! What users send.

use std::collections::HashMap;

use claw_server::{ControllerInputPayload, TurnId};
use serde_json::json;

use crate::json_of;

#[test]
fn metadata_travels_along() {
    let mut payload = ControllerInputPayload::data(-1, "Hello", TurnId::new_user_turn(u64::MAX));
    insta::assert_snapshot!(json_of(&payload), @r#"{"session_id":-1,"content":"Hello","turn_id":{"role":"User","sequence":18446744073709551615}}"#);
    payload.metadata = Some(HashMap::from([("tags".to_owned(), json!(["a", null]))]));
    insta::assert_snapshot!(json_of(&payload), @r#"{"session_id":-1,"content":"Hello","turn_id":{"role":"User","sequence":18446744073709551615},"metadata":{"tags":["a",null]}}"#);
}

#[test]
fn null_metadata_is_none() {
    let text =
        r#"{"session_id":1,"content":"","turn_id":{"role":"User","sequence":1},"metadata":null}"#;
    let payload: ControllerInputPayload = serde_json::from_str(text).unwrap();
    assert_eq!(payload.metadata, None);
}
