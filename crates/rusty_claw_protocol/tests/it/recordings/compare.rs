//! Which values of one JSON text are not in another.
//!
//! Compared by another reader than ours: serde_json cuts the texts into tokens and reads the
//! strings, so that a wrong unescape or a lost digit of our own reader is seen. Numbers are never
//! turned into machine numbers but compared as decimal values, digit by digit.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rusty_claw_protocol::Json;
use serde::Serialize;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Deeper values are compared by our own reader: each level is cut from its text anew.
const DEEPEST: usize = 200;

/// Paths of leaves that differ.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Difference {
    /// In the text, but missing from the output or with another value there.
    pub(super) lost: Vec<String>,
    /// Written, though the text does not have it.
    pub(super) invented: Vec<String>,
    /// Values that the other reader refuses (half surrogates, raw control characters, too deep),
    /// so that ours compares them.
    pub(super) refused: usize,
}

/// What is lost between a text and what a typed value writes. A half surrogate is U+FFFD.
pub(super) fn against_text(text: &str, typed: &impl Serialize) -> Difference {
    match serde_json::to_string(typed) {
        Ok(written) => difference(text, &written),
        // A value that cannot be written has lost everything.
        Err(_) => Difference {
            lost: vec!["(all)".to_owned()],
            ..Difference::default()
        },
    }
}

fn difference(before: &str, after: &str) -> Difference {
    let mut found = Difference::default();
    let mut walk = Walk {
        path: String::new(),
        depth: 0,
        found: &mut found,
    };
    walk.values(before.trim(), after.trim());
    found
}

/// Where the comparison is.
struct Walk<'a> {
    path: String,
    depth: usize,
    found: &'a mut Difference,
}

impl Walk<'_> {
    fn values(&mut self, before: &str, after: &str) {
        if self.depth > DEEPEST {
            return self.by_own_reader(before, after);
        }
        let kinds = (before.as_bytes().first(), after.as_bytes().first());
        let same = match kinds {
            (Some(b'{'), Some(b'{')) => return self.objects(before, after),
            (Some(b'['), Some(b'[')) => return self.arrays(before, after),
            (Some(b'"'), Some(b'"')) => {
                let texts = (parse::<String>(before), parse::<String>(after));
                let (Some(before), Some(after)) = texts else {
                    return self.by_own_reader(before, after);
                };
                before == after
            }
            (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => same_number(before, after),
            _ => before == after,
        };
        if !same {
            self.lost();
        }
    }

    fn objects(&mut self, before: &str, after: &str) {
        let members = (parse::<Members<'_>>(before), parse::<Members<'_>>(after));
        let (Some(before), Some(after)) = members else {
            return self.by_own_reader(before, after);
        };
        // If several members have the same name, the last one counts, for the CLI too.
        let effective = |members: &Members<'_>| -> BTreeMap<String, String> {
            let members = members.0.iter();
            members
                .map(|(key, value)| (key.clone(), value.get().to_owned()))
                .collect()
        };
        let (wanted, written) = (effective(&before), effective(&after));
        for (key, value) in &wanted {
            self.within(&format!(".{key}"), |walk| match written.get(key) {
                Some(other) => walk.values(value, other),
                None => walk.lost(),
            });
        }
        for key in written.keys().filter(|key| !wanted.contains_key(*key)) {
            self.found.invented.push(format!("{}.{key}", self.path));
        }
        let mut keys = BTreeSet::new();
        let came = |key: &String| before.0.iter().filter(|(other, _)| other == key).count();
        let twice = after.0.iter().filter(|(key, _)| !keys.insert(key));
        for (key, _) in twice.filter(|(key, _)| came(key) < 2) {
            self.found
                .invented
                .push(format!("{}.{key} (a second time)", self.path));
        }
    }

    fn arrays(&mut self, before: &str, after: &str) {
        let items = (
            parse::<Vec<&RawValue>>(before),
            parse::<Vec<&RawValue>>(after),
        );
        let (Some(before), Some(after)) = items else {
            return self.by_own_reader(before, after);
        };
        for (index, value) in before.iter().enumerate() {
            self.within(&format!("[{index}]"), |walk| match after.get(index) {
                Some(other) => walk.values(value.get(), other.get()),
                None => walk.lost(),
            });
        }
        for index in before.len()..after.len() {
            self.found.invented.push(format!("{}[{index}]", self.path));
        }
    }

    fn by_own_reader(&mut self, before: &str, after: &str) {
        self.found.refused += 1;
        let read = |text| Json::from_text(text).ok().map(|json| json.to_value());
        if read(before).is_none_or(|value| Some(value) != read(after)) {
            self.lost();
        }
    }

    fn within(&mut self, step: &str, inside: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push_str(step);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.path.truncate(length);
    }

    fn lost(&mut self) {
        self.found.lost.push(self.path.clone());
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    serde_json::from_str(text).ok()
}

/// The members of an object in their order, also those of one name.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}

/// Numbers are the same by value: `7`, `7.0` and `70e-1` are one number in JSON.
fn same_number(before: &str, after: &str) -> bool {
    before == after || decimal(before).is_some_and(|number| Some(number) == decimal(after))
}

/// Sign, digits without zeros at either end, and the power of ten of the last digit.
/// `None` if the exponent is too large: such numbers are equal only if their text is.
fn decimal(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = text
        .strip_prefix('-')
        .map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let trimmed = digits.trim_end_matches('0');
    if trimmed.is_empty() {
        return Some((false, String::new(), 0));
    }
    let zeros = i64::try_from(digits.len() - trimmed.len()).ok()?;
    let exponent: i64 = exponent.parse().ok()?;
    let exponent = exponent
        .checked_sub(i64::try_from(fraction.len()).ok()?)?
        .checked_add(zeros)?;
    Some((negative, trimmed.to_owned(), exponent))
}

#[test]
fn every_leaf_counts() {
    let found = difference(
        r#"{"a": 1, "b": {"c": [1, 2, 3]}, "d": null, "e": "x"}"#,
        r#"{"a": 1.0, "b": {"c": [1, 9]}, "e": "y", "f": 1}"#,
    );
    assert_eq!(found.lost, [".b.c[1]", ".b.c[2]", ".d", ".e"]);
    assert_eq!(found.invented, [".f"]);
    assert_eq!(found.refused, 0);
}

#[test]
fn every_digit_counts_and_spelling_does_not() {
    for (a, b) in [
        ("7", "7.0"),
        ("7", "70e-1"),
        ("0.5", "5E-1"),
        ("-0", "0.00"),
        ("100", "1e2"),
        ("1e999999999999999999999", "1e999999999999999999999"),
    ] {
        assert!(same_number(a, b), "{a} {b}");
    }
    for (a, b) in [
        ("9007199254740993", "9007199254740992"),
        ("0.1000000000000000055", "0.1"),
        ("1", "-1"),
        ("1e400", "1e401"),
        ("1", "10"),
        ("1e999999999999999999999", "1e999999999999999999998"),
    ] {
        assert!(!same_number(a, b), "{a} {b}");
        assert_eq!(difference(a, b).lost.len(), 1);
    }
}

#[test]
fn strings_compare_by_their_characters() {
    let (escaped, plain) = (r#"["\u00e9\n\ud83e\udd80"]"#, "[\"é\\n🦀\"]");
    assert_eq!(difference(escaped, plain), Difference::default());
    assert_eq!(difference(r#"["\u00e9"]"#, r#"["e"]"#).lost, ["[0]"]);
    assert_eq!(difference(r#"["1"]"#, "[1]").lost, ["[0]"]);
}

#[test]
fn the_last_of_several_members_counts_and_none_is_doubled() {
    let twice = r#"{"a":1,"a":2}"#;
    assert_eq!(difference(twice, r#"{"a":2}"#), Difference::default());
    assert_eq!(difference(twice, twice), Difference::default());
    assert_eq!(difference(twice, r#"{"a":1}"#).lost, [".a"]);
    assert_eq!(difference(r#"{"a":2}"#, twice).invented.len(), 1);
}

#[test]
fn half_surrogates_compare_as_replacement_characters() {
    let text = r#"{"a":"\ud83d"}"#;
    let found = against_text(text, &serde_json::json!({"a": "\u{FFFD}"}));
    assert_eq!((found.lost.len(), found.refused), (0, 1));
    assert_eq!(
        against_text(text, &serde_json::json!({"a": "x"})).lost,
        [".a"]
    );
}

#[test]
fn what_is_too_deep_is_still_compared() {
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(400), "]".repeat(400));
    let same = difference(&deep("1"), &deep("1"));
    assert_eq!((same.lost.len(), same.refused), (0, 1));
    assert_eq!(difference(&deep("1"), &deep("2")).lost.len(), 1);
}
