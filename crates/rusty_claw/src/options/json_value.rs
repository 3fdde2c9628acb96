//! JSON values of options.

use rusty_claw_protocol::Json;
use serde::Serialize;

use super::check::bad;
use crate::error::StartError;

/// A JSON value, or why it cannot be serialized. Builders do not fail; the start does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonValue(Result<Json, String>);

impl JsonValue {
    pub(super) fn new(value: &impl Serialize) -> Self {
        Self(Json::from_serialize(value).map_err(|error| error.to_string()))
    }

    /// Returns the object, which every option of this kind must be.
    pub(super) fn object(&self, option: &'static str) -> Result<&Json, StartError> {
        match &self.0 {
            Ok(json) if json.is_object() => Ok(json),
            Ok(json) => {
                let text: String = json.text().chars().take(40).collect();
                Err(bad(option, format!("must be a JSON object, not {text}")))
            }
            Err(why) => Err(bad(option, format!("cannot be written as JSON: {why}"))),
        }
    }

    /// The JSON, if it could be serialized; the start has checked that.
    pub(super) fn json(&self) -> Option<&Json> {
        self.0.as_ref().ok()
    }
}
