//! The JSON Schema of a tool's arguments.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of a type, for a list of tools.
///
/// Leaves out what only costs the model tokens: the dialect (MCP's default) and the title, which is
/// the name of the Rust type.
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

/// Adds an empty `properties` to the schema of an object without members: some clients require it.
pub(super) fn completed(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut()
        && object.get("type").is_some_and(|kind| kind == "object")
        && !object.contains_key("properties")
    {
        object.insert("properties".to_owned(), Value::Object(Default::default()));
    }
    schema
}

/// Whether a schema describes an object, as arguments must be.
pub(super) fn is_object(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}
