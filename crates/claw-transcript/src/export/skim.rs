//! The members of JSON that was read before.
//!
//! A line is checked once, when it becomes an entry. What lies in it is then known to be JSON, and
//! finding its members again is only a matter of finding where strings and brackets end. That is
//! several times faster than reading it again, and most of a session is in long strings.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::entry::{Dialect, Entry, Kind, Part};
use crate::lines::readable;
use crate::members as checked;

/// A line that the tree has read, as an entry. `None` when it is none any more, since the file
/// changed meanwhile.
pub(super) fn entry(raw: &[u8]) -> Option<Entry<'_>> {
    let text = readable(raw);
    text.starts_with('{').then(|| Entry::known(text, ranges))
}

/// Where names and values lie in the text of an object.
fn ranges(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let range = |part: &str| {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        start..start + part.len()
    };
    let found = members(text);
    found
        .map(|(name, value)| (range(name), range(value)))
        .collect()
}

/// The members of an object, found once.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Fields<'a> {
    pub(super) fn of(json: &'a str) -> Self {
        Self(members(json).collect())
    }

    /// The last member of this name.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let mut all = self.0.iter().rev();
        all.find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    /// What is between the quotes of a member that is a string.
    pub(super) fn inner(&self, name: &str) -> Option<&'a str> {
        quoted(self.get(name)?)
    }

    pub(super) fn string(&self, name: &str) -> Option<Cow<'a, str>> {
        checked::string(self.get(name)?)
    }

    /// All members, their names as JSON without quotes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().copied()
    }
}

/// What is between the quotes of a JSON string.
pub(super) fn quoted(json: &str) -> Option<&str> {
    json.strip_prefix('"')?.strip_suffix('"')
}

/// What [`Entry::parts`] gives, without reading the line again.
pub(super) fn parts<'e>(entry: &'e Entry<'_>) -> Vec<Part<'e>> {
    let said = matches!(entry.kind(), Kind::User | Kind::Assistant);
    if entry.dialect() != Dialect::Disk || !said {
        return entry.parts();
    }
    let content = entry
        .get("message")
        .and_then(|message| get(message, "content"));
    let mut parts = of_content(content.unwrap_or_default());
    let mut answers = parts.iter_mut().filter_map(|part| match part {
        Part::Answer { structured, .. } => Some(structured),
        _ => None,
    });
    if let (Some(structured), None) = (answers.next(), answers.next()) {
        let kept = entry.get("toolUseResult");
        *structured = kept.or_else(|| entry.get("tool_use_result"));
    }
    parts
}

fn of_content(content: &str) -> Vec<Part<'_>> {
    match checked::string(content) {
        Some(text) => vec![Part::Text(text)],
        None => list(content).map(of_block).collect(),
    }
}

/// The blocks that sessions consist of are taken apart here; all others are read with care.
fn of_block(json: &str) -> Part<'_> {
    let block = Fields::of(json);
    match block.get("type") {
        Some("\"text\"") => match block.string("text") {
            Some(text) => Part::Text(text),
            None => Part::of_block(json),
        },
        Some("\"thinking\"") => Part::Thinking {
            text: block.string("thinking").unwrap_or_default(),
            redacted: false,
        },
        Some("\"tool_use\"") => Part::Call {
            id: block.string("id"),
            name: block.string("name"),
            input: block.get("input"),
            by_server: false,
        },
        Some("\"tool_result\"") if block.get("tool_use_id").is_some() => Part::Answer {
            call: block.string("tool_use_id"),
            content: block.get("content"),
            is_error: block.get("is_error") == Some("true"),
            structured: None,
        },
        _ => Part::of_block(json),
    }
}

/// The members of an object, as they stand in its text: the name between its quotes, and the
/// value. Nothing for text that is no object. Text that is no JSON gives nonsense, but ends.
pub(super) fn members(json: &str) -> Members<'_> {
    let inside = json.strip_prefix('{');
    Members {
        text: json,
        at: inside.map_or(json.len(), |_| 1),
    }
}

/// The last member of this name, between quotes in the text as JSON. A name with escapes in it is
/// none that anybody asks for.
pub(super) fn get<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let named = members(json).filter(|(own, _)| *own == name);
    named.last().map(|(_, value)| value)
}

/// The values of a list.
pub(super) fn list(json: &str) -> List<'_> {
    let inside = json.strip_prefix('[');
    List {
        text: json,
        at: inside.map_or(json.len(), |_| 1),
    }
}

pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let start = skip_to(bytes, self.at, b'"')?;
        let end = string_end(bytes, start)?;
        let name = self.text.get(start + 1..end - 1)?;
        let colon = skip_to(bytes, end, b':')?;
        let (from, to) = value(bytes, colon + 1)?;
        self.at = to;
        Some((name, self.text.get(from..to)?))
    }
}

pub(super) struct List<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for List<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<Self::Item> {
        let (from, to) = value(self.text.as_bytes(), self.at)?;
        self.at = to;
        self.text.get(from..to)
    }
}

/// The next such byte behind white space and a comma.
fn skip_to(bytes: &[u8], mut at: usize, byte: u8) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            found if *found == byte => return Some(at),
            b' ' | b'\t' | b'\n' | b'\r' | b',' => at += 1,
            _ => return None,
        }
    }
}

/// Where a string ends that begins with the quote at `start`: behind its last quote. Escaped
/// quotes are rarer than other escapes, so only quotes are looked for.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut from = start + 1;
    loop {
        let quote = from + memchr(b'"', bytes.get(from..)?)?;
        let before = bytes[from..quote].iter().rev();
        let slashes = before.take_while(|b| **b == b'\\').count();
        if slashes % 2 == 0 {
            return Some(quote + 1);
        }
        from = quote + 1;
    }
}

/// Where the next value begins and ends.
fn value(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    while matches!(bytes.get(at)?, b' ' | b'\t' | b'\n' | b'\r' | b',') {
        at += 1;
    }
    let from = at;
    match bytes[at] {
        b'"' => Some((from, string_end(bytes, from)?)),
        b'{' | b'[' => {
            let mut depth = 0usize;
            loop {
                match bytes.get(at)? {
                    b'"' => {
                        at = string_end(bytes, at)?;
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth = depth.checked_sub(1)?,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return Some((from, at));
                }
            }
        }
        b'}' | b']' => None,
        _ => {
            let ends = |b: &u8| matches!(b, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r');
            let length = bytes[at..]
                .iter()
                .position(ends)
                .unwrap_or(bytes.len() - at);
            Some((from, at + length.max(1)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_where_they_are() {
        let json = r#" {"a":1,"b" : "x\"}\\" , "c":{"d":["]",{}]},"e":[],"a":null,"":true}"#.trim();
        let found: Vec<(&str, &str)> = members(json).collect();
        let expected = [
            ("a", "1"),
            ("b", r#""x\"}\\""#),
            ("c", r#"{"d":["]",{}]}"#),
            ("e", "[]"),
            ("a", "null"),
            ("", "true"),
        ];
        assert_eq!(found, expected);
        assert_eq!(get(json, "a"), Some("null"));
        assert_eq!(get(json, "z"), None);
        let items: Vec<&str> = list(r#"[1, "a,b" ,{"x":[2]},[],-3.5e1]"#).collect();
        assert_eq!(items, ["1", r#""a,b""#, r#"{"x":[2]}"#, "[]", "-3.5e1"]);
        assert_eq!(
            list("[]").count() + members("{}").count() + list("1").count(),
            0
        );
    }

    #[test]
    fn parts_are_what_reading_with_care_gives() {
        for line in [
            r#"{"type":"user","sessionId":"s","message":{"role":"user","content":"a\n\"b\" \ud83d"}}"#,
            r#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"text","text":"x"},{"type":"text"},{"type":"thinking","thinking":"t\\"},{"type":"redacted_thinking"}]}}"#,
            r#"{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}},{"type":"server_tool_use","id":"u"},{"input":[1],"type":"tool_use"}]}}"#,
            r#"{"type":"user","sessionId":"s","toolUseResult":{"a":1},"message":{"content":[{"tool_use_id":"t","type":"tool_result","content":[{"type":"text","text":"x"}],"is_error":true}]}}"#,
            r#"{"type":"user","sessionId":"s","message":{"content":[{"type":"image","source":{"data":"aa","media_type":"image/png"}},{"type":"tool_result"},{"\u0074ype":"text","text":"y"},"bare",7,[]]}}"#,
            r#"{"type":"user","sessionId":"s","message":{"content":[],"content":"last"}}"#,
            r#" {"type":"user","sessionId":"s", "\u0061\"" : [ 1 , {} ] }"#,
            r#"{"type":"user","uuid":"1","sessionId":"s","message":"of the document"}"#,
            r#"{"type":"system","sessionId":"s","version":"1","content":"notice"}"#,
        ] {
            let entry = Entry::read(line.as_bytes()).expect("an entry");
            assert_eq!(parts(&entry), entry.parts(), "{line}");
            let known = super::entry(line.as_bytes()).expect("an entry");
            assert_eq!(known.kind(), entry.kind());
            assert_eq!(known.dialect(), entry.dialect());
            assert!(known.members().eq(entry.members()), "{line}");
        }
    }

    #[test]
    fn text_that_is_no_json_ends() {
        for text in [
            "{", "{\"", "{\"a", "{\"a\":", "{\"a\":[", "[[[[", "[,", "{\"a\":}", "[\"\\", "]", "é",
            "[é",
        ] {
            assert!(members(text).count() + list(text).count() < 10, "{text}");
        }
    }
}
