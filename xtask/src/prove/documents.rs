//! The JSON examples of the documents.

use std::path::Path;

use anyhow::{Context, Result};
use rusty_claw_protocol::audit::audit;
use rusty_claw_protocol::messages::{
    ApiMessage, ContentBlock, McpServerInfo, Message, StreamEvent, ToolInfo, UsageInfo,
};
use rusty_claw_protocol::wire::{Wire, read_all};
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
    /// The type that it gets when the crate that has it exists.
    becomes: Option<String>,
    #[serde(default)]
    kept: Vec<String>,
}

pub(crate) fn figure(root: &Path) -> Result<Figure> {
    let folder = root.join("testdata/documents");
    let index = std::fs::read_to_string(folder.join("index.json"))
        .context("cannot read testdata/documents/index.json")?;
    let index: Vec<Example> =
        serde_json::from_str(&index).context("the index of the documents is not as expected")?;
    let (mut printed, mut structs, mut schemas, mut later) = (0, 0, 0, Vec::new());
    let mut faults = Vec::new();
    for example in &index {
        match example.from.as_deref() {
            None => printed += 1,
            Some("an Elixir struct") => structs += 1,
            Some(_) => schemas += 1,
        }
        let text = std::fs::read_to_string(folder.join(&example.file))
            .with_context(|| format!("cannot read testdata/documents/{}", example.file))?;
        let fault = match (example.rust_type.as_str(), &example.becomes) {
            (_, Some(name)) => {
                later.push(format!(
                    "{}: `{name}` belongs to a crate that does not exist yet; read as plain JSON",
                    example.file
                ));
                continue;
            }
            ("Message", _) => fault_of::<Message>(&text, &example.kept),
            ("ApiMessage", _) => fault_of::<ApiMessage>(&text, &example.kept),
            ("ContentBlock", _) => fault_of::<ContentBlock>(&text, &example.kept),
            ("UsageInfo", _) => fault_of::<UsageInfo>(&text, &example.kept),
            ("ToolInfo", _) => fault_of::<ToolInfo>(&text, &example.kept),
            ("McpServerInfo", _) => fault_of::<McpServerInfo>(&text, &example.kept),
            ("StreamEvent", _) => fault_of::<StreamEvent>(&text, &example.kept),
            (other, _) => Some(format!(
                "names the type {other}, which the proof does not know"
            )),
        };
        faults.extend(fault.map(|fault| format!("{} {fault}", example.file)));
    }
    let read = printed + structs - faults.len().min(printed + structs);
    let passed = printed == 47 && structs == 3 && faults.is_empty() && later.is_empty();
    Ok(Figure::new(
        "JSON examples in the documents as fixtures, read into the named types with every field present (44 in 000–002, two inline in 003, one in 004, and the three Elixir structs)",
        "all 47 + 3",
    )
    .measured(
        format!("{printed} + {structs} there, {} read into their types", read.saturating_sub(later.len())),
        passed,
    )
    .note(format!("and {schemas} made from the TypeScript schemas of 002"))
    .list("not yet in their own type", later)
    .list("faults", faults))
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
}
