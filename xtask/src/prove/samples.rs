//! Generated samples of every declared type.

use anyhow::Result;
use rusty_claw_protocol::Json;
use rusty_claw_protocol::control::{AccountInfo, ControlPayload};
use rusty_claw_protocol::hook::{HookInput, HookOutput};
use rusty_claw_protocol::messages::Message;
use rusty_claw_protocol::tool::ToolView;
use rusty_claw_protocol::wire::{Wire, read_all};
use serde::Serialize;
use serde_json::json;

use super::compare::{self, Difference};
use super::figure::Figure;
use crate::drift::tool_name;
use crate::type_file::samples::{Sample, SampleFile};

pub(crate) fn figure(files: &[SampleFile]) -> Result<Figure> {
    let mut counts = Vec::new();
    let (mut failures, mut lost) = (Vec::new(), Vec::new());
    for file in files {
        counts.push(format!("{} {}", file.samples.len(), file.stem));
        for sample in &file.samples {
            let place = format!(
                "{} ({:?}, {})",
                sample.name, sample.variant, sample.alternative
            );
            match read(file.stem, sample)? {
                None => failures.push(place),
                Some(difference) => {
                    let all = difference.lost.iter().chain(&difference.invented);
                    lost.extend(all.map(|path| format!("{place}: {path}")));
                }
            }
        }
    }
    let passed = failures.is_empty() && lost.is_empty() && !files.is_empty();
    Ok(Figure::new(
        "generated samples from the type file, all fields and required only: failures / values lost",
        "0 / 0",
    )
    .measured(format!("{} / {}", failures.len(), lost.len()), passed)
    .note(format!("samples: {}", counts.join(", ")))
    .list("failures", failures)
    .list("values lost or invented", lost))
}

/// Reads a sample into its type and writes it again; none when it cannot be read.
fn read(file: &str, sample: &Sample) -> Result<Option<Difference>> {
    let text = serde_json::to_string(&sample.value)?;
    Ok(
        match (file, sample.subtype.as_deref(), sample.name.as_str()) {
            ("messages" | "control_requests", ..) => through::<Message>(&text),
            ("control_responses", Some(subtype), _) => {
                let frame = json!({"type": "control_request", "request_id": "1", "request": {"subtype": subtype}});
                answer(&frame.to_string(), &text)
            }
            ("control_responses", None, "AccountInfo") => through::<AccountInfo>(&text),
            ("control_responses", None, _) => {
                let frame = json!({"type": "control_response", "response": sample.value});
                through::<Message>(&frame.to_string())
            }
            ("hooks", _, name) if name.ends_with("JSONOutput") => through::<HookOutput>(&text),
            ("hooks", ..) => through::<HookInput>(&text),
            ("tools", _, name) => tool(name, sample, &text)?,
            _ => None,
        },
    )
}

fn through<T: Wire + Serialize>(text: &str) -> Option<Difference> {
    let value: T = read_all(text).ok()?;
    Some(compare::against_text(text, &value))
}

fn answer(frame: &str, text: &str) -> Option<Difference> {
    let Ok(Message::ControlRequest { request, .. }) = Message::from_json(frame) else {
        return None;
    };
    let payload = ControlPayload::read(&request, &Json::from_text(text).ok()?);
    match payload {
        ControlPayload::Unknown(_) => None,
        typed => Some(compare::against_text(text, &typed)),
    }
}

/// Tool inputs travel as text in a message, with a typed view over them: both must give it back.
fn tool(name: &str, sample: &Sample, text: &str) -> Result<Option<Difference>> {
    let tool = tool_name(name);
    let Some(view) = ToolView::of(&tool, &Json::from_text(text)?).to_json() else {
        return Ok(None);
    };
    let line = json!({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "tool_use", "id": "t", "name": tool, "input": sample.value}
    ]}});
    let Some(mut difference) = through::<Message>(&line.to_string()) else {
        return Ok(None);
    };
    let of_view = compare::against_text(text, &view);
    let mark = |path: String| format!("(view){path}");
    difference.lost.extend(of_view.lost.into_iter().map(mark));
    difference
        .invented
        .extend(of_view.invented.into_iter().map(mark));
    Ok(Some(difference))
}
