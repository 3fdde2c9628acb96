//! The model of the type files; `testdata/types/README.md` describes each part.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// What samples need of one version of the package.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TypeModel {
    /// The alternatives of what the CLI prints.
    pub(crate) messages: Vec<Named>,
    pub(crate) stdout_extra: Vec<Named>,
    pub(crate) control_requests: Vec<ControlRequest>,
    pub(crate) control_responses: Vec<Named>,
    pub(crate) query_results: Vec<Named>,
    pub(crate) hooks: Hooks,
    pub(crate) permissions: Vec<Named>,
    pub(crate) tools: Tools,
    pub(crate) definitions: BTreeMap<String, Shape>,
}

/// One member of the control request union.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ControlRequest {
    pub(crate) name: String,
    pub(crate) subtype: String,
    pub(crate) direction: Direction,
    /// The type of the answer's payload, where the file names one after the request.
    pub(crate) response: Option<String>,
    #[serde(rename = "type")]
    pub(crate) shape: Shape,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Direction {
    SdkToCli,
    CliToSdk,
}

/// A type and the name it goes by.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) shape: Shape,
}

/// Hook inputs and outputs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Hooks {
    pub(crate) inputs: Vec<HookInput>,
    pub(crate) outputs: Vec<Named>,
}

/// The input of one hook event.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct HookInput {
    pub(crate) event: String,
    #[serde(rename = "type")]
    pub(crate) shape: Shape,
}

/// Built-in tools.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Tools {
    pub(crate) inputs: Vec<Named>,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Shape {
    #[serde(flatten)]
    pub(crate) kind: Kind,
    #[serde(default)]
    pub(crate) nullable: bool,
}

/// What a type is made of.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Kind {
    String,
    Number,
    Boolean,
    Null,
    /// Any JSON.
    Opaque,
    /// No value can have this type.
    Never,
    Undefined,
    Function,
    Literal {
        values: Vec<Value>,
    },
    Array {
        of: Box<Shape>,
    },
    Tuple {
        of: Vec<Shape>,
    },
    Record {
        of: Box<Shape>,
        #[serde(default)]
        keys: Vec<String>,
    },
    Object {
        fields: Vec<Field>,
    },
    Union {
        of: Vec<Shape>,
    },
    /// A key of [`TypeModel::definitions`].
    Ref {
        to: String,
    },
}

/// One field of an object.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Field {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) optional: bool,
    #[serde(flatten)]
    pub(crate) shape: Shape,
}
