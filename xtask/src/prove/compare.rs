//! Which values of one JSON tree are not in another.

use rusty_claw_protocol::Json;
use serde::Serialize;
use serde_json::Value;

/// Paths of leaves that differ.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// In the text and not in what was written, or with another value there.
    pub(crate) lost: Vec<String>,
    /// Written, though the text does not have it.
    pub(crate) invented: Vec<String>,
}

/// What is lost between a text and what a typed value writes.
///
/// Both sides are read by the tolerant reader, so a half surrogate is U+FFFD on both.
pub(crate) fn against_text(text: &str, typed: &impl Serialize) -> Difference {
    let written = serde_json::to_string(typed)
        .ok()
        .and_then(|written| Json::from_text(&written).ok());
    match (Json::from_text(text), written) {
        (Ok(before), Some(after)) => difference(&before.to_value(), &after.to_value()),
        // A value that cannot be written has lost everything.
        _ => Difference {
            lost: vec!["(all)".to_owned()],
            invented: Vec::new(),
        },
    }
}

pub(crate) fn difference(before: &Value, after: &Value) -> Difference {
    let mut found = Difference::default();
    walk(before, after, &mut String::new(), &mut found);
    found
}

fn walk(before: &Value, after: &Value, path: &mut String, found: &mut Difference) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            for (key, value) in before {
                within(path, &format!(".{key}"), |path| match after.get(key) {
                    Some(other) => walk(value, other, path, found),
                    None => found.lost.push(path.clone()),
                });
            }
            for key in after.keys().filter(|key| !before.contains_key(*key)) {
                found.invented.push(format!("{path}.{key}"));
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            for (index, value) in before.iter().enumerate() {
                within(path, &format!("[{index}]"), |path| match after.get(index) {
                    Some(other) => walk(value, other, path, found),
                    None => found.lost.push(path.clone()),
                });
            }
            for index in before.len()..after.len() {
                found.invented.push(format!("{path}[{index}]"));
            }
        }
        _ if same_leaf(before, after) => {}
        _ => found.lost.push(path.clone()),
    }
}

fn within(path: &mut String, step: &str, inside: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(step);
    inside(path);
    path.truncate(length);
}

/// Numbers are the same by value: `7` and `7.0` are one number in JSON.
fn same_leaf(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::Number(a), Value::Number(b)) if !(a.is_f64() || b.is_f64()) => a == b,
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_leaf_counts() {
        let found = difference(
            &json!({"a": 1, "b": {"c": [1, 2, 3]}, "d": null, "e": "x"}),
            &json!({"a": 1.0, "b": {"c": [1, 9]}, "e": "y", "f": 1}),
        );
        assert_eq!(found.lost, [".b.c[1]", ".b.c[2]", ".d", ".e"]);
        assert_eq!(found.invented, [".f"]);
    }

    #[test]
    fn large_integers_are_not_compared_as_floats() {
        let found = difference(
            &json!(9_007_199_254_740_993_u64),
            &json!(9_007_199_254_740_992_u64),
        );
        assert_eq!(found.lost.len(), 1);
    }

    #[test]
    fn half_surrogates_compare_as_replacement_characters() {
        assert_eq!(
            against_text(r#"{"a":"\ud83d"}"#, &json!({"a": "\u{FFFD}"})),
            Difference::default()
        );
        assert_eq!(
            against_text(r#"{"a":"\ud83d"}"#, &json!({"a": "x"})).lost,
            [".a"]
        );
    }
}
