//! The names in a type model as paths, and the difference of two such sets.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::Result;
use serde_json::Value;

/// Members that name nothing: samples show what another kind of value means for the decoder.
const UNNAMED: &str = "package_version name kind optional open direction response";

/// Fields by which alternatives of a union are told apart.
const TAGS: [&str; 5] = ["type", "kind", "subtype", "status", "behavior"];

/// The difference of two models.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) appeared: Vec<String>,
    pub(super) disappeared: Vec<String>,
}

/// Compares. Names inside something that is itself new or gone are not listed again.
pub(super) fn compare(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Changes {
    Changes {
        appeared: added(old, new),
        disappeared: added(new, old),
    }
}

fn added(from: &BTreeSet<String>, to: &BTreeSet<String>) -> Vec<String> {
    let fresh: Vec<&String> = to.difference(from).collect();
    let parents: BTreeSet<&str> = fresh.iter().map(|name| name.as_str()).collect();
    // A type's name may hold a dot itself, so every cut is tried.
    let is_inside = |name: &str| {
        let mut cuts = name.match_indices(['.', ' ']);
        cuts.any(|(index, _)| parents.contains(&name[..index]))
    };
    let listed = fresh.into_iter().filter(|name| !is_inside(name));
    listed.cloned().collect()
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (label, names) in [("new", &self.appeared), ("gone", &self.disappeared)] {
            for name in names {
                writeln!(f, "  {label:<5} {name}")?;
            }
        }
        if *self == Self::default() {
            writeln!(f, "  the same")?;
        }
        Ok(())
    }
}

/// Every name in the text of a model. Fields belong to the named type that declares them, so that a
/// new field of a shared type is one name, however many messages carry it.
pub(super) fn of(model: &str) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    walk("model", &serde_json::from_str(model)?, &mut names);
    Ok(names)
}

fn walk(path: &str, value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if UNNAMED.split(' ').all(|unnamed| unnamed != key) {
                    walk(&format!("{path}.{key}"), member, names);
                }
            }
            names.insert(path.to_owned());
        }
        Value::Array(items) => {
            for item in items {
                let below = match (item["name"].as_str(), tag(item)) {
                    (Some(name), _) => format!("{path}.{name}"),
                    (None, Some(tag)) => format!("{path}<{tag}>"),
                    (None, None) => path.to_owned(),
                };
                walk(&below, item, names);
            }
            names.insert(path.to_owned());
        }
        scalar => {
            let text = scalar.as_str().map(str::to_owned);
            let text = text.unwrap_or_else(|| scalar.to_string());
            names.insert(format!("{path} = {text}"));
        }
    }
}

/// What tells an unnamed alternative of a union from the others.
fn tag(item: &Value) -> Option<&str> {
    let mut fields = item["fields"].as_array()?.iter();
    let is_tag = |field: &&Value| TAGS.iter().any(|tag| field["name"] == *tag);
    fields.find(is_tag)?["values"][0].as_str()
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

    fn changes(old: &str, new: &str) -> Changes {
        compare(&of(old).unwrap(), &of(new).unwrap())
    }

    #[test]
    fn each_new_name_is_listed_once_and_not_what_lies_inside_it() {
        let changes = changes(OLD, NEW);
        assert_eq!(
            changes.appeared,
            [
                "model.control_requests.Q",
                "model.definitions.A.fields.fresh",
                "model.definitions.A.fields.reason.values = y",
                "model.definitions.B",
                "model.hooks.inputs.T",
                "model.messages.A.discriminators.subtype = two",
                "model.messages.B",
                "model.options = colour",
            ]
        );
        assert_eq!(changes.disappeared, ["model.definitions.A.fields.gone"]);
    }

    #[test]
    fn equal_models_have_no_changes() {
        assert_eq!(changes(NEW, NEW), Changes::default());
    }

    #[test]
    fn a_type_name_with_a_dot_still_hides_its_fields() {
        let old = r#"{"definitions":{}}"#;
        let new = r#"{"definitions":{"api.T":{"kind":"object","fields":[{"name":"a","kind":"string"}]}}}"#;
        assert_eq!(changes(old, new).appeared, ["model.definitions.api.T"]);
    }

    #[test]
    fn alternatives_of_a_union_are_told_apart_by_their_tag() {
        let old = r#"{"definitions":{"U":{"kind":"union","of":[
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["a"]}]}]}}}"#;
        let new = r#"{"definitions":{"U":{"kind":"union","of":[
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["a"]}]},
            {"kind":"object","fields":[{"name":"kind","kind":"literal","values":["b"]}]}]}}}"#;
        assert_eq!(changes(old, new).appeared, ["model.definitions.U.of<b>"]);
    }
}
