//! The members of one JSON object, and the values of one array, as slices of the text, and changes
//! to them.

use std::borrow::Cow;
use std::ops::Range;

use rusty_claw_protocol::Json;

use crate::json::Cursor;

/// The members of an object in their order. Values are JSON text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Members<'a> {
    /// Reads a text; `None` if it is not one JSON object, or a name has a lone surrogate.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        Self::walk(Cursor::new(text))
    }

    /// Reads an object that may have control characters and unknown escapes in strings.
    #[cfg(feature = "usage")]
    pub(crate) fn read_lenient(text: &'a str) -> Option<Self> {
        Self::walk(Cursor::lenient(text))
    }

    fn walk(mut cursor: Cursor<'a>) -> Option<Self> {
        let mut members = Vec::new();
        cursor.object(|cursor, name| {
            members.push((name?, cursor.raw()?));
            Some(())
        })?;
        cursor.is_done().then_some(Self(members))
    }

    /// The JSON of a member. The last of duplicates wins, as in the CLI.
    pub(crate) fn get(&self, key: &str) -> Option<&'a str> {
        let mut named = self.0.iter().rev().filter(|(name, _)| name == key);
        named.next().map(|(_, value)| *value)
    }

    /// A member that is a string.
    pub(crate) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        string(self.get(key)?)
    }

    /// A member that is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Members<'a>> {
        Self::read(self.get(key)?)
    }

    /// Returns whether a member is exactly `true`.
    pub(crate) fn is_true(&self, key: &str) -> bool {
        self.get(key) == Some("true")
    }

    /// Returns whether a member exists and is truthy in JavaScript.
    pub(crate) fn is_truthy(&self, key: &str) -> bool {
        self.get(key).is_some_and(is_truthy)
    }

    /// All members in their order, including duplicates.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Cow<'a, str>, &'a str)> {
        self.0.iter().map(|(name, value)| (name, *value))
    }

    /// The members in their order, each name once, with its last value.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().enumerate().filter_map(|(at, (name, _))| {
            let first = self.0[..at].iter().all(|(earlier, _)| earlier != name);
            first.then(|| (&**name, self.get(name).unwrap_or("null")))
        })
    }
}

/// Returns whether a value is truthy in JavaScript.
pub(crate) fn is_truthy(value: &str) -> bool {
    !matches!(value, "false" | "null" | "0" | "-0" | "0.0" | "\"\"")
}

/// Decodes a value that is a string. Lone surrogates become U+FFFD.
pub(crate) fn string(value: &str) -> Option<Cow<'_, str>> {
    let inner = inner(value)?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let json = Json::from_text(value).ok()?;
    json.to_text().map(Cow::Owned)
}

/// The values of an array; empty if the text is not one.
pub(crate) fn list(value: &str) -> Vec<&str> {
    let mut values = Vec::new();
    let mut cursor = Cursor::new(value);
    let whole = cursor.list(|cursor| {
        values.push(cursor.raw()?);
        Some(())
    });
    match whole {
        Some(()) if cursor.is_done() => values,
        _ => Vec::new(),
    }
}

/// The text between the quotes of a string, with escapes as written.
pub(crate) fn inner(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"')
}

/// Removes the white space between the tokens of a value. The CLI searches for some members by
/// their text, and finds only compact JSON.
pub(crate) fn compact(value: &str) -> Cow<'_, str> {
    let is_space = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if !value.contains(is_space) {
        return Cow::Borrowed(value);
    }
    let (mut in_string, mut escaped) = (false, false);
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if !in_string && is_space(c) {
            continue;
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        out.push(c);
    }
    Cow::Owned(out)
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The range of a slice that was borrowed from a text.
pub(crate) fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    start..start + part.len()
}

/// A new object with the members of another one, in their order, and with changes.
#[derive(Debug)]
pub(crate) struct Rewrite(Vec<(String, String)>);

impl Rewrite {
    pub(crate) fn of(members: &Members<'_>) -> Self {
        let members = members.iter();
        Self(
            members
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    /// Sets a member. A new member is appended.
    pub(crate) fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    pub(crate) fn finish(self) -> String {
        let members: Vec<String> = self
            .0
            .into_iter()
            .map(|(name, value)| format!("{}:{}", quoted(&name), compact(&value)))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Replacements of parts of a text. Everything else keeps its bytes.
#[derive(Debug, Default)]
pub(crate) struct Changes(pub(crate) Vec<(Range<usize>, String)>);

impl Changes {
    /// Sets a member of an object that was borrowed from the text. A new member is inserted first.
    pub(crate) fn set(&mut self, text: &str, object: &str, name: &str, value: String) {
        let members = Members::read(object).unwrap_or_default();
        match members.get(name) {
            Some(old) => self.replace(text, old, value),
            None => {
                let first = range_in(text, object).start + 1;
                let comma = members.all().next().map_or("", |_| ",");
                let member = format!("{}:{value}{comma}", quoted(name));
                self.0.push((first..first, member));
            }
        }
    }

    /// Replaces a part that was borrowed from the text.
    pub(crate) fn replace(&mut self, text: &str, part: &str, value: String) {
        self.0.push((range_in(text, part), value));
    }

    pub(crate) fn apply(mut self, text: &str) -> String {
        // An insertion before a part comes before the replacement of the part.
        self.0.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut done = 0;
        for (range, value) in self.0 {
            debug_assert!(range.start >= done, "two changes overlap in {text}");
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            out.push_str(&value);
            done = range.end;
        }
        out.push_str(&text[done..]);
        out
    }
}
