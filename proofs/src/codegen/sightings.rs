//! Which types and members occur where: in the vendor's type file (by way of the samples made
//! from it), in recordings, in the documents.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use claw_testkit::recordings::recordings;
use rusty_claw_protocol::Json;
use rusty_claw_protocol::inventory::{Root, roots};
use rusty_claw_protocol::wire::{Field, Kind, Shape};
use serde_json::Value;

use crate::repository::{files_below, read, root};
use crate::type_file::samples::Sample;

/// Where something occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    TypeFile,
    Recording,
    Document,
}

/// All places, and how the page marks them.
pub(super) const PLACES: [(Place, &str); 3] = [
    (Place::TypeFile, " **T**"),
    (Place::Recording, " **R**"),
    (Place::Document, " **D**"),
];

/// A type, by the address of its description, which is one static each; then a variant and a
/// member of it, each empty for the whole.
type Thing = (usize, &'static str, &'static str);

fn thing(shape: &'static Shape, variant: &'static str, member: &'static str) -> Thing {
    (std::ptr::from_ref(shape) as usize, variant, member)
}

/// All sightings.
#[derive(Debug, Default)]
pub(super) struct Sightings(BTreeSet<(Place, Thing)>);

impl Sightings {
    /// Reads everything the repository has. The samples come with the names of their files.
    pub(super) fn collect(samples: &[(&str, Vec<Sample>)]) -> Result<Self> {
        let mut out = Self::default();
        let parts = roots();
        for part in &parts {
            let is_of_part = |file: &str| part.samples.contains(&&*format!("{file}.ndjson"));
            let files = samples.iter().filter(|(file, _)| is_of_part(file));
            for sample in files.flat_map(|(_, samples)| samples) {
                if part.answers.is_none() || part.answers == sample.subtype.as_deref() {
                    out.sample(part, &sample.value);
                }
            }
        }
        for recording in recordings()? {
            let lines = recording.stdin.iter().chain(&recording.stdout);
            let text = |line| String::from_utf8_lossy(line);
            let recorded: Vec<Value> = lines.filter_map(|line| value(&text(line))).collect();
            for value in &recorded {
                out.message(&parts, value, Place::Recording);
            }
            out.answers(&parts, &recorded);
        }
        let mut documents = files_below(&root().join("testdata/documents"));
        documents.retain(|path| path.extension().is_some_and(|it| it == "json"));
        for path in documents {
            if let Some(value) = value(&read(&path)?) {
                out.message(&parts, &value, Place::Document);
            }
        }
        Ok(out)
    }

    /// Control requests are sampled as whole frames.
    fn sample(&mut self, part: &Root, value: &Value) {
        let payload = part.frame_member.and_then(|member| value.get(member));
        self.walk(part.shape, payload.unwrap_or(value), Place::TypeFile);
    }

    /// Walks a whole line: the message, and what control frames carry.
    fn message(&mut self, parts: &[Root], value: &Value, place: Place) {
        for part in parts.iter().filter(|part| part.in_lines) {
            let is_frame = || value.get("type").and_then(Value::as_str) == part.frame_type;
            let payload = match part.frame_member {
                None => Some(value),
                Some(member) => value.get(member).filter(|_| is_frame()),
            };
            if let Some(payload) = payload {
                self.walk(part.shape, payload, place);
            }
        }
    }

    /// Walks the answers of a recording: what they look like depends on what they answer.
    fn answers(&mut self, parts: &[Root], recorded: &[Value]) {
        let request = |line: &'_ Value| -> Option<(String, String)> {
            let id = line.get("request_id")?.as_str()?;
            let subtype = line.get("request")?.get("subtype")?.as_str()?;
            Some((id.to_owned(), subtype.to_owned()))
        };
        let requests: BTreeMap<String, String> = recorded.iter().filter_map(request).collect();
        for response in recorded.iter().filter_map(|line| line.get("response")) {
            let id = response.get("request_id").and_then(Value::as_str);
            let subtype = id.and_then(|id| requests.get(id)).map(String::as_str);
            let mut answers = parts.iter().filter(|part| part.answers.is_some());
            let part = answers.find(|part| part.answers == subtype);
            if let (Some(part), Some(payload)) = (part, response.get("response")) {
                self.walk(part.shape, payload, Place::Recording);
            }
        }
    }

    fn walk(&mut self, shape: &'static Shape, value: &Value, place: Place) {
        match (&shape.kind, value) {
            (_, Value::Array(items)) => items.iter().for_each(|item| self.walk(shape, item, place)),
            (Kind::Object(fields), Value::Object(_)) => {
                self.0.insert((place, thing(shape, "", "")));
                for field in *fields {
                    self.field(shape, "", field, value, place);
                }
            }
            (Kind::Tagged { tag, variants }, Value::Object(members)) => {
                let tag = members.get(*tag).and_then(Value::as_str);
                let tag = tag.unwrap_or_default();
                let Some(variant) = variants.iter().find(|variant| variant.tags.contains(&tag))
                else {
                    return;
                };
                self.0.insert((place, thing(shape, "", "")));
                self.0.insert((place, thing(shape, variant.name, "")));
                for field in variant.fields {
                    self.field(shape, variant.name, field, value, place);
                }
                if let Some(inner) = (variant.shape)() {
                    self.walk(inner, value, place);
                }
            }
            (Kind::Strings(_) | Kind::Custom, _) => {
                self.0.insert((place, thing(shape, "", "")));
            }
            _ => {}
        }
    }

    fn field(
        &mut self,
        owner: &'static Shape,
        variant: &'static str,
        field: &'static Field,
        value: &Value,
        place: Place,
    ) {
        let shape = (field.shape)();
        if field.name.is_empty() {
            if let Some(shape) = shape {
                self.walk(shape, value, place);
            }
            return;
        }
        let names = std::iter::once(&field.name).chain(field.aliases);
        for value in names.filter_map(|name| value.get(*name)) {
            self.0.insert((place, thing(owner, variant, field.name)));
            match (shape, value) {
                // A dictionary: its keys are data.
                (Some(shape), Value::Object(members)) if field.rust.contains("Map<") => {
                    let values = members.values();
                    values.for_each(|value| self.walk(shape, value, place));
                }
                (Some(shape), value) => self.walk(shape, value, place),
                (None, _) => {}
            }
        }
    }

    /// Whether a type occurs in a place.
    pub(super) fn has(&self, place: Place, shape: &'static Shape) -> bool {
        self.0.contains(&(place, thing(shape, "", "")))
    }

    /// The marks of a type, or of a variant or a member of it.
    pub(super) fn marks(
        &self,
        shape: &'static Shape,
        variant: &'static str,
        member: &'static str,
    ) -> String {
        let thing = thing(shape, variant, member);
        let seen = PLACES
            .iter()
            .filter(|(place, _)| self.0.contains(&(*place, thing)));
        seen.map(|(_, mark)| *mark).collect()
    }
}

/// The value of a text, if it is JSON.
fn value(text: &str) -> Option<Value> {
    Some(Json::from_text(text).ok()?.to_value())
}
