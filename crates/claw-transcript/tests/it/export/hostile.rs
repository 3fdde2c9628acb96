//! Sessions that want to do something to whoever reads them.

use claw_transcript::{Export, Format, SearchQuery};

use super::inert::assert_inert;
use super::{assert_balanced, export};
use crate::scratch::Scratch;

/// What must never act, whatever it stands in.
pub(super) const EVIL: [&str; 22] = [
    "<script>alert(1)</script>",
    "</details></article></main><script>alert(2)</script>",
    "</pre></div><img src=x onerror=alert(3)>",
    "\"><svg onload=alert(4)>",
    "' onmouseover='alert(5)",
    "[a](javascript:alert(6)) ![b](https://evil.example/p.png) <https://evil.example>",
    "]]><![CDATA[<iframe src=https://evil.example>",
    "</title></style><script>alert(7)</script>",
    "a\u{2028}b\u{2029}c",
    "\u{1b}[31mred\u{1b}]0;title\u{7}\u{1b}[2J",
    "<!-- <base href=https://evil.example> --!>",
    "`</code></pre><script>`\n```\n</code><script>alert(8)</script>\n```",
    "&lt;script&gt; &#60;script&#62;",
    "\0\u{8}\u{7f}\u{202e}gnp.exe",
    "\u{2067}\u{2066}ab\u{2069}\u{202a}cd\u{200f}\u{feff}",
    "[a](java&#115;cript:alert(14)) [b](JaVaScRiPt:alert(15)) [c](<java\nscript:alert(16)>)",
    "[d](data:text/html,<script>alert(17)</script>) [e](//evil.example) [f](vbscript:x) <javascript:alert(18)>",
    "[g]: javascript:alert(19)\n\n[g] ![g](data:image/svg+xml,<svg/onload=alert(20)>)",
    "```\"><script>alert(21)</script>\n</code>\n```\n\n<div onclick=alert(22)>\n\n1. <b>\n2. </ol>",
    "| <script> | \" |\n|---|--:|\n| </td></table><script>alert(23)</script> | ` |",
    "</textarea></noscript></template></summary></span></header><style>*{display:none}</style>",
    "https://evil.example/?\"onmouseover=alert(24) <a@b.c> \u{85}\u{9b}31m",
];

fn session() -> Vec<u8> {
    let mut lines = Vec::new();
    let mut parent = serde_json::Value::Null;
    let mut add = |mut line: serde_json::Value| {
        let uuid = format!("u{}\"><script>alert(9)</script>", lines.len());
        line["uuid"] = uuid.clone().into();
        line["parentUuid"] = std::mem::replace(&mut parent, uuid.into());
        line["sessionId"] = "11111111-1111-4111-8111-111111111111".into();
        line["timestamp"] = "2026-01-01T00:00:00.000Z".into();
        line["cwd"] = "/<script>alert(10)</script>".into();
        line["version"] = "1\"onload=\"alert(11)".into();
        line["gitBranch"] = "</li><script>".into();
        lines.push(line.to_string());
    };
    for (at, evil) in EVIL.iter().enumerate() {
        let id = format!("toolu_{at}");
        let says = |content: serde_json::Value| serde_json::json!({"type":"assistant","message":{"id":format!("msg_{at}"),"role":"assistant","model":evil,"content":[content]}});
        add(serde_json::json!({"type":"user","message":{"role":"user","content":evil}}));
        add(says(
            serde_json::json!({"type":"thinking","thinking":evil,"signature":evil}),
        ));
        add(says(serde_json::json!({"type":"text","text":evil})));
        add(says(
            serde_json::json!({"type":"tool_use","id":id,"name":evil,"input":{"command":evil,evil.to_string():{"x":[evil]}}}),
        ));
        add(
            serde_json::json!({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":id,"content":[
            {"type":"text","text":evil},
            {"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zz4="}},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"\" onerror=alert(12) x=\""}},
            {"type":evil,"x":evil}]}]},"toolUseResult":{"structuredPatch":[{"oldStart":1,"newStart":1,"lines":[format!("+{evil}")]}]}}),
        );
        let edit = format!("toolu_e{at}");
        add(says(
            serde_json::json!({"type":"tool_use","id":edit,"name":"Edit","input":{"file_path":evil,"old_string":evil,"new_string":format!("{evil}!")}}),
        ));
        add(
            serde_json::json!({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":edit,"content":evil,"is_error":true}]}}),
        );
        for tag in [
            "bash-input",
            "local-command-stdout",
            "command-name",
            "task-notification",
        ] {
            let text = format!("<{tag}>{evil}</{tag}>");
            add(serde_json::json!({"type":"user","message":{"role":"user","content":text}}));
        }
        add(
            serde_json::json!({"type":"system","subtype":"compact_boundary","content":evil,"compactMetadata":{"trigger":evil,"preTokens":1,"postTokens":1}}),
        );
        add(serde_json::json!({"type":"system","subtype":evil,"content":evil,"level":"error"}));
        add(
            serde_json::json!({"type":"attachment","attachment":{"type":"queued_command","prompt":evil}}),
        );
    }
    lines.push(
        serde_json::json!({"type":"custom-title","customTitle":EVIL[7],"sessionId":"x"})
            .to_string(),
    );
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n{\"type\":\"user\",\"uuid\":\"bad\xff<script>\",\"parentUuid\":null,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"\xff\xfe <script> \\ud83d \\ude00 \\u003cscript\\u003e\"}}\n");
    bytes.extend_from_slice(b"<script>alert(13)</script>\n{\"type\":\"user\",\"mess");
    bytes
}

#[test]
fn a_hostile_session_is_inert_on_the_page() {
    let scratch = Scratch::new();
    let id = "11111111-1111-4111-8111-111111111111";
    scratch.session("-p", id, session());
    let files = scratch.library().session_files(id).unwrap();
    let (page, report) = export(&Export::new(Format::Html).system(true), &files);
    assert!(report.messages > 100, "{}", report.messages);
    assert_inert(&page);
    assert_balanced(&page);
    assert_steers_nothing(&page);
    assert!(page.contains("<span class=\"a1\">red</span>"));
    assert!(
        page.contains("&lt;script>alert(1)"),
        "it is shown, not dropped"
    );
    // Raw lines stay what they are, bytes that are no text too; all else is text.
    for format in Format::ALL {
        if format != Format::Jsonl {
            export(&Export::new(format).system(true), &files);
        }
    }
    let mut raw = Vec::new();
    Export::new(Format::Jsonl).write(&files, &mut raw).unwrap();
    assert!(raw.windows(2).any(|two| two == b"\xff\xfe"));
}

/// Nothing that steers a terminal or turns text around.
fn assert_steers_nothing(text: &str) {
    let steers = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_ascii_control() && c != '\n' && c != '\t')
    };
    assert_eq!(text.find(steers), None);
}

#[test]
fn names_of_folders_subagents_and_sessions_are_inert_too() {
    let scratch = Scratch::new();
    let id = "11111111-1111-4111-8111-111111111111";
    let main = scratch.session("-p\"><script>alert(1)<", id, session());
    let agents = main.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).unwrap();
    for (at, evil) in EVIL.iter().enumerate() {
        let said = serde_json::json!({"type":"user","uuid":format!("a{at}"),"parentUuid":null,"isSidechain":true,
            "agentId":format!("{at}"),"sessionId":id,"timestamp":evil,"message":{"role":"user","content":evil}});
        std::fs::write(
            agents.join(format!("agent-{at}.jsonl")),
            format!("{said}\n"),
        )
        .unwrap();
        let started = serde_json::json!({"agentType":evil,"description":evil,"toolUseId":format!("toolu_{at}")});
        let sidecar = agents.join(format!("agent-{at}.meta.json"));
        std::fs::write(sidecar, started.to_string()).unwrap();
    }
    let to = tempfile::tempdir().unwrap();
    for (at, evil) in EVIL.iter().enumerate() {
        let folder = to.path().join(at.to_string());
        let export = Export::new(Format::Html).system(true).title(*evil);
        let report = export.write_folder(&scratch.library(), &folder, |_| ());
        assert_eq!(report.unwrap().sessions, 1);
        let index = std::fs::read_to_string(folder.join("index.html")).unwrap();
        assert_inert(&index);
        assert_steers_nothing(&index);
        let address = index.split("href=\"./").nth(1).unwrap();
        let address = address.split('"').next().unwrap();
        let name = format!("{id}.html");
        assert!(
            !address.contains(['<', '>', '"']) && address.ends_with(&name),
            "{address}"
        );
        if at == 0 {
            let page = folder.join("-p\"><script>alert(1)<").join(name);
            let page = std::fs::read_to_string(page).unwrap();
            assert!(page.matches("<details class=\"agent\"").count() >= EVIL.len());
            assert_inert(&page);
            assert_balanced(&page);
            assert_steers_nothing(&page);
        }
    }
}

#[test]
fn what_is_made_to_take_forever_does_not() {
    let id = "11111111-1111-4111-8111-111111111111";
    let size = 40_000;
    let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for text in [
        "[".repeat(size),
        ">".repeat(size),
        "*a ".repeat(size / 3),
        "`a``b".repeat(size / 5),
        "- ".repeat(size / 2),
        "<a ".repeat(size / 3),
        "&".repeat(size),
        "![](".repeat(size / 4),
        "|a".repeat(size / 2),
        "\u{1b}[".repeat(size / 2),
        "\u{1b}]".repeat(size / 2),
        "<bash-stdout>".repeat(size / 13),
        "\u{202e}".repeat(size / 3),
        "<".repeat(20 * size),
        // For a search of words: one that is everywhere, and one at the end.
        format!("{}zzz", "a ".repeat(3 * size)),
    ] {
        let scratch = Scratch::new();
        let text = serde_json::Value::from(text).to_string();
        let line = |at: u32, kind: &str, content: &str| {
            let parent = at
                .checked_sub(1)
                .map_or("null".to_owned(), |at| format!("\"{at}\""));
            format!(
                "{{\"parentUuid\":{parent},\"type\":\"{kind}\",\"uuid\":\"{at}\",\"sessionId\":\"{id}\",\
                 \"message\":{{\"id\":\"m{at}\",\"role\":\"{kind}\",\"content\":{content}}}}}\n"
            )
        };
        let call = format!(
            "[{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":{text},\"input\":{{\"a\":{deep},\"command\":{text}}}}}]"
        );
        let result =
            format!("[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":{text}}}]");
        let said = format!(
            "[{{\"type\":\"text\",\"text\":{text}}},{{\"type\":\"thinking\",\"thinking\":{text}}}]"
        );
        let lines = [
            line(0, "user", &text),
            line(1, "assistant", &said),
            line(2, "assistant", &call),
            line(3, "user", &result),
        ];
        scratch.session("-p", id, lines.concat());
        let files = scratch.library().session_files(id).unwrap();
        let began = std::time::Instant::now();
        let hits = SearchQuery::words("a zzz").run(&scratch.library()).unwrap();
        assert_eq!(hits.count(), if text.ends_with("zzz\"") { 5 } else { 0 });
        let took = began.elapsed();
        assert!(took.as_secs() < 20, "a search took {took:?}");
        for format in [Format::Html, Format::Markdown] {
            let began = std::time::Instant::now();
            let (page, report) = export(&Export::new(format), &files);
            let start: String = text.chars().take(12).collect();
            let took = began.elapsed();
            assert!(
                took.as_secs() < 20,
                "{start} took {took:?} as {}",
                format.as_str()
            );
            assert!(
                page.len() as u64 <= report.bytes_in * 8 + 50_000,
                "{start}: {}",
                page.len()
            );
            assert_steers_nothing(&page);
            if format == Format::Html {
                assert_inert(&page);
                assert_balanced(&page);
            }
        }
    }
}

#[test]
fn folds_of_markdown_are_ended_by_nobody_else() {
    let scratch = Scratch::new();
    let id = "11111111-1111-4111-8111-111111111111";
    scratch.session("-p", id, session());
    let files = scratch.library().session_files(id).unwrap();
    let (text, _) = export(&Export::new(Format::Markdown), &files);
    assert_steers_nothing(&text);
    // As a renderer of Markdown sees it: HTML is what our folds are made of, and nothing else.
    for event in pulldown_cmark::Parser::new(&text) {
        if let pulldown_cmark::Event::Html(html) | pulldown_cmark::Event::InlineHtml(html) = event {
            for tag in html.split('<').skip(1) {
                let known = ["details>", "/details>", "summary>", "/summary>"];
                assert!(known.iter().any(|known| tag.starts_with(known)), "<{tag}");
            }
        }
    }
}
