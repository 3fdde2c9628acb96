//! Serialized Rust types as TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Field, Fields, Item, ItemEnum, ItemStruct, Lit, Meta, Token, Type};

use super::text::{doc, union};
use crate::repository::{files_below, read, root};
use crate::spelling::snake;

/// Where the types of frames are. The first that declares a name wins.
const FRAMES: &str = "crates/claw-gateway/src/frame.rs";
const SERVER: &str = "crates/claw-server/src";

enum Declared {
    Struct(ItemStruct),
    Enum(ItemEnum),
    /// Messages with their name as the only key, and unknown ones.
    Messages(ItemEnum),
    /// A text that identifies something.
    Id,
}

/// The serialized types of some crates by name.
pub(super) struct Sources {
    types: BTreeMap<String, Declared>,
}

impl Sources {
    pub(super) fn read() -> Result<Self> {
        let mut types = BTreeMap::new();
        let mut files = vec![root().join(FRAMES)];
        files.extend(files_below(&root().join(SERVER)));
        files.retain(|file| is_source(&file.to_string_lossy()));
        for file in files {
            let syntax = syn::parse_file(&read(&file)?);
            let syntax = syntax.with_context(|| format!("cannot parse {}", file.display()))?;
            for item in syntax.items {
                if let Some((name, declared)) = declared(item)? {
                    types.entry(name).or_insert(declared);
                }
            }
        }
        Ok(Self { types })
    }

    /// Returns the bodies of events by kind, and the names they use.
    pub(super) fn event_bodies(&self) -> Result<(String, Vec<String>)> {
        let Some(Declared::Enum(facts)) = self.types.get("Fact") else {
            bail!("there is no enum Fact");
        };
        let mut named = vec!["StrayLine".to_owned()];
        let mut text = "/** The bodies of events by their kind. */\n\
                        export interface EventBodies {\n"
            .to_owned();
        for variant in &facts.variants {
            let Some(Field {
                ident: None, ty, ..
            }) = variant.fields.iter().next()
            else {
                continue;
            };
            let body = match type_of(ty, &mut Vec::new())?.as_str() {
                "RawLine" => "CliMessage".to_owned(),
                "InputId" | "InteractionId" | "string" => "{ id: string }".to_owned(),
                "InputId[]" => "{ inputs: string[] }".to_owned(),
                _ => type_of(ty, &mut named)?,
            };
            text += &doc(&comment(&variant.attrs), "  ");
            let _ = writeln!(text, "  {}: {body};", snake(&variant.ident.to_string()));
        }
        text +=
            "  /** The CLI printed a line that is not a JSON object. */\n  line: StrayLine;\n}\n";
        Ok((text, named))
    }

    /// Returns the declaration of a type, and the names it uses.
    pub(super) fn declaration(&self, name: &str) -> Result<(String, Vec<String>)> {
        let mut named = Vec::new();
        let found = self.types.get(name);
        let found = found.with_context(|| {
            format!("no serialized Rust type {name}: add it to `type_of` in the generator")
        })?;
        let (attrs, body) = match found {
            Declared::Id => (&[][..], "string".to_owned()),
            Declared::Struct(item) => {
                let serde = Serde::of(&item.attrs)?;
                let tag = serde.tag.as_deref().zip(serde.rename.as_deref());
                let body = object(&item.fields, tag, &serde, "  ", &mut named)?;
                (&item.attrs[..], body)
            }
            Declared::Enum(item) if name == "MobileMessage" => {
                let known = item.variants.iter().filter(|it| it.ident != "Unknown");
                let fields = known.flat_map(|variant| &variant.fields);
                let members = fields.map(|field| type_of(&field.ty, &mut named));
                let mut members = members.collect::<Result<Vec<_>>>()?;
                members.push("{ type: UnknownName }".to_owned());
                (&item.attrs[..], union(&members))
            }
            Declared::Enum(item) | Declared::Messages(item) => {
                let serde = Serde::of(&item.attrs)?;
                let case = serde.rename_all.as_deref();
                let body = if item.variants.iter().all(|it| it.fields.is_empty()) {
                    names(item, case)
                } else {
                    let mut members = tagged(item, case, &mut named)?;
                    let is_open = matches!(found, Declared::Messages(_));
                    members.extend(is_open.then(|| "UnknownMessage".to_owned()));
                    union(&members)
                };
                (&item.attrs[..], body)
            }
        };
        let comment = doc(&comment(attrs), "");
        Ok((format!("{comment}export type {name} = {body};\n"), named))
    }
}

fn is_source(file: &str) -> bool {
    file.ends_with(".rs") && !file.ends_with("tests.rs")
}

/// Returns the name and the declaration of an item, if it is serialized.
fn declared(item: Item) -> Result<Option<(String, Declared)>> {
    Ok(match item {
        Item::Struct(item) if is_serialized(&item.attrs) => {
            Some((item.ident.to_string(), Declared::Struct(item)))
        }
        Item::Enum(item) => {
            let name = item.ident.to_string();
            match name.as_str() {
                "EventsMessage" => Some((name, Declared::Messages(item))),
                // These two are serialized by hand.
                "Fact" | "MobileMessage" => Some((name, Declared::Enum(item))),
                _ if is_serialized(&item.attrs) => Some((name, Declared::Enum(item))),
                _ => None,
            }
        }
        Item::Macro(item) => {
            let of_enum = |declared: fn(ItemEnum) -> Declared| -> Result<_> {
                let item: ItemEnum = item.mac.parse_body()?;
                Ok(Some((item.ident.to_string(), declared(item))))
            };
            match item.mac.path.get_ident() {
                Some(name) if name == "open_enum" => of_enum(Declared::Enum)?,
                Some(name) if name == "ui_messages" => of_enum(Declared::Messages)?,
                Some(name) if name == "text_id" => {
                    let name = item.mac.tokens.clone().into_iter().last();
                    name.map(|name| (name.to_string(), Declared::Id))
                }
                _ => None,
            }
        }
        _ => None,
    })
}

fn is_serialized(attrs: &[Attribute]) -> bool {
    let mut derives = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    derives.any(|attr| {
        let list = attr.meta.require_list();
        list.is_ok_and(|list| list.tokens.to_string().contains("Serialize"))
    })
}

fn names(item: &ItemEnum, case: Option<&str>) -> String {
    let variants = item.variants.iter();
    let names = variants.map(|it| format!("{:?}", renamed(&it.ident.to_string(), case)));
    union(&names.chain(["UnknownName".to_owned()]).collect::<Vec<_>>())
}

/// The variants of an enum that is an object with the name as its only key.
fn tagged(item: &ItemEnum, case: Option<&str>, named: &mut Vec<String>) -> Result<Vec<String>> {
    let plain = Serde::default();
    let mut members = Vec::new();
    for variant in &item.variants {
        let name = renamed(&variant.ident.to_string(), case);
        members.push(match &variant.fields {
            Fields::Unit => format!("{name:?}"),
            Fields::Unnamed(fields) => {
                let field = fields.unnamed.first();
                let ty = &field.context("a variant without a value")?.ty;
                format!("{{ {name}: {} }}", type_of(ty, named)?)
            }
            fields => {
                let comment = doc(&comment(&variant.attrs), "    ");
                let body = object(fields, None, &plain, "      ", named)?;
                format!("{{\n{comment}    {name}: {body};\n  }}")
            }
        });
    }
    Ok(members)
}

fn object(
    fields: &Fields,
    tag: Option<(&str, &str)>,
    serde: &Serde,
    indent: &str,
    named: &mut Vec<String>,
) -> Result<String> {
    let mut lines = String::new();
    if let Some((tag, value)) = tag {
        let _ = writeln!(lines, "{indent}{tag}: {value:?};");
    }
    for field in fields {
        let ident = field.ident.as_ref().context("a struct without names")?;
        let own = Serde::of(&field.attrs)?;
        let case = serde.rename_all.as_deref();
        let name = own
            .rename
            .unwrap_or_else(|| renamed(&ident.to_string(), case));
        let mut text = type_of(&field.ty, named)?;
        let mut mark = "";
        if own.is_skipped {
            mark = "?";
            text = text.trim_end_matches(" | null").to_owned();
        }
        lines += &doc(&comment(&field.attrs), indent);
        let _ = writeln!(lines, "{indent}{name}{mark}: {text};");
    }
    Ok(format!("{{\n{lines}{}}}", &indent[2..]))
}

/// Returns the TypeScript of a type, and adds the names it uses.
fn type_of(ty: &Type, named: &mut Vec<String>) -> Result<String> {
    let path = match ty {
        Type::Reference(inner) => return type_of(&inner.elem, named),
        Type::Path(path) => path,
        _ => bail!("the generator does not know such a type"),
    };
    let last = path.path.segments.last().context("an empty path")?;
    let mut inner = Vec::new();
    if let syn::PathArguments::AngleBracketed(arguments) = &last.arguments {
        for argument in &arguments.args {
            if let syn::GenericArgument::Type(ty) = argument {
                inner.push(type_of(ty, named)?);
            }
        }
    }
    let inner = inner.pop().unwrap_or_default();
    Ok(match last.ident.to_string().as_str() {
        "String" | "str" | "PathBuf" | "SessionId" => "string".to_owned(),
        "bool" => "boolean".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" | "f64" | "Amount" => {
            "number".to_owned()
        }
        "Json" | "Value" | "RawValue" => "Json".to_owned(),
        "Option" => format!("{inner} | null"),
        "Vec" => format!("{inner}[]"),
        "Box" | "Arc" => inner,
        "HashMap" | "BTreeMap" => format!("Record<string, {inner}>"),
        other => {
            named.push(other.to_owned());
            other.to_owned()
        }
    })
}

/// The serde attributes that change the JSON.
#[derive(Default)]
struct Serde {
    tag: Option<String>,
    rename: Option<String>,
    rename_all: Option<String>,
    is_skipped: bool,
}

impl Serde {
    fn of(attrs: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
            let metas = attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
            for meta in metas {
                let name = meta.path().get_ident().map(ToString::to_string);
                match name.as_deref() {
                    Some("tag") => found.tag = text(&meta),
                    Some("rename") => found.rename = text(&meta),
                    Some("rename_all") => found.rename_all = text(&meta),
                    Some("skip_serializing_if") => found.is_skipped = true,
                    Some(name @ ("flatten" | "untagged" | "content")) => {
                        bail!("the generator does not know serde({name})")
                    }
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}

/// The text that a name is set to.
fn text(meta: &Meta) -> Option<String> {
    let Expr::Lit(literal) = &meta.require_name_value().ok()?.value else {
        return None;
    };
    match &literal.lit {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

fn comment(attrs: &[Attribute]) -> String {
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    let lines: Vec<String> = docs.filter_map(|attr| text(&attr.meta)).collect();
    lines.join("\n")
}

fn renamed(name: &str, case: Option<&str>) -> String {
    match case {
        Some("snake_case") => snake(name),
        Some("kebab-case") => snake(name).replace('_', "-"),
        Some("lowercase") => name.to_lowercase(),
        Some("camelCase") => {
            let mut parts = name.split('_');
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |name, part| {
                let (head, tail) = part.split_at(part.len().min(1));
                name + &head.to_uppercase() + tail
            })
        }
        _ => name.to_owned(),
    }
}
