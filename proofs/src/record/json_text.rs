//! Reading and editing JSON as text.
//!
//! Recordings must keep what the CLI printed: key order, number spelling, and lone surrogate
//! escapes that `serde_json` refuses as strings. So nothing here parses into values: one walker
//! visits every value with its path and copies, cuts or replaces its text.

use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// What becomes of one value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Copy it; objects and arrays are visited further.
    Keep,
    /// Cut a string after this many characters and write how many were removed.
    Cut(usize),
    /// Keep this many leading elements of an array, at least one, and write how many were removed.
    First(usize),
    /// Put this JSON text in its place.
    Replace(String),
}

/// One visited value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Visit<'a> {
    /// Keys joined by dots, `[]` for array elements: `message.content[].text`.
    pub(super) path: &'a str,
    /// The value's own text.
    pub(super) text: &'a str,
}

impl<'a> Visit<'a> {
    /// The last key.
    pub(super) fn key(&self) -> &'a str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    /// The characters of a string, with their escapes.
    pub(super) fn string(&self) -> Option<&'a str> {
        self.text.strip_prefix('"')?.strip_suffix('"')
    }
}

/// Applies `rule` to every value of `json`, outermost first. `None` when it is not one JSON value.
pub(super) fn edit(json: &str, rule: &mut dyn FnMut(Visit<'_>) -> Edit) -> Option<String> {
    let mut walker = Walker {
        json,
        done: 0,
        path: String::new(),
        out: String::new(),
        rule,
    };
    walker.value(serde_json::from_str::<&RawValue>(json).ok()?.get());
    walker.out.push_str(&json[walker.done..]);
    Some(walker.out)
}

/// Calls `see` for every value. `None` when `json` is not one JSON value.
pub(super) fn visit(json: &str, see: &mut dyn FnMut(Visit<'_>)) -> Option<()> {
    let keep = &mut |value: Visit<'_>| {
        see(value);
        Edit::Keep
    };
    edit(json, keep).map(drop)
}

/// The plain text of the string at `path`; escapes stay as they are.
pub(super) fn string_at(json: &str, path: &str) -> Option<String> {
    let mut found = None;
    visit(json, &mut |value| {
        if found.is_none() && value.path == path {
            found = value.string().map(str::to_owned);
        }
    })?;
    found
}

struct Walker<'a, 'r> {
    json: &'a str,
    /// The part of `json` before this is in `out`.
    done: usize,
    path: String,
    out: String,
    rule: &'r mut dyn FnMut(Visit<'_>) -> Edit,
}

impl<'a> Walker<'a, '_> {
    fn value(&mut self, text: &'a str) {
        let mut kept = usize::MAX;
        let path = self.path.as_str();
        match (self.rule)(Visit { path, text }) {
            Edit::Replace(new) => return self.replace(self.start(text), text, &new),
            Edit::Cut(keep) => {
                if let Some(new) = cut_string(text, keep) {
                    self.replace(self.start(text), text, &new);
                }
            }
            Edit::First(count) => kept = count,
            Edit::Keep => {}
        }
        match text.as_bytes().first() {
            Some(b'{') => {
                for [key, value] in parts(text).as_chunks::<2>().0 {
                    let dot = if self.path.is_empty() { "" } else { "." };
                    self.within(&format!("{dot}{}", &key[1..key.len() - 1]), value);
                }
            }
            Some(b'[') => {
                let items = parts(text);
                let (head, tail) = items.split_at(kept.min(items.len()));
                for item in head {
                    self.within("[]", item);
                }
                if let (Some(last_kept), Some(last)) = (head.last(), tail.last()) {
                    let end = self.start(last_kept) + last_kept.len();
                    self.replace(end, last, &format!(",{{\"elided\":{}}}", tail.len()));
                }
            }
            _ => {}
        }
    }

    fn within(&mut self, step: &str, value: &'a str) {
        let parent = self.path.len();
        self.path.push_str(step);
        self.value(value);
        self.path.truncate(parent);
    }

    /// The position of a part of the text.
    fn start(&self, part: &str) -> usize {
        part.as_ptr() as usize - self.json.as_ptr() as usize
    }

    /// Replaces the text from `start` to the end of `last`.
    fn replace(&mut self, start: usize, last: &str, new: &str) {
        self.out.push_str(&self.json[self.done..start]);
        self.out.push_str(new);
        self.done = self.start(last) + last.len();
    }
}

/// The elements of an array, or the keys and values of an object, in their order. Keys may repeat.
fn parts(json: &str) -> Vec<&str> {
    let mut rest = &json[1..];
    let next = || {
        let start = rest.trim_start_matches([',', ':', ' ', '\t', '\r', '\n']);
        let mut reader = Deserializer::from_str(start);
        // At the closing bracket there is no value.
        let part = <&RawValue>::deserialize(&mut reader).ok()?.get();
        rest = &start[part.len()..];
        Some(part)
    };
    std::iter::from_fn(next).collect()
}

/// How many characters a JSON string has, an escape or a surrogate pair being one.
pub(super) fn char_count(text: &str) -> usize {
    units(text).count()
}

/// Whether a JSON string was cut before; cutting it again would miscount.
pub(super) fn is_cut(text: &str) -> bool {
    text.strip_suffix(" chars elided]\"")
        .and_then(|start| start.rsplit_once("…[+"))
        .is_some_and(|(_, count)| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
}

/// Cuts a JSON string after `keep` characters, counting an escape as one and never between the two
/// halves of a surrogate pair. `None` if the marker would be longer than the text that it replaces.
fn cut_string(text: &str, keep: usize) -> Option<String> {
    let count = char_count(text);
    if !text.starts_with('"') || is_cut(text) || count <= keep + 20 {
        return None;
    }
    let kept: String = units(text).take(keep).collect();
    Some(format!("\"{kept}…[+{} chars elided]\"", count - keep))
}

/// The characters and escapes of a JSON string.
fn units(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.strip_prefix('"').unwrap_or(text);
    rest = rest.strip_suffix('"').unwrap_or(rest);
    std::iter::from_fn(move || {
        let (unit, next) = rest.split_at_checked(unit_len(rest))?;
        rest = next;
        (!unit.is_empty()).then_some(unit)
    })
}

/// Bytes of the first character or escape of a text.
fn unit_len(text: &str) -> usize {
    let is_half = |at: usize, digits: [u8; 4]| {
        let half = text.as_bytes().get(at..at + 4);
        half.is_some_and(|half| {
            half[..2] == *b"\\u" && half[2] | 32 == b'd' && digits.contains(&(half[3] | 32))
        })
    };
    if is_half(0, *b"89ab") && is_half(6, *b"cdef") {
        12
    } else if text.starts_with("\\u") {
        6
    } else if text.starts_with('\\') {
        2
    } else {
        text.chars().next().map_or(0, char::len_utf8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_what_no_rule_touches() {
        let json = r#" {"b":1.50,"a": [true,null,{"x":"\ud83d"}],"\ud83d":{},"d":[]} "#;
        assert_eq!(edit(json, &mut |_| Edit::Keep).as_deref(), Some(json));
    }

    #[test]
    fn refuses_what_is_not_one_value() {
        for bad in ["", "{", "{\"a\":1}x", "hello", "{\"a\" 1}", "[1,]"] {
            assert_eq!(edit(bad, &mut |_| Edit::Keep), None, "{bad}");
        }
    }

    #[test]
    fn cuts_strings_and_lists_with_a_marker() {
        let long = "x".repeat(100);
        let json = format!(r#"{{"d":"{long}","l":[1,2,3,4],"s":["a",[]]}}"#);
        let out = edit(&json, &mut |v| match v.path {
            "d" => Edit::Cut(10),
            "l" => Edit::First(2),
            "s[]" => Edit::Replace("{}".to_owned()),
            _ => Edit::Keep,
        });
        assert_eq!(
            out.as_deref(),
            Some(r#"{"d":"xxxxxxxxxx…[+90 chars elided]","l":[1,2,{"elided":2}],"s":[{},{}]}"#)
        );
    }

    #[test]
    fn cuts_never_inside_an_escape() {
        let json = format!("\"ab\\ud83d\\ude00{}\"", "\\n".repeat(50));
        let cut = cut_string(&json, 3);
        assert_eq!(
            cut.as_deref(),
            Some("\"ab\\ud83d\\ude00…[+50 chars elided]\"")
        );
    }

    #[test]
    fn visits_paths() {
        let mut paths = Vec::new();
        visit(r#"{"a":[{"b":1}],"c":"x"}"#, &mut |v| {
            paths.push(v.path.to_owned());
        });
        assert_eq!(paths, ["", "a", "a[]", "a[].b", "c"]);
        assert_eq!(
            string_at(r#"{"a":{"b":"\ud83d"}}"#, "a.b").as_deref(),
            Some("\\ud83d")
        );
    }
}
