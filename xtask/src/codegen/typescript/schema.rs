//! The OpenAPI document as TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::text::{doc, union};

/// Where the document of the API has an object without members: component, member, and the type.
const OPAQUE: &[(&str, &str, &str)] = &[
    ("Answer", "permission", "PermissionResponse"),
    ("Answer", "questions", "QuestionAnswer[]"),
    ("Answer", "other", "Json"),
    ("NewInput", "content", "Json"),
    ("Pending", "interaction", "Interaction"),
];

/// The declarations by name.
type Declarations = BTreeMap<String, String>;

/// Returns the declarations of the components.
pub(super) fn components(document: &Value) -> Result<Declarations> {
    let schemas = document
        .get("components")
        .context("the document has no components")?;
    let mut types = Declarations::new();
    for (name, schema) in members(schemas, "schemas") {
        let mut text = doc(description(schema), "");
        let _ = writeln!(text, "export type {name} = {};", of(schema, name, "")?);
        types.insert(name.clone(), text);
    }
    // The message of a frame depends on the dialect that the client chooses.
    types.insert("Frame".to_owned(), frame());
    Ok(types)
}

/// Adds the names of all types that a part of the document refers to. It lacks the declarations of
/// those that occur only in parameters.
pub(super) fn references(part: &Value, names: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                names.extend(target.rsplit('/').next().map(str::to_owned));
            }
            members.values().for_each(|part| references(part, names));
        }
        Value::Array(items) => items.iter().for_each(|part| references(part, names)),
        _ => {}
    }
}

fn frame() -> String {
    "/** A message of a session in the dialect of the client. */\n\
     export interface Frame<M = Json> {\n  \
       /** The session. */\n  session: string;\n  \
       /** The cursor to resume from. */\n  after: number;\n  \
       /** The message, as the dialect writes it. */\n  message: M;\n}\n"
        .to_owned()
}

fn description(schema: &Value) -> &str {
    schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Returns the type of a schema. `component` and `member` are where it is.
fn of(schema: &Value, component: &str, member: &str) -> Result<String> {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or(target);
        return Ok(name.to_owned());
    }
    let opaque = OPAQUE
        .iter()
        .find(|row| (row.0, row.1) == (component, member));
    if let Some((_, _, name)) = opaque {
        return Ok((*name).to_owned());
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let mut names: Vec<String> = values.iter().map(ToString::to_string).collect();
        if names.len() > 1 {
            names.push("UnknownName".to_owned());
        }
        return Ok(union(&names));
    }
    for kind in ["oneOf", "anyOf"] {
        if let Some(variants) = schema.get(kind).and_then(Value::as_array) {
            return alternatives(variants, component, member);
        }
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let parts: Result<Vec<_>> = parts
            .iter()
            .map(|part| of(part, component, member))
            .collect();
        return Ok(parts?.join(" & "));
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => {
            let kinds: Result<Vec<_>> = kinds
                .iter()
                .map(|kind| simple(kind, schema, component, member))
                .collect();
            Ok(kinds?.join(" | "))
        }
        Some(kind) => simple(kind, schema, component, member),
        None => Ok("Json".to_owned()),
    }
}

fn simple(kind: &Value, schema: &Value, component: &str, member: &str) -> Result<String> {
    Ok(match kind.as_str() {
        Some("string") => "string".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            let items = of(items, component, member)?;
            format!(
                "{}[]",
                if items.contains(' ') {
                    format!("({items})")
                } else {
                    items
                }
            )
        }
        Some("object") => object(schema, component)?,
        _ => bail!("{component}.{member} has the type {kind}, which the generator does not know"),
    })
}

fn object(schema: &Value, component: &str) -> Result<String> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut lines = String::new();
    for (name, member) in members(schema, "properties") {
        let mark = if required.contains(&name.as_str()) {
            ""
        } else {
            "?"
        };
        lines += &doc(description(member), "  ");
        let _ = writeln!(
            lines,
            "  {}{mark}: {};",
            key(name),
            of(member, component, name)?
        );
    }
    if lines.is_empty() {
        let values = schema
            .get("additionalProperties")
            .filter(|values| values.is_object());
        let values = values
            .map(|values| of(values, component, "*"))
            .transpose()?;
        // An object whose members the document does not list can be any value.
        return Ok(values.map_or("Json".to_owned(), |values| {
            format!("Record<string, {values}>")
        }));
    }
    Ok(format!("{{\n{lines}}}"))
}

/// Returns a union. If a member tells its variants apart, newer variants are part of it.
fn alternatives(variants: &[Value], component: &str, member: &str) -> Result<String> {
    let types: Result<Vec<_>> = variants
        .iter()
        .map(|one| of(one, component, member))
        .collect();
    let mut types = types?;
    let tags: Option<Vec<&String>> = variants.iter().map(tag).collect();
    if let Some([first, rest @ ..]) = tags.as_deref()
        && rest.iter().all(|tag| tag == first)
    {
        types.push(format!("{{ {}: UnknownName }}", key(first)));
    }
    Ok(types.join(" | "))
}

/// The member of a variant that has only one value.
fn tag(variant: &Value) -> Option<&String> {
    let is_tag = |member: &Value| {
        let values = member.get("enum").and_then(Value::as_array);
        values.is_some_and(|values| values.len() == 1)
    };
    members(variant, "properties")
        .find(|(_, member)| is_tag(member))
        .map(|(name, _)| name)
}

fn key(name: &str) -> String {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_plain {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

/// Returns the table of routes: what each takes and returns.
pub(super) fn operations(document: &Value) -> Result<String> {
    let mut text = "/** The routes of the API: what each takes and returns. */\n\
                    export interface Operations {\n"
        .to_owned();
    for (path, methods) in members(document, "paths") {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let route = format!("{} {path}", method.to_uppercase());
            let summary = operation.get("summary").and_then(Value::as_str);
            text += &doc(summary.unwrap_or_default(), "  ");
            let _ = writeln!(text, "  {route:?}: {{");
            for (place, name) in [("path", "path"), ("query", "query")] {
                if let Some(found) = parameters(operation, place)? {
                    let _ = writeln!(text, "    {name}: {found};");
                }
            }
            if parameters(operation, "header")?
                .is_some_and(|found| found.contains("Idempotency-Key"))
            {
                let _ = writeln!(text, "    key: string;");
            }
            if let Some(schema) = content(operation.get("requestBody")) {
                let _ = writeln!(text, "    body: {};", of(schema, "", "")?);
            }
            let result =
                members(operation, "responses").find(|(status, _)| status.starts_with('2'));
            let result = result.and_then(|(_, response)| content(Some(response)));
            let result = result.map(|schema| of(schema, "", "")).transpose()?;
            let _ = writeln!(
                text,
                "    result: {};\n  }};",
                result.unwrap_or("void".to_owned())
            );
        }
    }
    Ok(text + "}\n")
}

fn content(part: Option<&Value>) -> Option<&Value> {
    let (_, media) = members(part?, "content").next()?;
    media.get("schema")
}

fn parameters(operation: &Value, place: &str) -> Result<Option<String>> {
    let all = operation.get("parameters").and_then(Value::as_array);
    let mut found = Vec::new();
    for parameter in all.into_iter().flatten() {
        if parameter.get("in").and_then(Value::as_str) != Some(place) {
            continue;
        }
        let name = parameter
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_required = parameter.get("required").and_then(Value::as_bool) == Some(true);
        let mark = if is_required { "" } else { "?" };
        let schema = parameter.get("schema").unwrap_or(&Value::Null);
        found.push(format!("{}{mark}: {}", key(name), of(schema, "", name)?));
    }
    Ok((!found.is_empty()).then(|| format!("{{ {} }}", found.join("; "))))
}

/// The members of a JSON object in their order.
fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value
        .get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
}
