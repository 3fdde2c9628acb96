//! The examples of the documents.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use claw_server::{
    ControllerInputPayload, MobileMessage, MobileProjection, Output, SessionLedger, UiMessage,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Inputs;
use super::document_examples;
use crate::prove::figure::Figure;

/// What is printed in the documents for this crate.
const JSON: usize = 4;
const RUST: usize = 9;

pub(super) fn measure(inputs: &Inputs) -> Result<Vec<Figure>> {
    let folder = inputs.root.join("testdata/documents");
    let mut faults = Vec::new();
    for (file, written) in [
        (
            "002/02_mobile_claude_response.json",
            again::<MobileMessage> as Again,
        ),
        ("002/03_mobile_progress_update.json", again::<MobileMessage>),
        ("003/01_ui_message_text_chunk.json", again::<UiMessage>),
        (
            "003/02_controller_input_payload.json",
            again::<ControllerInputPayload>,
        ),
    ] {
        let text = read(&folder, file)?;
        if written(&text)? != text.trim() {
            faults.push(format!("{file} comes back otherwise"));
        }
    }
    let json = JSON - faults.len();
    let printed = [
        read(&folder, "002/02_mobile_claude_response.json")?,
        read(&folder, "002/03_mobile_progress_update.json")?,
    ];
    if !translated(&folder)?
        .iter()
        .eq(printed.iter().map(|text| text.trim()))
    {
        faults.push("the CLI's line of 002 is translated otherwise".to_owned());
    }
    let (rust, missing) =
        document_examples::missing(&inputs.root).map_err(|error| anyhow!(error))?;
    let shown = rust - missing.len();
    faults.extend(
        missing
            .iter()
            .map(|path| format!("{path} is in no doc test")),
    );
    let passed = json == JSON && rust == RUST && faults.is_empty();
    Ok(vec![
        Figure::new(
            "JSON examples and Rust examples of documents 002 and 003",
            "all reproduced exactly",
        )
        .measured(
            format!("{json} of {JSON} JSON texts come back byte for byte, {shown} of {rust} Rust examples are doc tests as printed"),
            passed,
        )
        .note("The line of the CLI in 002 becomes the printed `claude_response` and `progress_update`, and nothing else, through ledger and projection.")
        .note("The doc tests run in the job `test` of CI.")
        .list("faults", faults),
    ])
}

type Again = fn(&str) -> Result<String>;

/// A text, read into its type and written as it was: on one line or on several.
fn again<T: DeserializeOwned + Serialize>(text: &str) -> Result<String> {
    let value: T = serde_json::from_str(text).context("an example cannot be read")?;
    Ok(if text.trim().contains('\n') {
        serde_json::to_string_pretty(&value)?
    } else {
        serde_json::to_string(&value)?
    })
}

/// The CLI's line in document 002, as a phone is told.
fn translated(folder: &Path) -> Result<Vec<String>> {
    let line: Value = serde_json::from_str(&read(folder, "002/01_claude_code_output.json")?)?;
    let mut output = Output::default();
    SessionLedger::new(1).line(0, line.to_string().as_str(), &mut output);
    let mut projection = MobileProjection::new("sess_123");
    let mut messages = Vec::new();
    for event in &output.events {
        projection.event(event, &mut messages);
    }
    let printed = messages.iter().map(serde_json::to_string_pretty);
    Ok(printed.collect::<Result<_, _>>()?)
}

fn read(folder: &Path, file: &str) -> Result<String> {
    std::fs::read_to_string(folder.join(file))
        .with_context(|| format!("cannot read testdata/documents/{file}"))
}
