//! The OpenAPI document as TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, bail, ensure};
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
    let mut types = Declarations::new();
    for (name, schema) in members(&document["components"], "schemas") {
        let (comment, body) = (doc(description(schema), ""), of(schema, name, "")?);
        let text = format!("{comment}export type {name} = {body};\n");
        types.insert(name.clone(), text);
    }
    ensure!(!types.is_empty(), "the document has no components");
    // The message of a frame depends on the dialect that the client chooses.
    types.insert("Frame".to_owned(), include_str!("frame.ts").to_owned());
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

fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// Returns the type of a schema. `component` and `member` are where it is.
fn of(schema: &Value, component: &str, member: &str) -> Result<String> {
    let all = |schemas: &Value| -> Result<Vec<String>> {
        let schemas = schemas.as_array().into_iter().flatten();
        schemas.map(|one| of(one, component, member)).collect()
    };
    let is_here = |row: &&(&str, &str, &str)| (row.0, row.1) == (component, member);
    if let Some(target) = schema["$ref"].as_str() {
        Ok(target.rsplit('/').next().unwrap_or(target).to_owned())
    } else if let Some((_, _, name)) = OPAQUE.iter().find(is_here) {
        Ok((*name).to_owned())
    } else if let Some(values) = schema["enum"].as_array() {
        let mut names: Vec<String> = values.iter().map(ToString::to_string).collect();
        if names.len() > 1 {
            names.push("UnknownName".to_owned());
        }
        Ok(union(&names))
    } else if let Some(variants) = schema.get("oneOf").or(schema.get("anyOf")) {
        Ok(alternatives(variants, all(variants)?))
    } else if let Some(parts) = schema.get("allOf") {
        Ok(all(parts)?.join(" & "))
    } else if let Some(kinds) = schema["type"].as_array() {
        let kinds = kinds
            .iter()
            .map(|kind| simple(kind, schema, component, member));
        Ok(kinds.collect::<Result<Vec<_>>>()?.join(" | "))
    } else if let Some(kind) = schema.get("type") {
        simple(kind, schema, component, member)
    } else {
        Ok("Json".to_owned())
    }
}

fn simple(kind: &Value, schema: &Value, component: &str, member: &str) -> Result<String> {
    Ok(match kind.as_str() {
        Some("integer" | "number") => "number".to_owned(),
        Some(same @ ("string" | "boolean" | "null")) => same.to_owned(),
        Some("array") => {
            let items = of(&schema["items"], component, member)?;
            if items.contains(' ') {
                format!("({items})[]")
            } else {
                format!("{items}[]")
            }
        }
        Some("object") => object(schema, component)?,
        _ => bail!("{component}.{member} has the type {kind}, which the generator does not know"),
    })
}

fn object(schema: &Value, component: &str) -> Result<String> {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let mut lines = String::new();
    for (name, member) in members(schema, "properties") {
        let mark = if is_required(name) { "" } else { "?" };
        lines += &doc(description(member), "  ");
        let (key, ty) = (key(name), of(member, component, name)?);
        let _ = writeln!(lines, "  {key}{mark}: {ty};");
    }
    if !lines.is_empty() {
        return Ok(format!("{{\n{lines}}}"));
    }
    // An object whose members the document does not list can be any value.
    Ok(match &schema["additionalProperties"] {
        values @ Value::Object(_) => format!("Record<string, {}>", of(values, component, "*")?),
        _ => "Json".to_owned(),
    })
}

/// Returns a union. If a member tells its variants apart, newer variants are part of it.
fn alternatives(variants: &Value, mut types: Vec<String>) -> String {
    let variants = variants.as_array().into_iter().flatten();
    let tags: Option<Vec<&String>> = variants.map(tag).collect();
    if let Some([first, rest @ ..]) = tags.as_deref()
        && rest.iter().all(|tag| tag == first)
    {
        types.push(format!("{{ {}: UnknownName }}", key(first)));
    }
    types.join(" | ")
}

/// The member of a variant that has only one value.
fn tag(variant: &Value) -> Option<&String> {
    let is_tag = |member: &Value| member["enum"].as_array().is_some_and(|it| it.len() == 1);
    members(variant, "properties")
        .find(|(_, member)| is_tag(member))
        .map(|(name, _)| name)
}

fn key(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(is_plain) {
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
            let summary = operation["summary"].as_str();
            text += &doc(summary.unwrap_or_default(), "  ");
            let _ = writeln!(text, "  {route:?}: {{");
            for place in ["path", "query"] {
                if let Some(found) = parameters(operation, place)? {
                    let _ = writeln!(text, "    {place}: {found};");
                }
            }
            let headers = parameters(operation, "header")?;
            if headers.is_some_and(|found| found.contains("Idempotency-Key")) {
                text += "    key: string;\n";
            }
            if let Some(schema) = content(&operation["requestBody"]) {
                let _ = writeln!(text, "    body: {};", of(schema, "", "")?);
            }
            let mut responses = members(operation, "responses");
            let success = responses.find(|(status, _)| status.starts_with('2'));
            let result = match success.and_then(|(_, response)| content(response)) {
                Some(schema) => of(schema, "", "")?,
                None => "void".to_owned(),
            };
            let _ = writeln!(text, "    result: {result};\n  }};");
        }
    }
    Ok(text + "}\n")
}

fn content(part: &Value) -> Option<&Value> {
    let (_, media) = members(part, "content").next()?;
    media.get("schema")
}

fn parameters(operation: &Value, place: &str) -> Result<Option<String>> {
    let mut found = Vec::new();
    let all = operation["parameters"].as_array().into_iter().flatten();
    for parameter in all.filter(|it| it["in"] == place) {
        let name = parameter["name"].as_str().unwrap_or_default();
        let is_required = parameter["required"] == true;
        let mark = if is_required { "" } else { "?" };
        let ty = of(&parameter["schema"], "", name)?;
        found.push(format!("{}{mark}: {ty}", key(name)));
    }
    Ok((!found.is_empty()).then(|| format!("{{ {} }}", found.join("; "))))
}

/// The members of a JSON object in their order.
fn members<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value[name].as_object().into_iter().flatten()
}
