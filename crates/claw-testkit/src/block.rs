//! Content blocks, and how their text is cut into deltas.

use serde::Deserialize;
use serde_json::{Map, Value};

/// How the text of a block (or the JSON of a tool's input) is cut into deltas.
///
/// The receiver must get the same text for all cuts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pieces {
    /// This many deltas of about the same length.
    Chunks(usize),
    /// Deltas of this many characters.
    ChunkChars(usize),
    /// Cuts before these positions, counted in UTF-16 units as JavaScript counts them.
    ///
    /// A cut in the middle of a surrogate pair sends the halves as `\ud83d` and `\ude00`: that is
    /// what a client must survive when a server cuts an emoji in two.
    Cuts(Vec<usize>),
    /// The deltas themselves: the text between the quotes of a JSON string, written verbatim.
    ///
    /// Nothing is checked, so this can also send an escape that no other way can produce.
    Raw(Vec<String>),
}

/// One content block of an answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Block {
    /// Overrides the turn's way of cutting for this block.
    #[serde(default)]
    pub(crate) pieces: Option<Pieces>,
    /// The block as the API prints it in a whole message.
    #[serde(flatten)]
    pub(crate) json: Map<String, Value>,
}

impl Block {
    /// A few words that let a reader find the block in a script.
    pub(crate) fn summary(&self) -> String {
        match self.kind() {
            "text" => format!("text {:?}", shortened(self.string("text"))),
            "tool_use" => format!("tool_use {}", self.string("name")),
            kind => kind.to_owned(),
        }
    }

    pub(crate) fn kind(&self) -> &str {
        self.string("type")
    }

    pub(crate) fn string(&self, key: &str) -> &str {
        self.json
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The part of the block that arrives in deltas: its key, and the text that is cut.
    fn streamed_text(&self) -> Option<(&'static str, String)> {
        match self.kind() {
            "text" => Some(("text", self.string("text").to_owned())),
            "thinking" => Some(("thinking", self.string("thinking").to_owned())),
            "tool_use" | "server_tool_use" | "mcp_tool_use" => {
                let input = self
                    .json
                    .get("input")
                    .map_or_else(|| "{}".to_owned(), Value::to_string);
                Some(("input", input))
            }
            _ => None,
        }
    }

    /// The deltas of the block as the contents of JSON strings, or `None` for a block that the
    /// API sends whole in its start event.
    pub(crate) fn deltas(&self, default: Option<&Pieces>) -> Option<Vec<String>> {
        let (_, text) = self.streamed_text()?;
        Some(match self.pieces.as_ref().or(default) {
            Some(Pieces::Raw(raw)) => raw.clone(),
            Some(Pieces::Chunks(n)) => {
                let chars = text.chars().count();
                by_chars(&text, chars.div_ceil((*n).max(1)))
            }
            Some(Pieces::ChunkChars(n)) => by_chars(&text, *n),
            Some(Pieces::Cuts(cuts)) => at_utf16_positions(&text, cuts),
            None => vec![json_string_contents(&text)],
        })
    }

    /// The block as JSON text, in full.
    pub(crate) fn whole(&self) -> String {
        match (&self.pieces, self.streamed_text()) {
            (Some(Pieces::Raw(raw)), Some((key, _))) if key != "input" => {
                object_text(&self.json, &[(key, format!("\"{}\"", raw.concat()))])
            }
            _ => object_text(&self.json, &[]),
        }
    }

    /// The block in its start event, before any delta.
    pub(crate) fn at_start(&self) -> String {
        let mut emptied: Vec<(&str, String)> = Vec::new();
        match self.streamed_text() {
            Some(("input", _)) => emptied.push(("input", "{}".to_owned())),
            Some((key, _)) => emptied.push((key, "\"\"".to_owned())),
            None => {}
        }
        if self.kind() == "thinking" {
            emptied.push(("signature", "\"\"".to_owned()));
        }
        if self.kind() == "text" && self.json.contains_key("citations") {
            emptied.push(("citations", "[]".to_owned()));
        }
        object_text(&self.json, &emptied)
    }
}

/// Writes an object with the keys that identify a block in front, as the API does, and with some
/// values replaced.
fn object_text(map: &Map<String, Value>, replaced: &[(&str, String)]) -> String {
    const FIRST: [&str; 4] = ["type", "id", "tool_use_id", "name"];
    let first = FIRST.into_iter().filter(|key| map.contains_key(*key));
    let others = map.keys().map(String::as_str);
    let others = others.filter(|key| !FIRST.contains(key));
    let new = replaced.iter().map(|(key, _)| *key);
    let new = new.filter(|key| !map.contains_key(*key));
    let field = |key: &str| {
        let replacement = replaced.iter().find(|(replaced, _)| *replaced == key);
        let value = replacement.map_or_else(|| map[key].to_string(), |(_, value)| value.clone());
        format!("{}:{value}", Value::from(key))
    };
    let fields: Vec<String> = first.chain(others).chain(new).map(field).collect();
    format!("{{{}}}", fields.join(","))
}

fn by_chars(text: &str, chars: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    if all.is_empty() {
        return vec![String::new()];
    }
    all.chunks(chars.max(1))
        .map(|c| json_string_contents(&c.iter().collect::<String>()))
        .collect()
}

fn at_utf16_positions(text: &str, cuts: &[usize]) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(units.len())).collect();
    cuts.sort_unstable();
    cuts.push(units.len());
    let mut from = 0;
    let mut pieces = Vec::with_capacity(cuts.len());
    for cut in cuts {
        pieces.push(utf16_contents(&units[from..cut]));
        from = cut;
    }
    pieces
}

fn utf16_contents(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied())
        .map(|unit| match unit {
            Ok(c) => json_string_contents(c.encode_utf8(&mut [0; 4])),
            Err(half) => format!("\\u{:04x}", half.unpaired_surrogate()),
        })
        .collect()
}

/// The text with JSON's escapes, without the quotes around it.
pub(crate) fn json_string_contents(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The start of a text that may be long.
pub(crate) fn shortened(text: &str) -> String {
    const LIMIT: usize = 60;
    let mut short: String = text.chars().take(LIMIT).collect();
    if text.chars().nth(LIMIT).is_some() {
        short.push('…');
    }
    short
}
