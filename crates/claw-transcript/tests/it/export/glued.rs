//! Markdown of random hostile pieces: the page has only its own folds and headings.

use claw_transcript::{Export, Format};
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag};
use serde_json::{Value, json};

use super::hostile::EVIL;
use super::{ID, export, files_with};

/// What opens, closes or changes something in Markdown.
const PIECES: &str = include_str!("pieces.json");
const GLUE: [&str; 9] = [
    "", " ", "\n", "\n\n", "\n    ", "\n> ", "\n- ", "\n   ", "\n      ",
];

fn text() -> impl Strategy<Value = String> {
    let mut pieces: Vec<String> = serde_json::from_str(PIECES).unwrap();
    pieces.extend_from_slice(&EVIL);
    let piece = proptest::sample::select(pieces);
    let glue = proptest::sample::select(&GLUE[..]);
    let many = proptest::collection::vec((piece, glue), 1..10);
    // Neither blank nor one of the CLI's own tags.
    many.prop_map(|many| {
        many.iter()
            .fold("x\n".to_owned(), |all, (a, b)| all + b + a)
    })
}

/// A session with these texts.
fn session(texts: &[String; 6]) -> String {
    let [prompt, thinking, reply, command, result, summary] = texts;
    let says = |block: Value| json!({"type":"assistant","message":{"id":"m","role":"assistant","content":[block]}});
    let asks = |content: Value| json!({"type":"user","message":{"role":"user","content":content}});
    let mut again = asks(summary.as_str().into());
    again["isCompactSummary"] = true.into();
    let lines = [
        asks(prompt.as_str().into()),
        says(json!({"type":"thinking","thinking":thinking,"signature":"s"})),
        says(json!({"type":"text","text":reply})),
        says(json!({"type":"tool_use","id":"t","name":command,"input":{"command":command}})),
        asks(json!([{"type":"tool_result","tool_use_id":"t","content":result}])),
        asks(format!("<task-notification><summary>{command}</summary><result>{reply}</result></task-notification>").into()),
        again,
        asks(prompt.as_str().into()),
    ];
    let mut all = String::new();
    for (at, mut line) in lines.into_iter().enumerate() {
        line["uuid"] = format!("u{at}").into();
        line["parentUuid"] = at.checked_sub(1).map(|at| format!("u{at}")).into();
        line["sessionId"] = ID.into();
        line["cwd"] = command.as_str().into();
        all.push_str(&format!("{line}\n"));
    }
    all
}

fn markdown(texts: &[String; 6]) -> String {
    let (_scratch, files) = files_with(session(texts));
    export(&Export::new(Format::Markdown).title(&texts[0]), &files).0
}

/// The headings and the HTML of a page, as a reader of Markdown sees them. Fails when anything
/// else acts.
fn frame(page: &str, reader: Options) -> Result<Vec<String>, TestCaseError> {
    let mut frame = Vec::new();
    let mut depth = 0;
    for event in Parser::new_ext(page, reader) {
        match event {
            Event::Html(html) => {
                let tag = match html.trim_end() {
                    "</details>" => "</details>",
                    open => {
                        let head = open.strip_prefix("<details><summary>");
                        let head = head.and_then(|head| head.strip_suffix("</summary>"));
                        prop_assert!(head.is_some_and(|head| !head.contains('<')), "{open}");
                        "<details>"
                    }
                };
                frame.push(tag.to_owned());
            }
            Event::InlineHtml(html) => prop_assert!(false, "{html}"),
            Event::Start(tag) => {
                match &tag {
                    Tag::Heading { level, .. } if depth == 0 && *level <= HeadingLevel::H2 => {
                        frame.push(level.to_string());
                    }
                    Tag::Link { dest_url, .. } => {
                        let known = ["http://", "https://", "mailto:"];
                        let harmless = known.iter().any(|start| dest_url.starts_with(start));
                        prop_assert!(harmless || dest_url.contains('@'), "{dest_url}");
                    }
                    Tag::Image { dest_url, .. } => prop_assert!(false, "{dest_url}"),
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    Ok(frame)
}

/// The lines of a page with a tag that is not the page's own. The rules need no parser, and also
/// hold for renderers that implement less than the standard: code is between equal fences at the
/// starts of lines, or between equal backticks in one line, but not in a fold.
fn tags(page: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fence = None;
    let mut folds = 0;
    for line in page.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        let language = |c: char| c.is_ascii_alphanumeric() || "_#.+-".contains(c);
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if line == "</details>" => folds -= 1,
            None if ticks >= 3 && line[ticks..].chars().all(language) => {
                fence = Some(&line[..ticks]);
            }
            None => {
                let head = line.strip_prefix("<details><summary>");
                let head = head.and_then(|head| head.strip_suffix("</summary>"));
                folds += i32::from(head.is_some());
                let open = folds == 0;
                if has_tag(head.unwrap_or(line), open) || line.starts_with("~~~") {
                    found.push(line);
                }
            }
        }
    }
    assert_eq!((fence, folds), (None, 0), "{page}");
    found
}

fn has_tag(line: &str, knows_spans: bool) -> bool {
    let mut rest = line;
    while let Some(at) = rest.find(['<', '`', '\\']) {
        let behind = &rest[at + 1..];
        match &rest[at..=at] {
            "\\" => {
                // Backticks are escaped by it everywhere, other signs are not.
                rest = behind.strip_prefix(['`', '\\']).unwrap_or(behind);
            }
            "`" if knows_spans => {
                let ticks = 1 + behind.len() - behind.trim_start_matches('`').len();
                let runs = behind[ticks - 1..].split_inclusive(|c| c != '`');
                let mut end = at + ticks;
                for run in runs {
                    let length = run.bytes().take_while(|b| *b == b'`').count();
                    if length == ticks {
                        rest = &rest[end + length..];
                        end = 0;
                        break;
                    }
                    end += run.len();
                }
                if end > 0 {
                    // Nothing ends it, and a reader may look for less.
                    return line.contains('<');
                }
            }
            "`" => rest = behind,
            _ => {
                let tag = |c: char| c.is_ascii_alphabetic() || "/!?".contains(c);
                if behind.starts_with(tag) {
                    return true;
                }
                rest = behind;
            }
        }
    }
    false
}

/// The rules see what they are made for.
#[test]
fn tags_are_seen_without_a_parser() {
    for (page, count) in [
        ("`<b>` &lt;b> 1 < 2", 0),
        ("a <b", 1),
        ("\\<b>", 1),
        ("\\`<b>\\`", 1),
        ("``<b>` <b>`` x", 0),
        ("`` ` <b> ``", 0),
        ("``` a `<b>`", 1),
        ("    <b>", 1),
        ("- ```\n  <b>\n  ```", 1),
        ("```rs\n<b>\n```\n<i>", 1),
        ("```rs,x\n<b>\n", 1),
        ("<details><summary>a</summary>\n`<b>`\n</details>", 1),
        ("<details><summary><b></summary>\n</details>", 1),
    ] {
        assert_eq!(tags(page).len(), count, "{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_what_the_page_itself_has_acts(texts in proptest::array::uniform6(text())) {
        check(&texts)?;
    }
}

fn check(texts: &[String; 6]) -> Result<(), TestCaseError> {
    let page = markdown(texts);
    prop_assert_eq!(tags(&page), Vec::<&str>::new(), "{}", page);
    let plain = markdown(&std::array::from_fn(|_| "x".to_owned()));
    let hosts = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    for reader in [Options::empty(), hosts] {
        let expected = frame(&plain, reader)?;
        prop_assert!(expected.len() >= 12, "{expected:?}");
        prop_assert_eq!(frame(&page, reader)?, expected, "{}", page);
    }
    Ok(())
}

/// What came out before: HTML out of an escape, and fences that swallowed the rest.
#[test]
fn what_got_out_once_stays_in() {
    for text in [
        "<div>\n```\n</div>\n\n```\n<script>alert(1)</script>\n```\n",
        "1. ```sh\n   ls\n   ```",
        "```x``` is it",
        "a\n\n    ```\n    b",
        "[x](javascript:alert(1)) ![t](http://evil.example/t.png)",
        "[^1]:\n\n    <script>alert(1)</script>\n\n[^1]",
        // Readers other than those of the standard showed these.
        "- a\n\n      <script>alert(1)</script>",
        "<svg/onload=alert(1)>",
        "a  b <script>alert(1)</script>",
    ] {
        check(&std::array::from_fn(|_| text.to_owned())).unwrap();
    }
}
