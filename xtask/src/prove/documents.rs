//! The JSON examples of the documents.

use std::path::Path;

use anyhow::{Context, Result};
use claw_server::{ControllerInputPayload, MobileMessage, UiMessage};
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::messages::{
    ApiMessage, ContentBlock, McpServerInfo, Message, StreamEvent, ToolInfo, UsageInfo,
};
use rusty_claw_protocol::wire::{Wire, read_all};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::compare;
use super::figure::Figure;

/// One line of `testdata/documents/index.json`.
#[derive(Debug, Deserialize)]
struct Example {
    file: String,
    from: Option<String>,
    #[serde(rename = "type")]
    rust_type: String,
    #[serde(default)]
    kept: Vec<String>,
}

pub(crate) fn figure(root: &Path) -> Result<Figure> {
    let folder = root.join("testdata/documents");
    let index = std::fs::read_to_string(folder.join("index.json"))
        .context("cannot read testdata/documents/index.json")?;
    let index: Vec<Example> =
        serde_json::from_str(&index).context("the index of the documents is not as expected")?;
    let (mut printed, mut structs, mut schemas, mut read) = (0, 0, 0, 0);
    let mut faults = Vec::new();
    for example in &index {
        let counted = match example.from.as_deref() {
            None => &mut printed,
            Some("an Elixir struct") => &mut structs,
            Some(_) => &mut schemas,
        };
        *counted += 1;
        let is_schema = matches!(example.from.as_deref(), Some(from) if from != "an Elixir struct");
        let text = std::fs::read_to_string(folder.join(&example.file))
            .with_context(|| format!("cannot read testdata/documents/{}", example.file))?;
        let kept = &example.kept;
        let fault = match example.rust_type.as_str() {
            "Message" => fault_of::<Message>(&text, kept),
            "ApiMessage" => fault_of::<ApiMessage>(&text, kept),
            "ContentBlock" => fault_of::<ContentBlock>(&text, kept),
            "UsageInfo" => fault_of::<UsageInfo>(&text, kept),
            "ToolInfo" => fault_of::<ToolInfo>(&text, kept),
            "McpServerInfo" => fault_of::<McpServerInfo>(&text, kept),
            "StreamEvent" => fault_of::<StreamEvent>(&text, kept),
            "claw_server::UiMessage" => {
                server_fault_of(&text, |event| matches!(event, UiMessage::Unknown(_)))
            }
            "claw_server::MobileMessage" => server_fault_of(&text, |message| {
                matches!(message, MobileMessage::Unknown(_))
            }),
            "claw_server::ControllerInputPayload" => {
                server_fault_of(&text, |_: &ControllerInputPayload| false)
            }
            other => Some(format!(
                "names the type {other}, which the proof does not know"
            )),
        };
        match fault {
            Some(fault) => faults.push(format!("{} {fault}", example.file)),
            None if !is_schema => read += 1,
            None => {}
        }
    }
    let all = printed + structs;
    let passed = printed == 47 && structs == 3 && read == all && faults.is_empty();
    Ok(Figure::new(
        "JSON examples in the documents as fixtures, read into the named types with every field present (44 in 000–002, two inline in 003, one in 004, and the three Elixir structs)",
        "all 47 + 3",
    )
    .measured(
        format!("{printed} + {structs} there, {read} of {all} read into their types"),
        passed,
    )
    .note(format!("and {schemas} made from the TypeScript schemas of 002"))
    .list("faults", faults))
}

/// The same for a type of the server crate. Those keep no member without a field, so that what
/// comes back is what the fields took, unless the whole message is unknown.
fn server_fault_of<T: DeserializeOwned + Serialize>(
    text: &str,
    is_unknown: impl FnOnce(&T) -> bool,
) -> Option<String> {
    let value: T = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("is not read: {error}")),
    };
    if is_unknown(&value) {
        return Some("is unknown to its type".to_owned());
    }
    let difference = compare::against_text(text, &value);
    let path = difference.lost.first().or(difference.invented.first())?;
    Some(format!("comes back with another {path}"))
}

fn fault_of<T: Wire + Serialize>(text: &str, kept: &[String]) -> Option<String> {
    let value: T = match read_all(text) {
        Ok(value) => value,
        Err(error) => return Some(format!("is not read: {error}")),
    };
    let difference = compare::against_text(text, &value);
    if let Some(path) = difference.lost.first().or(difference.invented.first()) {
        return Some(format!("comes back with another {path}"));
    }
    let audit = audit::<T>(text.as_bytes()).ok()?;
    if let Some(path) = audit.new_shapes.first() {
        return Some(format!("has a new shape at {path}"));
    }
    if let Some((path, tag)) = audit.unknown.first() {
        return Some(format!("has an unknown `{tag}` at {path}"));
    }
    let is_kept = |path: &str| {
        let member = path.rsplit(['.', '>']).next().unwrap_or_default();
        kept.iter().any(|kept| kept == member)
    };
    let path = audit.unread.iter().find(|path| !is_kept(path))?;
    Some(format!("has a member that no field takes: {path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_without_a_field_are_faults_unless_kept() {
        let text = r#"{"type":"text","text":"x","odd":1}"#;
        let fault = fault_of::<ContentBlock>(text, &[]).expect("a fault");
        assert!(fault.contains("odd"), "{fault}");
        assert_eq!(fault_of::<ContentBlock>(text, &["odd".to_owned()]), None);
        assert!(fault_of::<ContentBlock>("[]", &[]).is_some());
        assert!(fault_of::<ContentBlock>(r#"{"type":"news"}"#, &[]).is_some());
    }

    #[test]
    fn unknown_server_messages_and_members_without_a_field_are_faults() {
        let fault = |text: &str| {
            server_fault_of(text, |message| matches!(message, MobileMessage::Unknown(_)))
        };
        let good = r#"{"type":"claude_response","content":"x","conversationId":"s"}"#;
        assert_eq!(fault(good), None);
        assert!(fault(r#"{"type":"news"}"#).is_some());
        assert!(fault("[]").is_some());
        let odd = fault(r#"{"type":"claude_response","content":"x","conversationId":"s","odd":1}"#);
        assert!(odd.expect("a fault").contains("odd"));
    }
}
