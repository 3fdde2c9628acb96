//! The examples of the documents that are messages of this crate.

use std::path::{Path, PathBuf};

use claw_server::{
    ClaudeResponse, ControllerInputPayload, MobileMessage, MobileProjection, Output,
    ProgressUpdateMessage, SessionLedger, TurnId, UiMessage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One line of the index, as far as this crate cares.
#[derive(Debug, serde::Deserialize)]
struct Example {
    file: String,
    #[serde(rename = "type")]
    rust_type: String,
}

fn read(file: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/documents");
    let path = folder.join(file);
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()))
}

/// Reads an example and checks that what is written has the same members, in the same order.
fn example<T: DeserializeOwned + Serialize>(file: &str) -> T {
    let text = read(file);
    let value: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let printed = if text.trim().contains('\n') {
        serde_json::to_string_pretty(&value)
    } else {
        serde_json::to_string(&value)
    };
    assert_eq!(printed.expect("an example can be written"), text.trim());
    value
}

#[test]
fn each_is_read_into_its_type_and_written_as_printed() {
    assert_eq!(
        example::<MobileMessage>("002/02_mobile_claude_response.json"),
        MobileMessage::ClaudeResponse(ClaudeResponse {
            content: "I'll run the test suite now. Running test 5 of 20...".to_owned(),
            conversation_id: "sess_123".to_owned(),
        })
    );
    assert_eq!(
        example::<MobileMessage>("002/03_mobile_progress_update.json"),
        MobileMessage::ProgressUpdate(ProgressUpdateMessage {
            current_step: "Running tests".to_owned(),
            completed_steps: 5,
            total_steps: 20,
            percentage: 25.0,
        })
    );
    assert_eq!(
        example::<UiMessage>("003/01_ui_message_text_chunk.json"),
        UiMessage::TextChunk {
            text: "Hello".to_owned(),
            session_id: 1,
            turn_id: TurnId::new_assistant_turn(1),
        }
    );
    assert_eq!(
        example::<ControllerInputPayload>("003/02_controller_input_payload.json"),
        ControllerInputPayload::data(1, "Hi", TurnId::new_user_turn(1))
    );
}

#[test]
fn these_four_are_all_that_the_index_has() {
    let index: Vec<Example> = serde_json::from_str(&read("index.json")).expect("the index is JSON");
    let ours: Vec<(&str, &str)> = index
        .iter()
        .filter_map(|example| {
            let name = example.rust_type.strip_prefix("claw_server::")?;
            Some((example.file.as_str(), name))
        })
        .collect();
    assert_eq!(
        ours,
        [
            ("002/02_mobile_claude_response.json", "MobileMessage"),
            ("002/03_mobile_progress_update.json", "MobileMessage"),
            ("003/01_ui_message_text_chunk.json", "UiMessage"),
            (
                "003/02_controller_input_payload.json",
                "ControllerInputPayload"
            ),
        ]
    );
}

#[test]
fn a_member_that_is_taken_away_is_missed() {
    let text = read("003/02_controller_input_payload.json");
    let whole: Value = serde_json::from_str(&text).expect("an example is JSON");
    for member in ["session_id", "content", "turn_id"] {
        let mut less = whole.clone();
        less.as_object_mut().expect("an object").remove(member);
        let error = serde_json::from_value::<ControllerInputPayload>(less).unwrap_err();
        assert!(error.to_string().contains(member), "{error}");
    }
}

#[test]
fn every_rust_example_of_the_server_document_is_a_doc_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (count, missing) = crate::document_examples::missing(&root).unwrap();
    assert_eq!(count, 9);
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_example_of_the_wrapper_document_is_translated_as_printed() {
    let line: Value = serde_json::from_str(&read("002/01_claude_code_output.json")).unwrap();
    let mut output = Output::default();
    SessionLedger::new(1).line(0, line.to_string().as_str(), &mut output);
    let mut projection = MobileProjection::new("sess_123");
    let mut messages = Vec::new();
    for event in &output.events {
        projection.event(event, &mut messages);
    }
    let printed: Vec<String> = messages
        .iter()
        .map(|message| serde_json::to_string_pretty(message).unwrap())
        .collect();
    assert_eq!(
        printed,
        [
            read("002/02_mobile_claude_response.json").trim(),
            read("002/03_mobile_progress_update.json").trim(),
        ]
    );
}
