//! Markdown of a model becomes HTML of a few harmless elements.
//!
//! HTML in it is shown as text. Links lead to web pages and mail addresses only, and images become
//! links, because the page must not load anything.

use std::borrow::Cow;
use std::fmt;

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::text::escape;
use crate::export::links::safe_url;

/// Quotes and lists that are nested deeper are shown without their elements.
const DEEPEST: usize = 40;

/// Longer texts are shown as they are.
const LONGEST: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct Markdown<'t>(pub(super) Cow<'t, str>);

impl fmt::Display for Markdown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &*self.0;
        if text.len() > LONGEST {
            f.write_str("<p class=\"pre\">")?;
            escape(text, f)?;
            return f.write_str("</p>");
        }
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut writer = Writer {
            out: f,
            links: Vec::new(),
            alignments: Vec::new(),
            cell: 0,
            in_head: false,
            depth: 0,
        };
        Parser::new_ext(text, options).try_for_each(|event| writer.event(event))
    }
}

struct Writer<'o, 'f> {
    out: &'o mut fmt::Formatter<'f>,
    /// Whether each open link and image is an `a` element.
    links: Vec<bool>,
    alignments: Vec<Alignment>,
    cell: usize,
    in_head: bool,
    /// The number of open quotes, lists and items.
    depth: usize,
}

impl Writer<'_, '_> {
    fn event(&mut self, event: Event<'_>) -> fmt::Result {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Code(text) => {
                self.out.write_str("<code>")?;
                escape(&text, self.out)?;
                self.out.write_str("</code>")
            }
            Event::SoftBreak => self.out.write_str("\n"),
            Event::HardBreak => self.out.write_str("<br>\n"),
            Event::Rule => self.out.write_str("<hr>\n"),
            Event::TaskListMarker(done) => {
                let sign = if done { '☑' } else { '☐' };
                write!(self.out, "<span class=\"box\">{sign}</span> ")
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => escape(&text, self.out),
        }
    }

    fn start(&mut self, tag: Tag<'_>) -> fmt::Result {
        if matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Ok(());
            }
        }
        let element = match tag {
            Tag::Paragraph => "<p>",
            // The page uses the first two levels itself.
            Tag::Heading { level, .. } => {
                return write!(self.out, "<h{}>", (level as u8 + 2).min(6));
            }
            Tag::BlockQuote(_) => "<blockquote>\n",
            Tag::CodeBlock(kind) => return self.code_block(&kind),
            Tag::List(None) => "<ul>\n",
            Tag::List(Some(1)) => "<ol>\n",
            Tag::List(Some(first)) => return writeln!(self.out, "<ol start=\"{first}\">"),
            Tag::Item => "<li>",
            Tag::Table(alignments) => {
                self.alignments = alignments;
                "<div class=\"wide\"><table>"
            }
            Tag::TableHead => {
                (self.in_head, self.cell) = (true, 0);
                "<thead><tr>"
            }
            Tag::TableRow => {
                self.cell = 0;
                "<tr>"
            }
            Tag::TableCell => {
                let class = match self.alignments.get(self.cell) {
                    Some(Alignment::Right) => " class=\"r\"",
                    Some(Alignment::Center) => " class=\"c\"",
                    _ => "",
                };
                self.cell += 1;
                let name = if self.in_head { "th" } else { "td" };
                return write!(self.out, "<{name}{class}>");
            }
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<del>",
            Tag::Link { dest_url, .. } => return self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.link(&dest_url)?;
                "🖼 "
            }
            _ => "",
        };
        self.out.write_str(element)
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) -> fmt::Result {
        self.out.write_str("<pre class=\"code\"")?;
        if let CodeBlockKind::Fenced(info) = kind {
            let language = info.split([' ', ',', '{']).next().unwrap_or_default();
            if !language.is_empty() {
                self.out.write_str(" data-lang=\"")?;
                escape(language, self.out)?;
                self.out.write_str("\"")?;
            }
        }
        self.out.write_str("><code>")
    }

    /// Opens a link if it is harmless. A link cannot be in a link.
    fn link(&mut self, url: &str) -> fmt::Result {
        let url = safe_url(url).filter(|_| !self.links.contains(&true));
        self.links.push(url.is_some());
        if let Some(url) = url {
            let start = "<a rel=\"noreferrer noopener nofollow\" href=\"";
            self.out.write_str(start)?;
            escape(url, self.out)?;
            self.out.write_str("\">")?;
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) -> fmt::Result {
        if matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item) {
            self.depth = self.depth.saturating_sub(1);
            if self.depth >= DEEPEST {
                return Ok(());
            }
        }
        let element = match tag {
            TagEnd::Paragraph => "</p>\n",
            TagEnd::Heading(level) => {
                return writeln!(self.out, "</h{}>", (level as u8 + 2).min(6));
            }
            TagEnd::BlockQuote(_) => "</blockquote>\n",
            TagEnd::CodeBlock => "</code></pre>\n",
            TagEnd::List(false) => "</ul>\n",
            TagEnd::List(true) => "</ol>\n",
            TagEnd::Item => "</li>\n",
            TagEnd::Table => "</tbody></table></div>\n",
            TagEnd::TableHead => {
                self.in_head = false;
                "</tr></thead><tbody>\n"
            }
            TagEnd::TableRow => "</tr>\n",
            TagEnd::TableCell if self.in_head => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link | TagEnd::Image if self.links.pop() == Some(true) => "</a>",
            _ => "",
        };
        self.out.write_str(element)
    }
}

#[cfg(test)]
mod tests {
    fn html(markdown: &str) -> String {
        super::Markdown(markdown.into()).to_string()
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
}
