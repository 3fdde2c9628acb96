//! The schema of a type, in the form that the CLI accepts.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The only field of the object that wraps other values.
const CARRIER: &str = "value";

/// The schema of a type, and whether its values are wrapped in an object.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub(super) schema: Value,
    is_carried: bool,
}

impl Shape {
    pub(super) fn of<T: JsonSchema>() -> Self {
        let settings = SchemaSettings::draft07().with(|settings| {
            settings.inline_subschemas = true;
            // The CLI validates against draft 7 and rejects the names of others.
            settings.meta_schema = None;
        });
        let schema = settings.into_generator().into_root_schema_for::<T>();
        let schema = schema.to_value();
        // An answer is the input of a tool call, which must be an object.
        if schema.get("type").and_then(Value::as_str) == Some("object") {
            return Self {
                schema,
                is_carried: false,
            };
        }
        Self {
            schema: carried(schema),
            is_carried: true,
        }
    }

    /// Parses an answer; the error is the field and what is wrong with it.
    pub(super) fn read<T: DeserializeOwned>(&self, json: &str) -> Result<T, (String, String)> {
        let read = |json: &str| {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            serde_path_to_error::deserialize(&mut deserializer)
                .map_err(|error| (error.path().to_string(), error.inner().to_string()))
        };
        if !self.is_carried {
            return read(json);
        }
        let carrier: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| (".".to_owned(), error.to_string()))?;
        let value = carrier.get(CARRIER).unwrap_or(&Value::Null);
        read(&value.to_string())
    }
}

/// Wraps a schema in an object with one field.
fn carried(mut schema: Value) -> Value {
    // References start at the root, which is now elsewhere.
    let definitions = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("definitions"));
    move_root(&mut schema);
    let mut carrier = json!({
        "type": "object",
        "properties": { CARRIER: schema },
        "required": [CARRIER],
        "additionalProperties": false,
    });
    if let (Some(mut definitions), Some(carrier)) = (definitions, carrier.as_object_mut()) {
        move_root(&mut definitions);
        carrier.insert("definitions".to_owned(), definitions);
    }
    carrier
}

/// Updates references to the root.
fn move_root(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "$ref" && member == "#" {
                    *member = format!("#/properties/{CARRIER}").into();
                } else {
                    move_root(member);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(move_root),
        _ => {}
    }
}
