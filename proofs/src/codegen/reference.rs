//! The reference page of the protocol: every type, and where it occurs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use rusty_claw_protocol::inventory::roots;
use rusty_claw_protocol::wire::{Field, Kind, Shape, Variant};

use super::sightings::{PLACES, Sightings};
use crate::type_file::samples::Sample;

const HEAD: &str = include_str!("reference.md");

/// The whole page.
pub(super) fn page(samples: &[(&str, Vec<Sample>)]) -> Result<String> {
    let mut types = Types::new();
    for part in roots() {
        gather(part.shape, &mut types);
    }
    let mut page = Page {
        text: HEAD.to_owned(),
        sightings: Sightings::collect(samples)?,
        types,
    };
    page.contents();
    for shape in page.types.values().copied().collect::<Vec<_>>() {
        page.section(shape);
    }
    Ok(page.text)
}

/// The types of the page, in its order. Types of one name differ in their documentation or their
/// parts.
type Types = BTreeMap<Key, &'static Shape>;
/// The name, the documentation and the names of the parts of a type.
type Key = (&'static str, &'static str, Vec<&'static str>);

fn key(shape: &'static Shape) -> Key {
    let parts = match shape.kind {
        Kind::Object(fields) => fields.iter().map(|field| field.name).collect(),
        Kind::Tagged { variants, .. } => variants.iter().map(|variant| variant.name).collect(),
        Kind::Strings(values) => values.to_vec(),
        Kind::Custom => Vec::new(),
    };
    (shape.name, shape.doc, parts)
}

/// Adds a type and every type that it contains.
fn gather(shape: &'static Shape, types: &mut Types) {
    if types.insert(key(shape), shape).is_some() {
        return;
    }
    let mut inner: Vec<fn() -> Option<&'static Shape>> = Vec::new();
    match &shape.kind {
        Kind::Object(fields) => inner.extend(fields.iter().map(|field| field.shape)),
        Kind::Tagged { variants, .. } => {
            for variant in *variants {
                inner.extend(variant.fields.iter().map(|field| field.shape));
                inner.push(variant.shape);
            }
        }
        Kind::Strings(_) | Kind::Custom => {}
    }
    for shape in inner.into_iter().filter_map(|inner| inner()) {
        gather(shape, types);
    }
}

/// The page so far. Writing to a text cannot fail.
struct Page {
    text: String,
    sightings: Sightings,
    types: Types,
}

impl Page {
    fn contents(&mut self) {
        let types = self.types.values();
        let count = |place| {
            let is_there = |shape: &&&'static Shape| self.sightings.has(place, shape);
            types.clone().filter(is_there).count()
        };
        let [declared, recorded, documented] = PLACES.map(|(place, _)| count(place));
        let _ = writeln!(
            self.text,
            "\n{} types: {declared} declared, {recorded} recorded, {documented} in the documents.\n",
            self.types.len()
        );
    }

    fn section(&mut self, shape: &'static Shape) {
        let (name, doc) = (shape.name, cell(shape.doc));
        let marks = self.sightings.marks(shape, "", "");
        let _ = writeln!(self.text, "\n## {name}\n\n{doc}{marks}\n");
        match &shape.kind {
            Kind::Object(fields) => self.table(shape, "", fields),
            Kind::Tagged { tag, variants } => {
                let head = format!("| {tag} | variant | | |\n|---|---|---|---|");
                let _ = writeln!(self.text, "Distinguished by `{tag}`.\n\n{head}");
                for variant in *variants {
                    self.variant_row(shape, variant);
                }
                for variant in variants.iter().filter(|variant| variant.fields.len() > 1) {
                    let _ = writeln!(self.text, "\n### {name}::{}\n", variant.name);
                    self.table(shape, variant.name, variant.fields);
                }
            }
            Kind::Strings(values) => {
                let values = codes(values);
                let _ = writeln!(self.text, "A string: {values}; or a new one.");
            }
            Kind::Custom => {}
        }
    }

    fn variant_row(&mut self, shape: &'static Shape, variant: &'static Variant) {
        let own = variant.name;
        let name = match (variant.shape)() {
            Some(inner) if inner.name != own => {
                format!("`{own}` ([{}](#{}))", inner.name, self.anchor(inner))
            }
            Some(inner) => format!("[`{own}`](#{})", self.anchor(inner)),
            None => format!("`{own}`"),
        };
        let (tags, doc) = (codes(variant.tags), cell(variant.doc));
        let marks = self.sightings.marks(shape, own, "");
        let _ = writeln!(self.text, "| {tags} | {name} | {doc} |{marks} |");
    }

    fn table(&mut self, owner: &'static Shape, variant: &'static str, fields: &'static [Field]) {
        if fields.is_empty() {
            self.text.push_str("No members.\n");
            return;
        }
        self.text
            .push_str("| member | type | | |\n|---|---|---|---|\n");
        for field in fields {
            let (name, marks) = match field.name {
                "" => ("*(shared object)*".to_owned(), String::new()),
                name => {
                    let marks = self.sightings.marks(owner, variant, name);
                    (format!("`{name}`"), marks)
                }
            };
            let also = match field.aliases {
                [] => String::new(),
                aliases => format!(" (also {})", codes(aliases)),
            };
            let rust = match (field.shape)() {
                Some(shape) => format!("[`{}`](#{})", field.rust, self.anchor(shape)),
                None => format!("`{}`", field.rust),
            };
            let doc = cell(field.doc);
            let _ = writeln!(self.text, "| {name}{also} | {rust} | {doc} |{marks} |");
        }
    }

    /// The anchor of a type. Markdown numbers the headings of one name.
    fn anchor(&self, shape: &'static Shape) -> String {
        let name = shape.name.to_lowercase();
        let earlier = self.types.range(..key(shape));
        let same = earlier.filter(|((earlier, ..), _)| *earlier == shape.name);
        match same.count() {
            0 => name,
            count => format!("{name}-{count}"),
        }
    }
}

/// Names in code marks.
fn codes(names: &[&str]) -> String {
    let names = names.iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// Documentation as a cell of a table, without the links of rustdoc.
fn cell(doc: &str) -> String {
    let doc = doc.replace('|', "\\|");
    doc.replace("[`", "`").replace("`]", "`")
}
