//! Output and JSON, laid out to be read and folded when they are long.

use std::borrow::Cow;

use crate::export::html::{escape, number};
use crate::export::said::preview;
use crate::members;

/// More lines, or bytes, of output than these are folded.
const LINES: usize = 14;
const BYTES: usize = 2000;

/// A JSON string, folded when it is long. Says how many lines it has.
pub(in crate::export::html) fn clipped(raw: &str, class: &str, out: &mut Vec<u8>) -> usize {
    let long = raw.len() > BYTES || escape::has_more_lines(raw, LINES);
    if long {
        out.extend_from_slice(b"<div class=\"clip\">");
    }
    out.extend_from_slice(b"<pre class=\"");
    out.extend_from_slice(class.as_bytes());
    // A line end right behind the tag is not shown, so one is given away.
    out.extend_from_slice(b"\">\n");
    let lines = escape::json_string(raw, out);
    out.extend_from_slice(b"</pre>");
    if long {
        fold(lines, raw.len(), out);
    }
    lines
}

/// What stands under something long.
pub(in crate::export::html) fn fold(lines: usize, bytes: usize, out: &mut Vec<u8>) {
    let what = if lines > LINES {
        format!("{} lines", number::grouped(lines as u64))
    } else {
        number::bytes(bytes as u64)
    };
    out.extend_from_slice(
        format!(
            "<details class=\"more\"><summary>Show all <i>· {what}</i></summary></details></div>"
        )
        .as_bytes(),
    );
}

/// JSON that is no string, laid out to be read.
pub(in crate::export::html) fn json(json: &str, out: &mut Vec<u8>) {
    let simple = !json.starts_with(['{', '[']);
    if simple {
        out.extend_from_slice(b"<code>");
        escape::text(json, out);
        out.extend_from_slice(b"</code>");
        return;
    }
    let long = json.len() > BYTES;
    if long {
        out.extend_from_slice(b"<div class=\"clip\">");
    }
    out.extend_from_slice(b"<pre class=\"out\">");
    escape::text(&laid_out(json), out);
    out.extend_from_slice(b"</pre>");
    if long {
        fold(0, json.len(), out);
    }
}

/// JSON with line ends and indents, or as it is when it is long.
fn laid_out(json: &str) -> Cow<'_, str> {
    if json.len() > 64 * 1024 {
        return Cow::Borrowed(json);
    }
    let compact = members::compact(json);
    let (mut in_string, mut escaped, mut depth) = (false, false, 0usize);
    let mut out = String::with_capacity(compact.len() * 2);
    let mut signs = compact.chars().peekable();
    while let Some(c) = signs.next() {
        if in_string {
            out.push(c);
            in_string = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        let closes = |next: Option<&char>| matches!(next, Some(']' | '}'));
        match c {
            '{' | '[' if !closes(signs.peek()) => {
                depth += 1;
                out.push(c);
                new_line(&mut out, depth);
            }
            '}' | ']' if !out.ends_with(['{', '[']) => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                escaped = false;
                out.push(c);
            }
        }
    }
    Cow::Owned(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    // Indents of deep JSON would be longer than the JSON.
    out.extend(std::iter::repeat_n("  ", depth.min(20)));
}

/// The start of a JSON string on one line.
pub(in crate::export::html) fn one_line(raw: &str, limit: usize) -> String {
    let mut end = raw.len().min(limit * 6);
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    let mut cut = &raw[..end];
    if end < raw.len() {
        // Not in the middle of an escape, nor of a pair of them.
        if let Some(at) = cut.rfind('\\').filter(|at| cut.len() - at < 12) {
            cut = cut[..at].trim_end_matches('\\');
        }
    }
    let quoted = format!("\"{cut}\"");
    preview(&members::string(&quoted).unwrap_or_default(), limit)
}
