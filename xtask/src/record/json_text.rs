//! Reading and editing JSON as text.
//!
//! Recordings must keep what the CLI printed: key order, number spelling, and lone surrogate
//! escapes that `serde_json` refuses. So nothing here parses into values; one walker visits every
//! value with its path and copies, cuts or replaces its text.

/// What becomes of one value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Copy it; objects and arrays are visited further.
    Keep,
    /// Cut a string after this many characters and write how many were removed.
    Cut(usize),
    /// Keep this many leading elements of an array and write how many were removed.
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

/// Applies `rule` to every value of `json`, outermost first. `None` when it is not one JSON value.
pub(super) fn edit(json: &str, rule: &mut dyn FnMut(Visit<'_>) -> Edit) -> Option<String> {
    let mut walker = Walker {
        json,
        at: 0,
        path: String::new(),
        out: String::new(),
        rule,
    };
    walker.space();
    walker.value()?;
    walker.space();
    (walker.at == json.len()).then_some(walker.out)
}

/// Calls `see` for every value. `None` when `json` is not one JSON value.
pub(super) fn visit(json: &str, see: &mut dyn FnMut(Visit<'_>)) -> Option<()> {
    edit(json, &mut |value| {
        see(value);
        Edit::Keep
    })
    .map(drop)
}

/// The plain text of the string at `path`; escapes stay as they are.
pub(super) fn string_at(json: &str, path: &str) -> Option<String> {
    let mut found = None;
    visit(json, &mut |value| {
        if found.is_none() && value.path == path {
            found = value
                .text
                .strip_prefix('"')
                .and_then(|t| t.strip_suffix('"'))
                .map(str::to_owned);
        }
    })?;
    found
}

struct Walker<'a, 'r> {
    json: &'a str,
    at: usize,
    path: String,
    out: String,
    rule: &'r mut dyn FnMut(Visit<'_>) -> Edit,
}

impl<'a> Walker<'a, '_> {
    fn byte(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    /// Copies white space.
    fn space(&mut self) {
        let start = self.at;
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.out.push_str(&self.json[start..self.at]);
    }

    /// Copies one expected byte.
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then(|| {
            self.at += 1;
            self.out.push(char::from(byte));
        })
    }

    fn value(&mut self) -> Option<()> {
        let end = end_of_value(self.json, self.at)?;
        let text = &self.json[self.at..end];
        match (self.rule)(Visit {
            path: &self.path,
            text,
        }) {
            Edit::Replace(new) => {
                self.out.push_str(&new);
                self.at = end;
                Some(())
            }
            Edit::Cut(keep) if text.starts_with('"') => {
                self.out.push_str(&cut_string(text, keep));
                self.at = end;
                Some(())
            }
            Edit::First(keep) if text.starts_with('[') => self.array(keep),
            _ => match self.byte()? {
                b'{' => self.object(),
                b'[' => self.array(usize::MAX),
                _ => {
                    self.out.push_str(text);
                    self.at = end;
                    Some(())
                }
            },
        }
    }

    fn object(&mut self) -> Option<()> {
        self.expect(b'{')?;
        self.space();
        if self.byte()? == b'}' {
            return self.expect(b'}');
        }
        loop {
            self.space();
            let end = end_of_value(self.json, self.at)?;
            let key = self.json[self.at..end]
                .strip_prefix('"')?
                .strip_suffix('"')?;
            self.out.push_str(&self.json[self.at..end]);
            self.at = end;
            self.space();
            self.expect(b':')?;
            self.space();
            let parent = self.path.len();
            if parent > 0 {
                self.path.push('.');
            }
            self.path.push_str(key);
            self.value()?;
            self.path.truncate(parent);
            self.space();
            if self.byte()? == b'}' {
                return self.expect(b'}');
            }
            self.expect(b',')?;
        }
    }

    fn array(&mut self, keep: usize) -> Option<()> {
        self.expect(b'[')?;
        self.space();
        if self.byte()? == b']' {
            return self.expect(b']');
        }
        let parent = self.path.len();
        self.path.push_str("[]");
        let (mut seen, mut kept_len) = (0_usize, self.out.len());
        loop {
            self.space();
            self.value()?;
            self.space();
            seen += 1;
            if seen <= keep {
                kept_len = self.out.len();
            }
            if self.byte()? == b']' {
                break;
            }
            self.expect(b',')?;
        }
        self.path.truncate(parent);
        if seen > keep {
            self.out.truncate(kept_len);
            self.out
                .push_str(&format!(",{{\"elided\":{}}}", seen - keep));
        }
        self.expect(b']')
    }
}

/// Where the value that starts at `at` ends. Brackets are counted, not checked.
fn end_of_value(json: &str, at: usize) -> Option<usize> {
    let bytes = json.as_bytes();
    match bytes.get(at)? {
        b'"' => end_of_string(bytes, at),
        b'{' | b'[' => {
            let (mut depth, mut i) = (0_usize, at);
            loop {
                match bytes.get(i)? {
                    b'"' => i = end_of_string(bytes, i)? - 1,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(i + 1);
                        }
                    }
                    _ => {}
                }
                i += 1;
            }
        }
        b'-' | b'0'..=b'9' => {
            let number = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
            Some(at + bytes[at..].iter().take_while(number).count())
        }
        _ if json[at..].starts_with("true") || json[at..].starts_with("null") => Some(at + 4),
        _ if json[at..].starts_with("false") => Some(at + 5),
        _ => None,
    }
}

fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut i = at + 1;
    loop {
        match bytes.get(i)? {
            b'"' => return Some(i + 1),
            b'\\' => i += 2,
            _ => i += 1,
        }
    }
}

/// How many characters a JSON string (with its quotes) has, an escape or a surrogate pair being one.
pub(super) fn char_count(text: &str) -> usize {
    let mut inner = text.strip_prefix('"').unwrap_or(text);
    inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut count = 0;
    while !inner.is_empty() {
        inner = &inner[unit_len(inner)..];
        count += 1;
    }
    count
}

/// Whether a JSON string (with its quotes) was cut before; cutting it again would miscount.
pub(super) fn is_cut(text: &str) -> bool {
    text.strip_suffix(" chars elided]\"")
        .and_then(|start| start.rsplit_once("…[+"))
        .is_some_and(|(_, count)| !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit()))
}

/// Cuts a JSON string (with its quotes) after `keep` characters, counting an escape as one and
/// never between the two halves of a surrogate pair.
fn cut_string(text: &str, keep: usize) -> String {
    if is_cut(text) {
        return text.to_owned();
    }
    let inner = &text[1..text.len() - 1];
    let (mut count, mut cut, mut i) = (0_usize, None, 0);
    while i < inner.len() {
        if count == keep {
            cut = Some(i);
        }
        i += unit_len(&inner[i..]);
        count += 1;
    }
    match cut {
        // Not if the marker is longer than the text that it replaces.
        Some(at) if count > keep + 20 => {
            format!("\"{}…[+{} chars elided]\"", &inner[..at], count - keep)
        }
        _ => text.to_owned(),
    }
}

/// Bytes of the first character or escape of a string's inner text.
fn unit_len(text: &str) -> usize {
    let escape = |t: &str| t.get(..2).is_some_and(|t| t == "\\u");
    let high = |t: &str| {
        t.get(2..4).is_some_and(|h| {
            matches!(h.as_bytes()[0], b'd' | b'D')
                && matches!(h.as_bytes()[1], b'8' | b'9' | b'a' | b'b' | b'A' | b'B')
        })
    };
    let low = |t: &str| {
        escape(t)
            && t.get(2..4).is_some_and(|h| {
                matches!(h.as_bytes()[0], b'd' | b'D')
                    && matches!(h.as_bytes()[1], b'c'..=b'f' | b'C'..=b'F')
            })
    };
    match text.as_bytes().first() {
        Some(b'\\') if escape(text) => {
            if high(text) && text.get(6..).is_some_and(low) {
                12.min(text.len())
            } else {
                6.min(text.len())
            }
        }
        Some(b'\\') => 2.min(text.len()),
        _ => text.chars().next().map_or(1, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_what_no_rule_touches() {
        let json = r#"{"b":1.50,"a":[true,null,{"x":"\ud83d"}],"c":{},"d":[]}"#;
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
        let json = format!(r#"{{"d":"{long}","l":[1,2,3,4]}}"#);
        let out = edit(&json, &mut |v| match v.path {
            "d" => Edit::Cut(10),
            "l" => Edit::First(2),
            _ => Edit::Keep,
        });
        assert_eq!(
            out.as_deref(),
            Some(r#"{"d":"xxxxxxxxxx…[+90 chars elided]","l":[1,2,{"elided":2}]}"#)
        );
    }

    #[test]
    fn cuts_never_inside_an_escape() {
        let json = format!("\"ab\\ud83d\\ude00{}\"", "\\n".repeat(50));
        let cut = cut_string(&json, 3);
        assert_eq!(cut, "\"ab\\ud83d\\ude00…[+50 chars elided]\"");
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
