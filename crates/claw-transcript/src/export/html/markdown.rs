//! What a model wrote as Markdown becomes HTML of a few harmless elements.
//!
//! HTML inside of it is shown as text, never passed on. Links lead to web pages and mail addresses
//! only, and pictures become links, since a page that loads nothing tells nobody that it is read.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::escape;

/// Quotes and lists inside of each other beyond this are shown without their frames.
const DEEPEST: usize = 40;

/// Longer texts are shown as they are: nobody wrote them to be read as Markdown.
const LONGEST: usize = 256 * 1024;

pub(super) fn write(markdown: &str, out: &mut Vec<u8>) {
    if markdown.len() > LONGEST {
        out.extend_from_slice(b"<p class=\"pre\">");
        escape::text(markdown, out);
        out.extend_from_slice(b"</p>");
        return;
    }
    if is_plain(markdown) {
        out.extend_from_slice(b"<p>");
        escape::text(markdown.trim(), out);
        out.extend_from_slice(b"</p>\n");
        return;
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer::default();
    for event in Parser::new_ext(markdown, options) {
        writer.event(event, out);
    }
}

/// Whether a text is one paragraph that no rule of Markdown would change.
fn is_plain(text: &str) -> bool {
    let special = |b: u8| {
        matches!(
            b,
            b'\n' | b'\\' | b'`' | b'*' | b'_' | b'[' | b'<' | b'&' | b'~' | b'|' | b'\t' | b'\r'
        )
    };
    let starts = matches!(
        text.as_bytes().first(),
        Some(b'#' | b'>' | b'-' | b'+' | b' ' | b'=' | b'0'..=b'9') | None
    );
    !starts && !text.bytes().any(special)
}

/// The address that a link may have. `None`: it is shown, but leads nowhere.
pub(in crate::export) fn harmless(url: &str) -> Option<&str> {
    let url = url.trim();
    let scheme = url.split_once(':')?.0.to_ascii_lowercase();
    let visible = url.chars().all(|c| !c.is_control() && !c.is_whitespace());
    (visible && matches!(&*scheme, "http" | "https" | "mailto")).then_some(url)
}

#[derive(Default)]
struct Writer {
    /// Whether each link that is open leads somewhere.
    links: Vec<bool>,
    alignments: Vec<Alignment>,
    cell: usize,
    in_head: bool,
    /// How many quotes, lists and items are open.
    depth: usize,
    /// The addresses of pictures that are open.
    pictures: Vec<bool>,
}

impl Writer {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        match event {
            Event::Start(tag) => self.start(tag, out),
            Event::End(tag) => self.end(tag, out),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => escape::text(&text, out),
            Event::Code(text) => {
                out.extend_from_slice(b"<code>");
                escape::text(&text, out);
                out.extend_from_slice(b"</code>");
            }
            Event::SoftBreak => out.push(b'\n'),
            Event::HardBreak => out.extend_from_slice(b"<br>\n"),
            Event::Rule => out.extend_from_slice(b"<hr>\n"),
            Event::TaskListMarker(done) => out.extend_from_slice(if done {
                "<span class=\"box\">☑</span> ".as_bytes()
            } else {
                "<span class=\"box\">☐</span> ".as_bytes()
            }),
        }
    }

    fn start(&mut self, tag: Tag<'_>, out: &mut Vec<u8>) {
        if matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return;
            }
        }
        match tag {
            Tag::Paragraph => out.extend_from_slice(b"<p>"),
            Tag::Heading { level, .. } => {
                // The page has the first two levels for itself.
                let level = (level as u8 + 2).min(6);
                out.extend_from_slice(&[b'<', b'h', b'0' + level, b'>']);
            }
            Tag::BlockQuote(_) => out.extend_from_slice(b"<blockquote>\n"),
            Tag::CodeBlock(kind) => {
                out.extend_from_slice(b"<pre class=\"code\"");
                if let CodeBlockKind::Fenced(info) = &kind {
                    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                    if !language.is_empty() {
                        out.extend_from_slice(b" data-lang=\"");
                        escape::text(language, out);
                        out.push(b'"');
                    }
                }
                out.extend_from_slice(b"><code>");
            }
            Tag::List(None) => out.extend_from_slice(b"<ul>\n"),
            Tag::List(Some(1)) => out.extend_from_slice(b"<ol>\n"),
            Tag::List(Some(first)) => {
                out.extend_from_slice(format!("<ol start=\"{first}\">\n").as_bytes());
            }
            Tag::Item => out.extend_from_slice(b"<li>"),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                out.extend_from_slice(b"<div class=\"wide\"><table>");
            }
            Tag::TableHead => {
                (self.in_head, self.cell) = (true, 0);
                out.extend_from_slice(b"<thead><tr>");
            }
            Tag::TableRow => {
                self.cell = 0;
                out.extend_from_slice(b"<tr>");
            }
            Tag::TableCell => {
                out.extend_from_slice(if self.in_head { b"<th" } else { b"<td" });
                match self.alignments.get(self.cell) {
                    Some(Alignment::Right) => out.extend_from_slice(b" class=\"r\""),
                    Some(Alignment::Center) => out.extend_from_slice(b" class=\"c\""),
                    _ => {}
                }
                self.cell += 1;
                out.push(b'>');
            }
            Tag::Emphasis => out.extend_from_slice(b"<em>"),
            Tag::Strong => out.extend_from_slice(b"<strong>"),
            Tag::Strikethrough => out.extend_from_slice(b"<del>"),
            Tag::Link { dest_url, .. } => {
                let open = link(&dest_url, out);
                self.links.push(open);
            }
            Tag::Image { dest_url, .. } => {
                // A link cannot be in a link.
                let open = !self.links.contains(&true) && link(&dest_url, out);
                out.extend_from_slice("🖼 ".as_bytes());
                self.pictures.push(open);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, out: &mut Vec<u8>) {
        if matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) {
            self.depth = self.depth.saturating_sub(1);
            if self.depth >= DEEPEST {
                return;
            }
        }
        let text: &[u8] = match tag {
            TagEnd::Paragraph => b"</p>\n",
            TagEnd::Heading(level) => {
                let level = (level as u8 + 2).min(6);
                out.extend_from_slice(&[b'<', b'/', b'h', b'0' + level, b'>', b'\n']);
                b""
            }
            TagEnd::BlockQuote(_) => b"</blockquote>\n",
            TagEnd::CodeBlock => b"</code></pre>\n",
            TagEnd::List(false) => b"</ul>\n",
            TagEnd::List(true) => b"</ol>\n",
            TagEnd::Item => b"</li>\n",
            TagEnd::Table => b"</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.in_head = false;
                b"</tr></thead><tbody>\n"
            }
            TagEnd::TableRow => b"</tr>\n",
            TagEnd::TableCell if self.in_head => b"</th>",
            TagEnd::TableCell => b"</td>",
            TagEnd::Emphasis => b"</em>",
            TagEnd::Strong => b"</strong>",
            TagEnd::Strikethrough => b"</del>",
            TagEnd::Link if self.links.pop() == Some(true) => b"</a>",
            TagEnd::Image if self.pictures.pop() == Some(true) => b"</a>",
            _ => b"",
        };
        out.extend_from_slice(text);
    }
}

fn link(url: &str, out: &mut Vec<u8>) -> bool {
    let Some(url) = harmless(url) else {
        return false;
    };
    out.extend_from_slice(b"<a rel=\"noreferrer noopener nofollow\" href=\"");
    escape::text(url, out);
    out.extend_from_slice(b"\">");
    true
}

#[cfg(test)]
mod tests {
    fn html(markdown: &str) -> String {
        let mut out = Vec::new();
        super::write(markdown, &mut out);
        String::from_utf8(out).expect("text stays text")
    }

    #[test]
    fn markdown_becomes_html() {
        insta::assert_snapshot!(html(
            "# Head\n\nSome *em* **strong** ~~gone~~ `a<b` text.\n\n- [x] done\n- [ ] not\n\n3. three\n\n\
             | a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust,ignore\nlet a = \"<b>\";\n```\n\n> quote\n\n\
             [ok](https://a.example/?a=1&b=\"2\") <mail@a.example> ![pic](https://a.example/p.png)\n"
        ));
    }

    #[test]
    fn nothing_in_it_is_alive() {
        for hostile in [
            "<script>alert(1)</script>",
            "a <img src=x onerror=alert(1)> b",
            "</details></div><iframe src=\"https://a.example\">",
            "<!-- x --> <![CDATA[ ]]> <?php ?>",
            "[x](javascript:alert(1)) [y]( JaVaScRiPt:alert(1)) [z](java\tscript:alert(1))",
            "[x](data:text/html,<script>) [y](vbscript:x) [z](//a.example) [w](file:///etc/passwd)",
            "![x](http://a.example/x.png\"onload=\"alert(1))",
            "<javascript:alert(1)>",
            "[a]: javascript:alert(1)\n\n[a]",
            "```\"onclick=\"x\n</code></pre><script>\n```",
            "|<b>|\n|--|\n|<script>|",
        ] {
            let shown = html(hostile);
            for tag in shown.split('<').skip(1) {
                let tag = tag.split('>').next().unwrap_or_default();
                let name = tag.trim_start_matches('/');
                let name = name.split(' ').next().unwrap_or_default();
                let known = [
                    "p", "pre", "code", "a", "div", "table", "thead", "tbody", "tr", "td", "th",
                ];
                assert!(known.contains(&name), "{hostile} gave <{tag}");
                if let Some(href) = tag.split("href=\"").nth(1) {
                    assert!(href.starts_with("http"), "{hostile} gave <{tag}");
                }
                assert!(!tag.contains(" on"), "{hostile} gave <{tag}");
            }
        }
    }

    #[test]
    fn plain_text_takes_the_short_way_to_the_same_page() {
        for text in ["Plain text, with (some) signs!", "One: two; \"three\" — 4."] {
            let parser = pulldown_cmark::Parser::new(text);
            let mut writer = super::Writer::default();
            let mut out = Vec::new();
            parser.for_each(|event| writer.event(event, &mut out));
            assert_eq!(html(text).as_bytes(), out);
        }
    }
}
