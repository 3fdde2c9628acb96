//! The names in a type model as a flat set, so that two models can be compared.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use crate::type_file::model::{Field, Frame, Kind, Shape, TypeModel};

/// The category of a name. Reports list categories in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Category {
    MessageType,
    MessageSubtype,
    ControlRequest,
    ControlResponse,
    HookEvent,
    HookOutput,
    Tool,
    Permission,
    Option,
    Type,
    Field,
    /// A value of a closed set, such as one more stop reason.
    Value,
}

impl Category {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::MessageType => "message type",
            Self::MessageSubtype => "message subtype",
            Self::ControlRequest => "control request",
            Self::ControlResponse => "control response",
            Self::HookEvent => "hook event",
            Self::HookOutput => "hook output",
            Self::Tool => "tool",
            Self::Permission => "permission type",
            Self::Option => "option",
            Self::Type => "type",
            Self::Field => "field",
            Self::Value => "value",
        }
    }
}

/// A name and what it names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Name {
    pub(crate) category: Category,
    pub(crate) name: String,
}

/// Every name in a model. Fields belong to the named type that declares them, so that a new field
/// of a shared type is one name, however many messages carry it.
pub(crate) fn names(model: &TypeModel) -> BTreeSet<Name> {
    let mut names = Names::default();
    for frame in model.messages.iter().chain(&model.stdout_extra) {
        names.frame(frame);
    }
    for request in &model.control_requests {
        names.add(Category::ControlRequest, request.subtype.clone());
    }
    for response in model.control_responses.iter().chain(&model.query_results) {
        names.add(Category::ControlResponse, response.name.clone());
        names.walk(&response.name, &response.shape);
    }
    for input in &model.hooks.inputs {
        names.add(Category::HookEvent, input.event.clone());
    }
    for output in model
        .hooks
        .outputs
        .iter()
        .chain(&model.hooks.specific_outputs)
    {
        names.add(Category::HookOutput, output.name.clone());
    }
    for tool in model.tools.inputs.iter().chain(&model.tools.outputs) {
        names.add(Category::Tool, tool.name.clone());
    }
    for permission in &model.permissions {
        names.add(Category::Permission, permission.name.clone());
    }
    for option in &model.options {
        names.add(Category::Option, option.clone());
    }
    for (name, shape) in &model.definitions {
        names.add(Category::Type, name.clone());
        names.walk(name, shape);
    }
    names.0
}

#[derive(Default)]
struct Names(BTreeSet<Name>);

impl Names {
    fn add(&mut self, category: Category, name: String) {
        self.0.insert(Name { category, name });
    }

    fn frame(&mut self, frame: &Frame) {
        let texts = |key: &str| -> Vec<String> {
            frame
                .discriminators
                .get(key)
                .into_iter()
                .flatten()
                .map(text)
                .collect()
        };
        for kind in texts("type") {
            for subtype in texts("subtype") {
                self.add(Category::MessageSubtype, format!("{kind}/{subtype}"));
            }
            self.add(Category::MessageType, kind);
        }
    }

    fn walk(&mut self, path: &str, shape: &Shape) {
        if shape.nullable {
            self.add(Category::Value, format!("{path} = null"));
        }
        match &shape.kind {
            Kind::Literal { values } => {
                for value in values {
                    self.add(Category::Value, format!("{path} = {}", text(value)));
                }
            }
            Kind::Array { of } => self.walk(&format!("{path}[]"), of),
            Kind::Tuple { of } => {
                for (index, place) in of.iter().enumerate() {
                    self.walk(&format!("{path}[{index}]"), place);
                }
            }
            Kind::Record { of, keys } => {
                for key in keys {
                    self.add(Category::Value, format!("{path}{{}} key {key}"));
                }
                self.walk(&format!("{path}{{}}"), of);
            }
            Kind::Object { fields } => {
                for field in fields {
                    let path = format!("{path}.{}", field.name);
                    self.add(Category::Field, path.clone());
                    self.walk(&path, &field.shape);
                }
            }
            Kind::Union { of } => {
                for alternative in of {
                    let tag = tag(alternative).map_or_else(String::new, |tag| format!("<{tag}>"));
                    self.walk(&format!("{path}{tag}"), alternative);
                }
            }
            Kind::Ref { to } => self.add(Category::Value, format!("{path} = a {to}")),
            Kind::String
            | Kind::Number
            | Kind::Boolean
            | Kind::Null
            | Kind::Opaque
            | Kind::Never
            | Kind::Undefined
            | Kind::Function => {}
        }
    }
}

/// The tag of an unnamed alternative of a union.
fn tag(shape: &Shape) -> Option<String> {
    let Kind::Object { fields } = &shape.kind else {
        return None;
    };
    let literal = |field: &Field| match &field.shape.kind {
        Kind::Literal { values } if values.len() == 1 => values.first().map(text),
        _ => None,
    };
    ["type", "kind", "subtype", "status", "behavior"]
        .into_iter()
        .find_map(|name| {
            fields
                .iter()
                .find(|field| field.name == name)
                .and_then(literal)
        })
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
