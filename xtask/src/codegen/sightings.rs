//! Which types and members occur where: in the vendor's type file (by way of the samples made
//! from it), in recordings, in the documents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rusty_claw_protocol::Json;
use rusty_claw_protocol::inventory::{Root, roots};
use rusty_claw_protocol::wire::{Field, Kind, Shape, Variant};
use serde_json::Value;

use crate::prove::recordings;

/// Where something occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    TypeFile,
    Recording,
    Document,
}

/// What a sighting is of. Types are known by their description, which is one static each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    Type(usize),
    Variant(usize, String),
    Member(usize, String),
    VariantMember(usize, String, String),
}

/// All sightings.
#[derive(Debug, Default)]
pub(super) struct Sightings {
    seen: BTreeMap<Thing, BTreeSet<Place>>,
}

fn id(shape: &'static Shape) -> usize {
    std::ptr::from_ref(shape) as usize
}

impl Sightings {
    /// Reads everything the repository has.
    pub(super) fn collect(root: &Path) -> Result<Self> {
        let mut out = Self::default();
        for part in roots() {
            for file in part.samples {
                let path = root.join("testdata/types/samples").join(file);
                for value in lines(&path)? {
                    let subtype = value.get("subtype").and_then(Value::as_str);
                    let is_part = part.answers.is_none() || part.answers == subtype;
                    if is_part && let Some(sample) = value.get("value") {
                        out.root(&part, sample, Place::TypeFile);
                    }
                }
            }
        }
        let messages = roots();
        for scenario in recordings::read(root)? {
            let lines = scenario.stdin.iter().chain(&scenario.stdout);
            let recorded: Vec<Value> = lines.filter_map(|line| value(line)).collect();
            for value in &recorded {
                out.message(&messages, value, Place::Recording);
            }
            out.answers(&messages, &recorded);
        }
        for path in files(&root.join("testdata/documents"), "json")? {
            let text = std::fs::read_to_string(&path)?;
            if let Ok(value) = Json::from_text(&text) {
                out.message(&messages, &value.to_value(), Place::Document);
            }
        }
        Ok(out)
    }

    fn root(&mut self, part: &Root, value: &Value, place: Place) {
        // Control requests are sampled as whole frames.
        let value = match part.frame_member {
            Some(member) => value.get(member).unwrap_or(value),
            None => value,
        };
        self.walk(part.shape, value, place);
    }

    /// Walks a whole line: the message, and what control frames carry.
    fn message(&mut self, parts: &[Root], value: &Value, place: Place) {
        for part in parts.iter().filter(|part| part.in_lines) {
            match part.frame_member {
                None => self.walk(part.shape, value, place),
                Some(member) => {
                    if value.get("type").and_then(Value::as_str) == part.frame_type
                        && let Some(payload) = value.get(member)
                    {
                        self.walk(part.shape, payload, place);
                    }
                }
            }
        }
    }

    /// Walks the answers of a recording: what they look like depends on what they answer.
    fn answers(&mut self, parts: &[Root], recorded: &[Value]) {
        let requests: BTreeMap<&str, &str> = recorded
            .iter()
            .filter_map(|line| {
                Some((
                    line.get("request_id")?.as_str()?,
                    line.get("request")?.get("subtype")?.as_str()?,
                ))
            })
            .collect();
        for response in recorded.iter().filter_map(|line| line.get("response")) {
            let subtype = response
                .get("request_id")
                .and_then(Value::as_str)
                .and_then(|id| requests.get(id));
            let part = parts
                .iter()
                .find(|part| part.answers.is_some() && part.answers == subtype.copied());
            if let (Some(part), Some(payload)) = (part, response.get("response")) {
                self.walk(part.shape, payload, Place::Recording);
            }
        }
    }

    fn walk(&mut self, shape: &'static Shape, value: &Value, place: Place) {
        match (&shape.kind, value) {
            (_, Value::Array(items)) => items.iter().for_each(|item| self.walk(shape, item, place)),
            (Kind::Object(fields), Value::Object(_)) => {
                self.note(Thing::Type(id(shape)), place);
                for field in fields.iter() {
                    self.field(field, value, place, &|name| Thing::Member(id(shape), name));
                }
            }
            (Kind::Tagged { tag, variants }, Value::Object(members)) => {
                let tag = members
                    .get(*tag)
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let Some(variant) = variants.iter().find(|variant| variant.tags.contains(&tag))
                else {
                    return;
                };
                self.note(Thing::Type(id(shape)), place);
                self.note(Thing::Variant(id(shape), variant.name.to_owned()), place);
                for field in variant.fields {
                    self.field(field, value, place, &|name| {
                        Thing::VariantMember(id(shape), variant.name.to_owned(), name)
                    });
                }
                if let Some(inner) = (variant.shape)() {
                    self.walk(inner, value, place);
                }
            }
            (Kind::Strings(_) | Kind::Custom, _) => self.note(Thing::Type(id(shape)), place),
            _ => {}
        }
    }

    fn field(
        &mut self,
        field: &'static Field,
        owner: &Value,
        place: Place,
        thing: &dyn Fn(String) -> Thing,
    ) {
        if field.name.is_empty() {
            if let Some(shape) = (field.shape)() {
                self.walk(shape, owner, place);
            }
            return;
        }
        let names = std::iter::once(&field.name).chain(field.aliases);
        for value in names.filter_map(|name| owner.get(*name)) {
            self.note(thing(field.name.to_owned()), place);
            let Some(shape) = (field.shape)() else {
                continue;
            };
            match value {
                // A dictionary: its keys are data.
                Value::Object(members) if field.rust.contains("Map<") => {
                    members
                        .values()
                        .for_each(|value| self.walk(shape, value, place));
                }
                value => self.walk(shape, value, place),
            }
        }
    }

    fn note(&mut self, thing: Thing, place: Place) {
        self.seen.entry(thing).or_default().insert(place);
    }

    pub(super) fn of_type(&self, shape: &'static Shape, place: Place) -> bool {
        self.has(&Thing::Type(id(shape)), place)
    }

    pub(super) fn of_variant(
        &self,
        shape: &'static Shape,
        variant: &Variant,
        place: Place,
    ) -> bool {
        self.has(&Thing::Variant(id(shape), variant.name.to_owned()), place)
    }

    pub(super) fn of_member(
        &self,
        shape: &'static Shape,
        variant: Option<&Variant>,
        field: &Field,
        place: Place,
    ) -> bool {
        let name = field.name.to_owned();
        self.has(
            &match variant {
                Some(variant) => Thing::VariantMember(id(shape), variant.name.to_owned(), name),
                None => Thing::Member(id(shape), name),
            },
            place,
        )
    }

    fn has(&self, thing: &Thing, place: Place) -> bool {
        self.seen
            .get(thing)
            .is_some_and(|places| places.contains(&place))
    }
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(value).collect())
}

/// The value of a line, if it is JSON.
fn value(line: &[u8]) -> Option<Value> {
    let json = Json::from_text(&String::from_utf8_lossy(line)).ok()?;
    Some(json.to_value())
}

/// All files below a folder with an ending, in a fixed order.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut out = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(out);
    };
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            out.extend(files(&path, ending)?);
        } else if path.extension().is_some_and(|found| found == ending) {
            out.push(path);
        }
    }
    out.sort();
    Ok(out)
}
