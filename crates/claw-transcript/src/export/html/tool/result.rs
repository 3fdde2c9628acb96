//! What tools returned.

use super::Answer;
use super::laid_out::{clipped, json};
use crate::entry::Part;
use crate::export::html::{escape, number};
use crate::export::skim::{self, Fields, quoted};

/// What a tool returned.
pub(in crate::export::html) fn result(answer: &Answer<'_>, out: &mut Vec<u8>) -> u64 {
    let class = if answer.is_error { "out err" } else { "out" };
    let content = answer.content.unwrap_or("\"\"");
    if let Some(raw) = quoted(content) {
        if raw.trim().is_empty() {
            out.extend_from_slice(b"<p class=\"dim\">No output</p>");
        } else {
            clipped(raw, class, out);
        }
        return 0;
    }
    if !content.starts_with('[') {
        json(content, out);
        return 0;
    }
    let mut images = 0;
    for block in skim::list(content) {
        // The text of a block is copied from its JSON, so it is not read as a part.
        let text = Some(Fields::of(block)).filter(|block| block.get("type") == Some("\"text\""));
        if let Some(raw) = text.and_then(|block| block.inner("text")) {
            clipped(raw, class, out);
            continue;
        }
        images += u64::from(other(&Part::of_block(block), block, out));
    }
    images
}

/// A block that is no text. Says whether it is a picture that is shown.
pub(in crate::export::html) fn other(part: &Part<'_>, block: &str, out: &mut Vec<u8>) -> bool {
    match part {
        Part::Image { media_type, data } => return image(media_type.as_deref(), *data, out),
        Part::Other { kind, .. } if kind == "tool_reference" => {
            let name = Fields::of(block);
            out.extend_from_slice(b"<code>");
            escape::json_attribute(name.inner("tool_name").unwrap_or_default(), out);
            out.extend_from_slice(b"</code> ");
        }
        Part::Other { kind, .. } if kind == "document" => {
            let block = Fields::of(block);
            let source = Fields::of(block.get("source").unwrap_or_default());
            out.extend_from_slice("<p class=\"chip\">📄 ".as_bytes());
            escape::json_attribute(source.inner("media_type").unwrap_or("document"), out);
            let length = source.get("data").map_or(0, str::len) as u64;
            out.extend_from_slice(format!(" · {}</p>", number::bytes(length / 4 * 3)).as_bytes());
        }
        _ => json(block, out),
    }
    false
}

/// A picture, when it is of a kind that can only be looked at.
pub(in crate::export::html) fn image(
    media_type: Option<&str>,
    data: Option<&str>,
    out: &mut Vec<u8>,
) -> bool {
    match (media_type, data) {
        (Some(kind), Some(data)) if is_picture(media_type, Some(data)) => {
            out.extend_from_slice(b"<img alt=\"A picture\" loading=\"lazy\" src=\"data:");
            out.extend_from_slice(kind.as_bytes());
            out.extend_from_slice(b";base64,");
            out.extend_from_slice(data.as_bytes());
            out.extend_from_slice(b"\">");
            true
        }
        _ => {
            out.extend_from_slice(b"<p class=\"chip\">A picture that cannot be shown: ");
            escape::text(media_type.unwrap_or("of no known type"), out);
            out.extend_from_slice(b"</p>");
            false
        }
    }
}

/// Whether data is Base64 of a kind of picture that can only be looked at.
pub(in crate::export) fn is_picture(media_type: Option<&str>, data: Option<&str>) -> bool {
    let known = ["image/png", "image/jpeg", "image/gif", "image/webp"];
    let base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    media_type.is_some_and(|kind| known.contains(&kind))
        && data.is_some_and(|data| data.bytes().all(base64))
}
