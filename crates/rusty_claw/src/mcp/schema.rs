//! The JSON Schema of a tool's arguments.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of a type, as it stands in a list of tools.
///
/// Left out is what only costs the model tokens: which dialect it is (the one that MCP assumes)
/// and what the type is called in the program.
pub(super) fn of<T: JsonSchema>() -> Value {
    let mut schema: Value = SchemaSettings::draft2020_12()
        .with(|settings| settings.meta_schema = None)
        .into_generator()
        .into_root_schema_for::<T>()
        .into();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema
}

/// Completes the schema of an object without members: some readers insist on the list of them.
pub(super) fn completed(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut()
        && object.get("type").is_some_and(|kind| kind == "object")
        && !object.contains_key("properties")
    {
        object.insert("properties".to_owned(), Value::Object(Default::default()));
    }
    schema
}

/// Whether a schema describes an object, which is what arguments are.
pub(super) fn is_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}
