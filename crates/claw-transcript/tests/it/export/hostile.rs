//! Sessions that attack the reader of an export.

use std::sync::LazyLock;

use claw_testkit::processes::cpu_time;
use claw_transcript::{Export, Format, SearchQuery};
use serde_json::{Value, json};

use super::inert::assert_inert;
use super::{ID, assert_balanced, export, files_with};
use crate::scratch::Scratch;

/// Texts that must never be active, in any member.
pub(super) static EVIL: LazyLock<Vec<String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("evil.json")).unwrap());

fn session() -> Vec<u8> {
    let mut lines = Vec::new();
    let mut parent = Value::Null;
    let mut add = |mut line: Value| {
        let uuid = format!("u{}\"><script>alert(9)</script>", lines.len());
        line["uuid"] = uuid.clone().into();
        line["parentUuid"] = std::mem::replace(&mut parent, uuid.into());
        line["sessionId"] = ID.into();
        line["timestamp"] = "2026-01-01T00:00:00.000Z".into();
        line["cwd"] = "/<script>alert(10)</script>".into();
        line["version"] = "1\"onload=\"alert(11)".into();
        line["gitBranch"] = "</li><script>".into();
        lines.push(line.to_string());
    };
    for (at, evil) in EVIL.iter().enumerate() {
        let id = format!("toolu_{at}");
        let says = |content: Value| json!({"type":"assistant","message":{"id":format!("msg_{at}"),"role":"assistant","model":evil,"content":[content]}});
        add(json!({"type":"user","message":{"role":"user","content":evil}}));
        add(says(
            json!({"type":"thinking","thinking":evil,"signature":evil}),
        ));
        add(says(json!({"type":"text","text":evil})));
        add(says(
            json!({"type":"tool_use","id":id,"name":evil,"input":{"command":evil,evil.to_string():{"x":[evil]}}}),
        ));
        add(
            json!({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":id,"content":[
            {"type":"text","text":evil},
            {"type":"image","source":{"type":"base64","media_type":"image/svg+xml","data":"PHN2Zz4="}},
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"\" onerror=alert(12) x=\""}},
            {"type":evil,"x":evil}]}]},"toolUseResult":{"structuredPatch":[{"oldStart":1,"newStart":1,"lines":[format!("+{evil}")]}]}}),
        );
        let edit = format!("toolu_e{at}");
        add(says(
            json!({"type":"tool_use","id":edit,"name":"Edit","input":{"file_path":evil,"old_string":evil,"new_string":format!("{evil}!")}}),
        ));
        add(
            json!({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":edit,"content":evil,"is_error":true}]}}),
        );
        for tag in [
            "bash-input",
            "local-command-stdout",
            "command-name",
            "task-notification",
        ] {
            let text = format!("<{tag}>{evil}</{tag}>");
            add(json!({"type":"user","message":{"role":"user","content":text}}));
        }
        add(
            json!({"type":"system","subtype":"compact_boundary","content":evil,"compactMetadata":{"trigger":evil,"preTokens":1,"postTokens":1}}),
        );
        add(json!({"type":"system","subtype":evil,"content":evil,"level":"error"}));
        add(json!({"type":"attachment","attachment":{"type":"queued_command","prompt":evil}}));
    }
    lines.push(json!({"type":"custom-title","customTitle":EVIL[7],"sessionId":"x"}).to_string());
    let mut bytes = lines.join("\n").into_bytes();
    bytes.extend_from_slice(b"\n{\"type\":\"user\",\"uuid\":\"bad\xff<script>\",\"parentUuid\":null,\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\"\xff\xfe <script> \\ud83d \\ude00 \\u003cscript\\u003e\"}}\n");
    bytes.extend_from_slice(b"<script>alert(13)</script>\n{\"type\":\"user\",\"mess");
    bytes
}

#[test]
fn a_hostile_session_is_inert_on_the_page() {
    let (_scratch, files) = files_with(session());
    let (page, report) = export(&Export::new(Format::Html).system(true), &files);
    assert!(report.messages > 100, "{}", report.messages);
    assert_inert(&page);
    assert_balanced(&page);
    assert_steers_nothing(&page);
    assert!(page.contains("<span class=\"a1\">red</span>"));
    let is_shown = page.contains("&lt;script>alert(1)");
    assert!(is_shown, "it is shown, not dropped");
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
    let main = scratch.session("-p\"><script>alert(1)<", ID, session());
    let agents = main.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).unwrap();
    for (at, evil) in EVIL.iter().enumerate() {
        let said = json!({"type":"user","uuid":format!("a{at}"),"parentUuid":null,"isSidechain":true,
            "agentId":format!("{at}"),"sessionId":ID,"timestamp":evil,"message":{"role":"user","content":evil}});
        let file = agents.join(format!("agent-{at}.jsonl"));
        std::fs::write(file, format!("{said}\n")).unwrap();
        let started =
            json!({"agentType":evil,"description":evil,"toolUseId":format!("toolu_{at}")});
        let sidecar = agents.join(format!("agent-{at}.meta.json"));
        std::fs::write(sidecar, started.to_string()).unwrap();
    }
    let to = tempfile::tempdir().unwrap();
    for (at, evil) in EVIL.iter().enumerate() {
        let folder = to.path().join(at.to_string());
        let export = Export::new(Format::Html).system(true).title(evil);
        let report = export.write_folder(&scratch.library(), &folder, |_| ());
        assert_eq!(report.unwrap().sessions, 1);
        let index = std::fs::read_to_string(folder.join("index.html")).unwrap();
        assert_inert(&index);
        assert_steers_nothing(&index);
        let address = index.split("href=\"./").nth(1).unwrap();
        let address = address.split('"').next().unwrap();
        let name = format!("{ID}.html");
        assert!(!address.contains(['<', '>', '"']), "{address}");
        assert!(address.ends_with(&name), "{address}");
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
        let text = Value::from(text).to_string();
        let line = |at: u32, kind: &str, content: &str| {
            let parent = json!(at.checked_sub(1).map(|at| at.to_string()));
            format!(
                "{{\"parentUuid\":{parent},\"type\":\"{kind}\",\"uuid\":\"{at}\",\"sessionId\":\"{ID}\",\
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
        let (scratch, files) = files_with(lines.concat());
        let start = cpu_time();
        let hits = SearchQuery::words("a zzz").run(&scratch.library()).unwrap();
        assert_eq!(hits.count(), if text.ends_with("zzz\"") { 5 } else { 0 });
        let took = cpu_time() - start;
        assert!(took.as_secs() < 20, "a search took {took:?}");
        for format in [Format::Html, Format::Markdown] {
            let start = cpu_time();
            let (page, report) = export(&Export::new(format), &files);
            let took = cpu_time() - start;
            let case = format!("{:.12} as {}: {took:?}", text, format.as_str());
            assert!(took.as_secs() < 20, "{case}");
            let longest = report.bytes_in * 8 + 50_000;
            assert!(page.len() as u64 <= longest, "{case}, {}", page.len());
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
    let (_scratch, files) = files_with(session());
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
