//! The difference between two sets of names.

use std::collections::BTreeSet;

use serde::Serialize;

use super::flatten::{Category, Name};

/// The difference of two models.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Changes {
    pub(crate) appeared: Vec<Name>,
    pub(crate) disappeared: Vec<Name>,
}

/// Compares. Names inside a type that is itself new or gone are not listed again.
pub(crate) fn compare(old: &BTreeSet<Name>, new: &BTreeSet<Name>) -> Changes {
    Changes {
        appeared: added(old, new),
        disappeared: added(new, old),
    }
}

fn added(from: &BTreeSet<Name>, to: &BTreeSet<Name>) -> Vec<Name> {
    let fresh: Vec<&Name> = to.difference(from).collect();
    let parents: BTreeSet<&str> = fresh
        .iter()
        .filter(|name| matches!(name.category, Category::Type | Category::Field))
        .map(|name| name.name.as_str())
        .collect();
    fresh
        .iter()
        .filter(|name| match name.category {
            Category::Field | Category::Value => !prefixes(name).any(|part| parents.contains(part)),
            _ => true,
        })
        .map(|name| (*name).clone())
        .collect()
}

/// The paths that contain this one. A type's name may hold a dot itself, so every cut is offered.
fn prefixes(name: &Name) -> impl Iterator<Item = &str> {
    let path = name.name.as_str();
    path.char_indices()
        .filter(|(_, letter)| matches!(letter, '.' | '[' | '{' | '<' | ' '))
        .map(move |(index, _)| &path[..index])
}

#[cfg(test)]
mod tests {
    use super::super::flatten::names;
    use super::*;
    use crate::type_file::model::TypeModel;

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
        names(&serde_json::from_str::<TypeModel>(text).expect("a model"))
    }

    fn lines(names: &[Name]) -> Vec<String> {
        names
            .iter()
            .map(|name| format!("{}: {}", name.category.label(), name.name))
            .collect()
    }

    #[test]
    fn each_new_name_is_listed_once_and_not_what_lies_inside_it() {
        let changes = compare(&model(OLD), &model(NEW));
        assert_eq!(
            lines(&changes.appeared),
            [
                "message type: news",
                "message subtype: system/two",
                "control request: quit",
                "hook event: Start",
                "option: colour",
                "type: B",
                "field: A.fresh",
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
