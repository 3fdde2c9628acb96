//! Hostile files, with the replies in them.

pub(super) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

fn line(kind: &str, uuid: &str, parent: &str, rest: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"type":"{kind}",{rest},"uuid":"{uuid}","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","sessionId":"{SESSION}"}}"#
    )
}

pub(super) fn user(uuid: &str, parent: &str) -> String {
    line(
        "user",
        uuid,
        parent,
        r#""message":{"role":"user","content":"q"}"#,
    )
}

fn block(uuid: &str, parent: &str, id: &str, more: &str, content: &str) -> String {
    let rest = format!(
        r#"{more}"message":{{"id":"{id}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{content}],"stop_reason":"end_turn","usage":{{"input_tokens":7,"output_tokens":5}}}}"#
    );
    line("assistant", uuid, parent, &rest)
}

pub(super) fn reply(uuid: &str, parent: &str, id: &str) -> String {
    block(uuid, parent, id, "", r#"{"type":"text","text":"hi"}"#)
}

fn call(uuid: &str, parent: &str, id: &str, tool: &str) -> String {
    let call = format!(r#"{{"type":"tool_use","id":"{tool}","name":"Read","input":{{}}}}"#);
    block(uuid, parent, id, "", &call)
}

fn result(uuid: &str, parent: &str, tool: &str) -> String {
    let rest = format!(
        r#""message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{tool}","content":"ok"}}]}}"#
    );
    line("user", uuid, parent, &rest)
}

fn aside(line: &str) -> String {
    line.replace(r#""isSidechain":false"#, r#""isSidechain":true"#)
}

/// A file, with how many replies in it are live, unknown and abandoned.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) expected: [u64; 3],
    /// Whether the CLI's own view of the session has all live replies of the main conversation.
    pub(super) all_shown: bool,
}

fn case(name: &'static str, lines: &[String], expected: [u64; 3]) -> Case {
    Case {
        name,
        bytes: (lines.join("\n") + "\n").into_bytes(),
        expected,
        all_shown: true,
    }
}

/// One where the CLI shows less: behind a hole, and of a broken line.
fn lossy(name: &'static str, lines: &[String], expected: [u64; 3]) -> Case {
    Case {
        all_shown: false,
        ..case(name, lines, expected)
    }
}

pub(super) fn cases() -> Vec<Case> {
    let linear = || {
        [
            user("1", ""),
            reply("2", "1", "a"),
            user("3", "2"),
            reply("4", "3", "b"),
        ]
    };
    let [first, second, third, fourth] = linear();
    let progress = line("progress", "p", "2", r#""data":{"type":"hook_progress"}"#);
    let with = |bytes: Vec<u8>, name, expected| Case {
        bytes,
        ..case(name, &[], expected)
    };
    let text = || linear().join("\n") + "\n";
    let mut bad_byte = text().into_bytes();
    let at = text().find("\"q\"").expect("a prompt") + 1;
    bad_byte[at] = 0xFF;
    let request = |uuid, parent, request: &str| {
        let more = format!(r#""requestId":"{request}","#);
        block(uuid, parent, "a", &more, r#"{"type":"text","text":"hi"}"#)
    };
    let own = |uuid, parent, request: &str| {
        let more = format!(r#""requestRef":"{request}","#);
        block(uuid, parent, "a", &more, r#"{"type":"text","text":"hi"}"#)
    };
    let boundary = line(
        "system",
        "c",
        "",
        r#""subtype":"compact_boundary","content":"","logicalParentUuid":"2","compactMetadata":{"trigger":"manual"}"#,
    );
    let deep = format!(
        r#"{{"type":"text","text":"x","y":{}{}}}"#,
        "[".repeat(600),
        "]".repeat(600)
    );
    let large = second.replace(
        r#""input_tokens":7"#,
        r#""cache_creation":{"ephemeral_5m_input_tokens":18446744073709551615,"ephemeral_1h_input_tokens":9}"#,
    );
    vec![
        case("linear", &linear(), [2, 0, 0]),
        with(text().trim_end().into(), "no newline at the end", [2, 0, 0]),
        with(text().replace('\n', "\r\n").into(), "CRLF", [2, 0, 0]),
        with(format!("\u{feff}{}", text()).into(), "a BOM", [2, 0, 0]),
        with(bad_byte, "a byte that is no UTF-8", [2, 0, 0]),
        lossy(
            "NULs before a line",
            &[
                first.clone(),
                format!("\0\0\0{second}"),
                third.clone(),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        case(
            "deep nesting",
            &[
                first.clone(),
                block("2", "1", "a", "", &deep),
                third.clone(),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        case(
            "numbers that do not fit",
            &[first.clone(), large, third.clone(), fourth.clone()],
            [2, 0, 0],
        ),
        case(
            "three blocks of one reply and their results",
            &[
                first.clone(),
                call("2a", "1", "a", "t1"),
                call("2b", "2a", "a", "t2"),
                call("2c", "2b", "a", "t3"),
                result("r3", "2c", "t3"),
                result("r1", "2a", "t1"),
                result("r2", "2b", "t2"),
                reply("4", "r2", "b"),
            ],
            [2, 0, 0],
        ),
        lossy(
            "a torn block of a reply",
            &[
                first.clone(),
                call("2a", "1", "a", "t1"),
                call("2b", "2a", "a", "t2")[..150].to_owned(),
                call("2c", "2b", "a", "t3"),
                result("r1", "2a", "t1"),
                result("r3", "2c", "t3"),
                reply("4", "r3", "b"),
            ],
            [2, 0, 0],
        ),
        lossy(
            "a torn block of a subagent's reply between the lines",
            &[
                first.clone(),
                second.clone(),
                aside(&user("s1", "")),
                aside(&call("s2a", "s1", "s", "t1")),
                aside(&call("s2b", "s2a", "s", "t2"))[..150].to_owned(),
                aside(&call("s2c", "s2b", "s", "t3")),
                aside(&reply("s3", "s2c", "x")),
                third.clone(),
                fourth.clone(),
            ],
            [4, 0, 0],
        ),
        case(
            "an edit",
            &[
                first.clone(),
                second.clone(),
                third.clone(),
                fourth.clone(),
                user("3b", "2"),
                reply("4b", "3b", "c"),
            ],
            [2, 0, 1],
        ),
        case(
            "an edit of the first prompt",
            &[
                first.clone(),
                second.clone(),
                user("1b", ""),
                reply("2b", "1b", "b"),
            ],
            [1, 0, 1],
        ),
        case(
            "another answer",
            &[first.clone(), second.clone(), reply("2b", "1", "b")],
            [1, 0, 1],
        ),
        case(
            "progress as a parent",
            &[
                first.clone(),
                second.clone(),
                progress,
                user("3", "p"),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        lossy(
            "a lost parent",
            &[
                first.clone(),
                second.clone(),
                user("3", "lost"),
                fourth.clone(),
            ],
            [1, 1, 0],
        ),
        lossy(
            "an edit before a lost parent",
            &[
                first.clone(),
                second.clone(),
                reply("2b", "1", "x"),
                user("3", "lost"),
                fourth.clone(),
            ],
            [1, 1, 1],
        ),
        lossy(
            "two entries in one line",
            &[first.clone(), format!("{second}{third}"), fourth.clone()],
            [2, 0, 0],
        ),
        lossy(
            "a torn entry before a whole one",
            &[
                first.clone(),
                format!("{}{second}", &third[..40]),
                third.clone(),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        lossy(
            "three sidechains between the lines, without a name",
            &[
                first.clone(),
                second.clone(),
                aside(&user("s1", "")),
                aside(&reply("s1b", "s1", "s1")),
                aside(&user("s2", "")),
                aside(&reply("s2b", "s2", "s2")),
                aside(&user("s3", "")),
                aside(&reply("s3b", "s3", "s3")),
                third.clone(),
                fourth.clone(),
            ],
            [5, 0, 0],
        ),
        lossy(
            "a compaction",
            &[
                first.clone(),
                second.clone(),
                boundary,
                user("3", "c"),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        case(
            "a line that is there twice",
            &[
                first.clone(),
                second.clone(),
                second.clone(),
                third,
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        lossy(
            "a request made up for each line",
            &[
                first.clone(),
                request("2", "1", "r1"),
                request("2b", "2", "r2"),
                user("3", "2b"),
                fourth.clone(),
            ],
            [2, 0, 0],
        ),
        lossy(
            "one id for two requests",
            &[
                first.clone(),
                own("2", "1", "q1"),
                user("3", "2"),
                own("4", "3", "q2"),
            ],
            [2, 0, 0],
        ),
        lossy(
            "a parent of itself",
            &[first, second, user("3", "3"), fourth],
            [1, 1, 0],
        ),
        lossy(
            "nothing but a circle",
            &[user("1", "2"), reply("2", "1", "a")],
            [1, 0, 0],
        ),
        lossy(
            "lines that say nothing of a parent",
            &linear().map(|line| line.replacen("\"parentUuid\"", "\"x\"", 1)),
            [1, 1, 0],
        ),
    ]
}
