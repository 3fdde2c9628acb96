//! The examples of the documents that are messages of this crate.

use std::path::{Path, PathBuf};

use claw_server::{
    ClaudeResponse, ControllerInputPayload, EventBuilder, MobileMessage, MobileProjection, Output,
    ProgressUpdateMessage, TurnId, UiMessage,
};
use claw_testkit::figure::{Figure, record};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::testdata;

/// One entry of the index.
#[derive(Debug, serde::Deserialize)]
struct Example {
    file: String,
    #[serde(rename = "type")]
    rust_type: String,
}

const RESPONSE: &str = "002/02_mobile_claude_response.json";
const PROGRESS: &str = "002/03_mobile_progress_update.json";
const CHUNK: &str = "003/01_ui_message_text_chunk.json";
const PAYLOAD: &str = "003/02_controller_input_payload.json";
const RUST: usize = 9;

fn read(file: &str) -> String {
    text(&testdata("documents").join(file))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads an example. Returns a fault unless it is this value, and is written as printed: the same
/// members in the same order.
fn example<T>(file: &str, expected: T) -> Option<String>
where
    T: DeserializeOwned + Serialize + PartialEq,
{
    let text = read(file);
    let value: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let printed = if text.trim().contains('\n') {
        serde_json::to_string_pretty(&value)
    } else {
        serde_json::to_string(&value)
    };
    let is_same = value == expected && printed.unwrap() == text.trim();
    (!is_same).then(|| format!("{file} comes back otherwise"))
}

#[test]
fn examples_are_reproduced_as_printed() {
    let response = ClaudeResponse {
        content: "I'll run the test suite now. Running test 5 of 20...".to_owned(),
        conversation_id: "sess_123".to_owned(),
    };
    let progress = ProgressUpdateMessage {
        current_step: "Running tests".to_owned(),
        completed_steps: 5,
        total_steps: 20,
        percentage: 25.0,
    };
    let chunk = UiMessage::TextChunk {
        text: "Hello".to_owned(),
        session_id: 1,
        turn_id: TurnId::new_assistant_turn(1),
    };
    let payload = ControllerInputPayload::data(1, "Hi", TurnId::new_user_turn(1));
    let examples = [
        example(RESPONSE, MobileMessage::ClaudeResponse(response)),
        example(PROGRESS, MobileMessage::ProgressUpdate(progress)),
        example(CHUNK, chunk),
        example(PAYLOAD, payload),
    ];
    let all = examples.len();
    let mut faults: Vec<String> = examples.into_iter().flatten().collect();
    let json = all - faults.len();
    if translated() != [RESPONSE, PROGRESS].map(|file| read(file).trim().to_owned()) {
        faults.push("the CLI's line of 002 is translated otherwise".to_owned());
    }
    let (rust, missing) = rust_examples();
    let shown = rust - missing.len();
    faults.extend(
        missing
            .iter()
            .map(|path| format!("{} is in no doc test", path.display())),
    );
    let figure = Figure::new(
        "JSON examples and Rust examples of documents 002 and 003",
        "all reproduced exactly",
    )
    .measured(
        format!("{json} of {all} JSON texts come back byte for byte, {shown} of {rust} Rust examples are doc tests as printed"),
        rust == RUST && faults.is_empty(),
    )
    .note("The line of the CLI in 002 becomes the printed `claude_response` and `progress_update`, and nothing else, through event builder and projection.")
    .note("The doc tests run in the job `test` of CI.")
    .list("faults", faults);
    record("server-documents", vec![figure]);
}

/// The messages of a phone for the CLI's line in document 002.
fn translated() -> Vec<String> {
    let line: Value = serde_json::from_str(&read("002/01_claude_code_output.json")).unwrap();
    let mut output = Output::default();
    EventBuilder::new(1).line(0, line.to_string().as_str(), &mut output);
    let mut projection = MobileProjection::new("sess_123");
    let mut messages = Vec::new();
    for event in &output.events {
        projection.event(event, &mut messages);
    }
    let printed = messages.iter().map(serde_json::to_string_pretty);
    printed.collect::<Result<_, _>>().unwrap()
}

/// The number of Rust examples, and those that no doc test of the crate shows as printed.
fn rust_examples() -> (usize, Vec<PathBuf>) {
    let mut tests = Vec::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    doc_tests(&source, &mut tests);
    let mut examples = children(&testdata("documents/003/examples"));
    let count = examples.len();
    examples.retain(|path| {
        let text = text(path);
        let wanted: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let shows = |test: &Vec<String>| test.windows(wanted.len()).any(|shown| shown == wanted);
        wanted.is_empty() || !tests.iter().any(shows)
    });
    (count, examples)
}

/// The visible lines of each doc test below a folder, without empty lines.
fn doc_tests(folder: &Path, tests: &mut Vec<Vec<String>>) {
    for path in children(folder) {
        if path.is_dir() {
            doc_tests(&path, tests);
            continue;
        }
        // Pages that are included as documentation have no comment signs.
        let is_page = path.extension().is_some_and(|it| it == "md");
        let mut open: Option<Vec<String>> = None;
        for line in text(&path).lines() {
            let trimmed = line.trim_start();
            let comment = trimmed.strip_prefix("///").or(trimmed.strip_prefix("//!"));
            let comment = comment.map(|text| text.strip_prefix(' ').unwrap_or(text));
            let Some(line) = comment.or(is_page.then_some(line)) else {
                continue;
            };
            let is_hidden = line.is_empty() || line == "#" || line.starts_with("# ");
            match &mut open {
                None if line == "```" => open = Some(Vec::new()),
                Some(_) if line == "```" => tests.extend(open.take()),
                Some(lines) if !is_hidden => lines.push(line.to_owned()),
                _ => {}
            }
        }
    }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn index_has_no_other_examples_of_this_crate() {
    let index: Vec<Example> = serde_json::from_str(&read("index.json")).unwrap();
    let ours = index.iter().filter_map(|example| {
        let name = example.rust_type.strip_prefix("claw_server::")?;
        Some((example.file.as_str(), name))
    });
    assert_eq!(
        ours.collect::<Vec<_>>(),
        [
            (RESPONSE, "MobileMessage"),
            (PROGRESS, "MobileMessage"),
            (CHUNK, "UiMessage"),
            (PAYLOAD, "ControllerInputPayload"),
        ]
    );
}

#[test]
fn missing_members_are_errors() {
    let whole: Value = serde_json::from_str(&read(PAYLOAD)).unwrap();
    for member in ["session_id", "content", "turn_id"] {
        let mut less = whole.clone();
        less.as_object_mut().expect("an object").remove(member);
        let error = serde_json::from_value::<ControllerInputPayload>(less).unwrap_err();
        assert!(error.to_string().contains(member), "{error}");
    }
}
