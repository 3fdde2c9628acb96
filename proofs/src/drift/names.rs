//! The names in a type model as a flat set, and the difference of two such sets.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::type_file::model::{Field, Frame, Kind, Shape, TypeModel};

/// What is named, and its name.
pub(super) type Name = (&'static str, String);

const TYPE: &str = "type";
const FIELD: &str = "field";
/// A value of a closed set, such as one more stop reason.
const VALUE: &str = "value";

/// The difference of two models.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) appeared: Vec<Name>,
    pub(super) disappeared: Vec<Name>,
}

/// Compares. Names inside a type that is itself new or gone are not listed again.
pub(super) fn compare(old: &BTreeSet<Name>, new: &BTreeSet<Name>) -> Changes {
    Changes {
        appeared: added(old, new),
        disappeared: added(new, old),
    }
}

fn added(from: &BTreeSet<Name>, to: &BTreeSet<Name>) -> Vec<Name> {
    let fresh: Vec<&Name> = to.difference(from).collect();
    let parents = fresh
        .iter()
        .filter(|(what, _)| [TYPE, FIELD].contains(what));
    let parents: BTreeSet<&str> = parents.map(|(_, name)| name.as_str()).collect();
    let is_inside = |(what, name): &Name| {
        [FIELD, VALUE].contains(what) && prefixes(name).any(|part| parents.contains(part))
    };
    let listed = fresh.into_iter().filter(|name| !is_inside(name));
    listed.cloned().collect()
}

/// The paths that contain this one. A type's name may hold a dot itself, so every cut is offered.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let is_cut = |letter| matches!(letter, '.' | '[' | '{' | '<' | ' ');
    let cuts = path.match_indices(is_cut);
    cuts.map(move |(index, _)| &path[..index])
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, names) in [("new", &self.appeared), ("gone", &self.disappeared)] {
            for (what, name) in names {
                writeln!(f, "  {label:<5} {what:<17} {name}")?;
            }
        }
        if *self == Self::default() {
            writeln!(f, "  the same")?;
        }
        Ok(())
    }
}

/// Every name in a model. Fields belong to the named type that declares them, so that a new field
/// of a shared type is one name, however many messages carry it.
pub(super) fn of(model: &TypeModel) -> BTreeSet<Name> {
    let mut names = Names::default();
    for frame in model.messages.iter().chain(&model.stdout_extra) {
        names.frame(frame);
    }
    for response in model.control_responses.iter().chain(&model.query_results) {
        names.add("control response", &response.name);
        names.walk(&response.name, &response.shape);
    }
    let requests = model.control_requests.iter();
    names.all("control request", requests.map(|request| &request.subtype));
    let inputs = model.hooks.inputs.iter();
    names.all("hook event", inputs.map(|input| &input.event));
    let outputs = model
        .hooks
        .outputs
        .iter()
        .chain(&model.hooks.specific_outputs);
    names.all("hook output", outputs.map(|output| &output.name));
    let tools = model.tools.inputs.iter().chain(&model.tools.outputs);
    names.all("tool", tools.map(|tool| &tool.name));
    names.all(
        "permission type",
        model.permissions.iter().map(|it| &it.name),
    );
    names.all("option", model.options.iter());
    for (name, shape) in &model.definitions {
        names.add(TYPE, name);
        names.walk(name, shape);
    }
    names.0
}

#[derive(Default)]
struct Names(BTreeSet<Name>);

impl Names {
    fn add(&mut self, what: &'static str, name: impl Into<String>) {
        self.0.insert((what, name.into()));
    }

    fn all<'a>(&mut self, what: &'static str, names: impl Iterator<Item = &'a String>) {
        self.0.extend(names.map(|name| (what, name.clone())));
    }

    fn frame(&mut self, frame: &Frame) {
        let values = |key: &str| frame.discriminators.get(key).into_iter().flatten();
        for kind in values("type").map(text) {
            for subtype in values("subtype").map(text) {
                self.add("message subtype", format!("{kind}/{subtype}"));
            }
            self.add("message type", kind);
        }
    }

    fn walk(&mut self, path: &str, shape: &Shape) {
        if shape.nullable {
            self.add(VALUE, format!("{path} = null"));
        }
        match &shape.kind {
            Kind::Literal { values } => {
                for value in values {
                    self.add(VALUE, format!("{path} = {}", text(value)));
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
                    self.add(VALUE, format!("{path}{{}} key {key}"));
                }
                self.walk(&format!("{path}{{}}"), of);
            }
            Kind::Object { fields } => {
                for field in fields {
                    let path = format!("{path}.{}", field.name);
                    self.add(FIELD, path.as_str());
                    self.walk(&path, &field.shape);
                }
            }
            Kind::Union { of } => {
                for alternative in of {
                    let tag = tag(alternative).map_or_else(String::new, |tag| format!("<{tag}>"));
                    self.walk(&format!("{path}{tag}"), alternative);
                }
            }
            Kind::Ref { to } => self.add(VALUE, format!("{path} = a {to}")),
            _ => {}
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
    let field = |tag: &str| fields.iter().find(|field| field.name == tag);
    let mut tags = ["type", "kind", "subtype", "status", "behavior"].into_iter();
    tags.find_map(|tag| field(tag).and_then(literal))
}

fn text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = r#"{
        "messages":[{"name":"A","discriminators":{"type":["system"],"subtype":["one"]},"type":{"kind":"ref","to":"A"}}],
        "control_requests":[{"name":"R","subtype":"interrupt","direction":"sdk_to_cli","type":{"kind":"ref","to":"R"}}],
        "hooks":{"inputs":[{"event":"Stop","name":"S","type":{"kind":"ref","to":"S"}}]},
        "options":["cwd"],
        "definitions":{
            "A":{"kind":"object","fields":[{"name":"reason","kind":"literal","values":["x"]},{"name":"gone","kind":"string"}]},
            "R":{"kind":"object","fields":[]},"S":{"kind":"object","fields":[]}}}"#;
    const NEW: &str = r#"{
        "messages":[
            {"name":"A","discriminators":{"type":["system"],"subtype":["one","two"]},"type":{"kind":"ref","to":"A"}},
            {"name":"B","discriminators":{"type":["news"]},"type":{"kind":"ref","to":"B"}}],
        "control_requests":[
            {"name":"R","subtype":"interrupt","direction":"sdk_to_cli","type":{"kind":"ref","to":"R"}},
            {"name":"Q","subtype":"quit","direction":"cli_to_sdk","type":{"kind":"ref","to":"R"}}],
        "hooks":{"inputs":[
            {"event":"Stop","name":"S","type":{"kind":"ref","to":"S"}},
            {"event":"Start","name":"T","type":{"kind":"ref","to":"S"}}]},
        "options":["cwd","colour"],
        "definitions":{
            "A":{"kind":"object","fields":[
                {"name":"reason","kind":"literal","values":["x","y"]},
                {"name":"fresh","optional":true,"kind":"object","fields":[{"name":"inside","kind":"string"}]}]},
            "B":{"kind":"object","fields":[{"name":"type","kind":"literal","values":["news"]}]},
            "R":{"kind":"object","fields":[]},"S":{"kind":"object","fields":[]}}}"#;

    fn model(text: &str) -> BTreeSet<Name> {
        of(&serde_json::from_str::<TypeModel>(text).expect("a model"))
    }

    fn lines(names: &[Name]) -> Vec<String> {
        let line = |(what, name): &Name| format!("{what}: {name}");
        names.iter().map(line).collect()
    }

    #[test]
    fn each_new_name_is_listed_once_and_not_what_lies_inside_it() {
        let changes = compare(&model(OLD), &model(NEW));
        assert_eq!(
            lines(&changes.appeared),
            [
                "control request: quit",
                "field: A.fresh",
                "hook event: Start",
                "message subtype: system/two",
                "message type: news",
                "option: colour",
                "type: B",
                "value: A.reason = y",
            ]
        );
        assert_eq!(lines(&changes.disappeared), ["field: A.gone"]);
    }

    #[test]
    fn equal_models_have_no_changes() {
        assert_eq!(compare(&model(NEW), &model(NEW)), Changes::default());
    }

    #[test]
    fn a_type_name_with_a_dot_still_hides_its_fields() {
        let old = r#"{"definitions":{}}"#;
        let new = r#"{"definitions":{"api.T":{"kind":"object","fields":[{"name":"a","kind":"string"}]}}}"#;
        assert_eq!(
            lines(&compare(&model(old), &model(new)).appeared),
            ["type: api.T"]
        );
    }

    #[test]
    fn alternatives_of_a_union_are_told_apart_by_their_tag() {
        let old = r#"{"definitions":{"U":{"kind":"union","of":[
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["a"]}]}]}}}"#;
        let new = r#"{"definitions":{"U":{"kind":"union","of":[
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["a"]}]},
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["b"]}]}]}}}"#;
        assert_eq!(
            lines(&compare(&model(old), &model(new)).appeared),
            ["field: U<b>.kind"]
        );
    }
}
