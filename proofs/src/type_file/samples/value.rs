//! Values of a type: enough of them that every alternative of every union appears.
//!
//! An object needs as many values as the field with the most values, a union the sum of its alternatives, and
//! an array one: it holds every value that its elements can have.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};

use crate::spelling::snake;
use crate::type_file::model::{Field, Kind, Shape, TypeModel};

/// Which fields a sample has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Variant {
    /// Every field, nothing null.
    All,
    /// The required fields only, null wherever null is allowed.
    Required,
}

/// Every value of a type that a complete set of samples needs.
pub(super) fn all_values(model: &TypeModel, shape: &Shape, variant: Variant) -> Result<Vec<Value>> {
    let mut maker = Maker {
        model,
        variant,
        open: Vec::new(),
    };
    let values = maker.values(shape, "value");
    ensure!(
        !values.is_empty(),
        "the type refers to itself without an end, or is not data"
    );
    Ok(values)
}

struct Maker<'a> {
    model: &'a TypeModel,
    variant: Variant,
    /// Named types that are being made now: meeting one again ends the branch.
    open: Vec<&'a str>,
}

impl<'a> Maker<'a> {
    /// The values of a type in a field of that name; none if it has no values.
    fn values(&mut self, shape: &'a Shape, name: &str) -> Vec<Value> {
        if shape.nullable && self.variant == Variant::Required {
            return vec![Value::Null];
        }
        match &shape.kind {
            Kind::String => vec![json!(format!("s-{name}"))],
            Kind::Number => vec![number(name)],
            Kind::Boolean => vec![json!(true)],
            Kind::Null => vec![Value::Null],
            Kind::Opaque => vec![json!({ "k": format!("s-{name}") })],
            Kind::Never | Kind::Undefined | Kind::Function => Vec::new(),
            Kind::Literal { values } if matches!(name, "type" | "subtype") => values.clone(),
            Kind::Literal { values } => values.iter().take(1).cloned().collect(),
            Kind::Array { of } => vec![Value::Array(self.values(of, name))],
            Kind::Tuple { of } => {
                let first = |place| self.values(place, name).into_iter().next();
                vec![Value::Array(of.iter().filter_map(first).collect())]
            }
            Kind::Record { of, keys } => self.record(of, keys, name),
            Kind::Object { fields } => self.object(fields),
            Kind::Union { of } => of.iter().flat_map(|part| self.values(part, name)).collect(),
            Kind::Ref { to } => self.named(to, name),
        }
    }

    fn named(&mut self, to: &'a str, name: &str) -> Vec<Value> {
        let Some(shape) = self.model.definitions.get(to) else {
            return Vec::new();
        };
        if self.open.contains(&to) {
            return Vec::new();
        }
        self.open.push(to);
        let values = self.values(shape, name);
        self.open.pop();
        values
    }

    fn record(&mut self, of: &'a Shape, keys: &'a [String], name: &str) -> Vec<Value> {
        let values = self.values(of, name);
        let keys: Vec<&str> = match self.variant {
            _ if keys.is_empty() => vec!["k"],
            Variant::All => keys.iter().map(String::as_str).collect(),
            Variant::Required => keys.iter().take(1).map(String::as_str).collect(),
        };
        let with_keys = |value: Value| keys.iter().map(|key| (*key, value.clone())).collect();
        values.into_iter().map(with_keys).collect()
    }

    /// Fields are put in by name, so that the text does not depend on how maps are built.
    fn object(&mut self, fields: &'a [Field]) -> Vec<Value> {
        let mut columns = BTreeMap::new();
        for field in fields {
            if field.optional && self.variant == Variant::Required {
                continue;
            }
            let values = self.values(&field.shape, &field.name);
            if values.is_empty() {
                if field.optional || matches!(field.shape.kind, Kind::Never | Kind::Undefined) {
                    continue;
                }
                return Vec::new();
            }
            columns.insert(field.name.as_str(), values);
        }
        let rows = columns.values().map(Vec::len).max().unwrap_or(1);
        let row = |index: usize| {
            let at = |values: &Vec<Value>| values[index % values.len()].clone();
            let members = columns.iter().map(|(name, values)| (*name, at(values)));
            members.collect()
        };
        (0..rows).map(row).collect()
    }
}

/// Amounts of money and shares of a whole are fractions; a decoder that expects integers must fail.
fn number(name: &str) -> Value {
    const FRACTIONS: &str = "cost usd ratio percentage percent utilization fullness fraction";
    // By words, so that "duration" is not taken for a "ratio".
    let is_fraction = |word: &str| FRACTIONS.split(' ').any(|fraction| fraction == word);
    if snake(name).split('_').any(is_fraction) {
        json!(1.5)
    } else {
        json!(7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> TypeModel {
        serde_json::from_str(text).expect("a model")
    }

    fn shape(text: &str) -> Shape {
        serde_json::from_str(text).expect("a shape")
    }

    #[test]
    fn every_alternative_appears_once_whatever_the_depth() {
        let model = model(r#"{"definitions":{}}"#);
        let shape = shape(
            r#"{"kind":"object","fields":[
                {"name":"a","kind":"union","of":[{"kind":"string"},{"kind":"object","fields":[
                    {"name":"type","kind":"literal","values":["x","y"]}]}]},
                {"name":"b","optional":true,"kind":"number","nullable":true}]}"#,
        );
        let all = all_values(&model, &shape, Variant::All).expect("values");
        assert_eq!(
            all,
            vec![
                json!({"a":"s-a","b":7}),
                json!({"a":{"type":"x"},"b":7}),
                json!({"a":{"type":"y"},"b":7}),
            ]
        );
        let required = all_values(&model, &shape, Variant::Required).expect("values");
        assert_eq!(required.first(), Some(&json!({"a":"s-a"})));
    }

    #[test]
    fn a_type_that_contains_itself_ends() {
        let model = model(
            r#"{"definitions":{"Tree":{"kind":"object","fields":[
                {"name":"leaves","kind":"array","of":{"kind":"ref","to":"Tree"}},
                {"name":"parent","optional":true,"kind":"ref","to":"Tree"}]}}}"#,
        );
        let tree = shape(r#"{"kind":"ref","to":"Tree"}"#);
        let values = all_values(&model, &tree, Variant::All).expect("values");
        assert_eq!(values, vec![json!({"leaves":[]})]);
    }

    #[test]
    fn only_shares_and_money_are_fractions() {
        assert_eq!(number("total_cost_usd"), json!(1.5));
        assert_eq!(number("costUSD"), json!(1.5));
        assert_eq!(number("duration_ms"), json!(7));
    }
}
