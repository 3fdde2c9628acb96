//! The page that lists all sessions of a folder.

use super::{escape, number, shell};
use crate::export::Theme;
use crate::time::to_iso;

/// One session of the list.
#[derive(Debug, Clone)]
pub(in crate::export) struct Listed {
    /// Relative to the list, with `/`.
    pub(in crate::export) address: String,
    /// The folder that it worked in, or the name of its project.
    pub(in crate::export) project: String,
    pub(in crate::export) title: String,
    pub(in crate::export) began: Option<std::time::SystemTime>,
    pub(in crate::export) messages: u64,
    pub(in crate::export) subagents: u64,
}

/// Writes the list: projects by name, the newest session first.
pub(in crate::export) fn write_index(title: &str, theme: Theme, all: &mut [Listed]) -> Vec<u8> {
    all.sort_by(|a, b| (&a.project, b.began).cmp(&(&b.project, a.began)));
    let mut out = Vec::new();
    shell::open(title, theme, &mut out);
    out.extend_from_slice(b"<header class=\"top\"><h1>");
    escape::text(title, &mut out);
    let messages = all.iter().map(|one| one.messages).sum();
    out.extend_from_slice(
        format!(
            "</h1>\n<ul class=\"facts\"><li>{}</li><li>{}</li></ul></header>\n\
             <div class=\"bar\"><input type=\"search\" id=\"q\" placeholder=\"Words of a title\" \
             aria-label=\"Words of a title\"><span id=\"js\"></span></div>\n<main>\n",
            number::count(all.len() as u64, "session", "sessions"),
            number::count(messages, "message", "messages"),
        )
        .as_bytes(),
    );
    for group in all.chunk_by(|a, b| a.project == b.project) {
        out.extend_from_slice(b"<h2><code>");
        escape::text(&group[0].project, &mut out);
        out.extend_from_slice(b"</code></h2>\n<ul class=\"list\">\n");
        for one in group {
            let date = one.began.map(to_iso).unwrap_or_default();
            out.extend_from_slice(b"<li><time>");
            escape::text(date.get(..10).unwrap_or_default(), &mut out);
            out.extend_from_slice(b"</time><a href=\"");
            address(&one.address, &mut out);
            out.extend_from_slice(b"\">");
            escape::text(&one.title, &mut out);
            out.extend_from_slice(b"</a><span>");
            let mut counts = number::count(one.messages, "message", "messages");
            if one.subagents > 0 {
                counts.push_str(" · ");
                counts.push_str(&number::count(one.subagents, "subagent", "subagents"));
            }
            out.extend_from_slice(counts.as_bytes());
            out.extend_from_slice(b"</span></li>\n");
        }
        out.extend_from_slice(b"</ul>\n");
    }
    out.extend_from_slice(b"</main>\n<footer>Made by <b>claw</b> from session files; nothing on these pages is loaded from anywhere.</footer>\n");
    shell::close(&mut out);
    out
}

/// A path as an address.
fn address(path: &str, out: &mut Vec<u8>) {
    // So that a name with a colon is no scheme.
    out.extend_from_slice(b"./");
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~') {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("%{byte:02X}").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_inert_and_in_order() {
        let one = |project: &str, title: &str, day: i64| Listed {
            address: format!("{project}/a b#?.html"),
            project: project.to_owned(),
            title: title.to_owned(),
            began: Some(crate::time::from_ms(day * 86_400_000)),
            messages: 2,
            subagents: 1,
        };
        let mut all = [
            one("b", "<script>x", 1),
            one("a", "old", 1),
            one("a", "new", 2),
        ];
        let page = String::from_utf8(write_index("All", Theme::Auto, &mut all)).expect("text");
        let list = page.split("<main>").nth(1).expect("a main part");
        insta::assert_snapshot!(list.split("<script>").next().unwrap_or_default());
    }
}
