//! The shapes of attachments and request records, from a recorded session.
//!
//! They are most of the bytes of a session file. Recordings omit long texts and note how long
//! they were; here they are filled with words up to that length.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::word;
use crate::dice::Dice;

/// From a session that the CLI of this version wrote, with all texts left out.
const RECORDED: &str = include_str!("shapes.jsonl");
/// The version whose lines the shapes are.
pub(super) const VERSION: &str = "2.1.325";

/// What the lines of a recorded session look like.
#[derive(Debug, Clone)]
pub(super) struct Shapes {
    /// Members of attachment lines, up to the id: those of the first turn.
    pub(super) opening: Vec<Attachment>,
    /// The snapshot of the prompt, which is repeated now and then.
    pub(super) snapshot: Attachment,
    /// The system prompt and the tools.
    pub(super) request_shape: String,
    /// Messages that are in no other line.
    pub(super) blobs: Vec<String>,
    /// Parameters of a request, up to and behind the model.
    pub(super) params: (String, String),
}

/// The members of an attachment line that are not the same for all lines.
#[derive(Debug, Clone)]
pub(super) struct Attachment {
    /// Before the id, with a comma behind.
    pub(super) head: String,
    /// Behind the time, with a comma before.
    pub(super) tail: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recorded<'a> {
    #[serde(rename = "type", default)]
    kind: &'a str,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    rendered: Option<&'a RawValue>,
    #[serde(borrow)]
    rendered_role: Option<&'a RawValue>,
    #[serde(borrow)]
    shape: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

impl Shapes {
    /// The recorded shapes in the sizes that they had; `None` if one is missing.
    pub(super) fn recorded() -> Option<Self> {
        Self::read(full_length)
    }

    /// The same with short texts, for sessions that are to be small.
    pub(super) fn small() -> Option<Self> {
        Self::read(str::to_owned)
    }

    fn read(grown: fn(&str) -> String) -> Option<Self> {
        let mut opening = Vec::new();
        let mut snapshot = None;
        let mut request_shape = None;
        let mut blobs = Vec::new();
        let mut params = None;
        for line in RECORDED.lines() {
            let Ok(line) = serde_json::from_str::<Recorded<'_>>(line) else {
                continue;
            };
            match (line.kind, line.attachment) {
                ("attachment", Some(attachment)) => {
                    let attachment = attachment.get();
                    let is_snapshot = attachment.starts_with(r#"{"type":"prompt_snapshot""#);
                    let member = |name: &str, value: Option<&RawValue>| {
                        value.map_or_else(String::new, |value| {
                            format!(",\"{name}\":{}", grown(value.get()))
                        })
                    };
                    let attachment = Attachment {
                        head: format!(
                            "\"attachment\":{},\"type\":\"attachment\",",
                            grown(attachment)
                        ),
                        tail: member("rendered", line.rendered)
                            + &member("renderedRole", line.rendered_role),
                    };
                    if is_snapshot {
                        snapshot = Some(attachment);
                    } else {
                        opening.push(attachment);
                    }
                }
                ("api-request-shape", _) if request_shape.is_none() => {
                    request_shape = line.shape.map(|shape| grown(shape.get()));
                }
                ("api-request-blob", _) if blobs.len() < 2 => {
                    blobs.extend(line.message.map(|message| grown(message.get())));
                }
                ("api-request", _) if params.is_none() => {
                    params = line.params.and_then(|params| around_model(params.get()));
                }
                _ => {}
            }
        }
        Some(Self {
            opening,
            snapshot: snapshot?,
            request_shape: request_shape?,
            blobs,
            params: params?,
        })
    }
}

/// The texts before and behind the value of `model`.
fn around_model(params: &str) -> Option<(String, String)> {
    let (before, after) = params.split_once("\"model\":\"")?;
    let (_, after) = after.split_once('"')?;
    Some((format!("{before}\"model\":\""), format!("\"{after}")))
}

/// Gives left-out texts their length back, and left-out tools their number.
fn full_length(json: &str) -> String {
    let mut dice = Dice::new(json.len() as u64);
    let mut out = String::with_capacity(json.len() * 8);
    let mut rest = json;
    while let Some((before, after)) = rest.split_once("…[+") {
        out.push_str(before);
        let Some((count, after)) = after.split_once(" chars elided]") else {
            rest = after;
            break;
        };
        push_words(&mut out, &mut dice, count.parse().unwrap_or(0));
        rest = after;
    }
    out.push_str(rest);
    let Some((before, after)) = out.split_once("{\"elided\":") else {
        return out;
    };
    let (count, after) = after.split_once('}').unwrap_or(("1", after));
    let mut tools = String::new();
    for number in 0..count.parse().unwrap_or(1) {
        if number > 0 {
            tools.push(',');
        }
        tools.push_str("{\"name\":\"Tool");
        tools.push_str(&number.to_string());
        tools.push_str("\",\"description\":\"");
        push_words(&mut tools, &mut dice, 3000);
        tools.push_str("\",\"input_schema\":{\"type\":\"object\",\"properties\":{\"value\":{\"description\":\"");
        push_words(&mut tools, &mut dice, 600);
        tools.push_str("\",\"type\":\"string\"}},\"required\":[\"value\"]}}");
    }
    format!("{before}{tools}{after}")
}

/// Words of exactly this many bytes together, a new line now and then.
fn push_words(out: &mut String, dice: &mut Dice, bytes: usize) {
    let end = out.len() + bytes;
    while out.len() < end {
        out.push_str(word(dice));
        out.push_str(if dice.per_mille(80) { "\\n" } else { " " });
    }
    out.truncate(end);
    // Half an escape must not eat the end of the string.
    if out.ends_with('\\') {
        out.pop();
        out.push('.');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_the_size_of_real_ones() {
        let shapes = Shapes::recorded().unwrap();
        assert_eq!(shapes.opening.len(), 8);
        assert_eq!(shapes.blobs.len(), 2);
        assert!(shapes.request_shape.len() > 40_000);
        assert!(shapes.snapshot.head.len() > 40_000);
        let small = Shapes::small().unwrap();
        assert!(small.request_shape.len() < 6_000);
    }

    #[test]
    fn shapes_are_json() {
        for shapes in [Shapes::recorded().unwrap(), Shapes::small().unwrap()] {
            let attachments = shapes.opening.iter().chain([&shapes.snapshot]);
            for Attachment { head, tail } in attachments {
                let line = format!("{{{head}\"uuid\":\"\"{tail}}}");
                serde_json::from_str::<serde_json::Value>(&line).unwrap();
            }
            let (before, after) = &shapes.params;
            let params = format!("{before}m{after}");
            for json in shapes.blobs.iter().chain([&shapes.request_shape, &params]) {
                serde_json::from_str::<serde_json::Value>(json).unwrap();
            }
        }
    }
}
