//! What is found, where, and in which order.

use std::num::NonZero;
use std::time::{Duration, SystemTime};

use claw_testkit::corpus::SessionCorpus;
use claw_transcript::{FileRole, SearchQuery, SearchRole, TranscriptError};

use super::{count, hits, marked};
use crate::scratch::{Scratch, testdata};

const ID: &str = "22222222-2222-4222-8222-222222222222";

fn lines() -> String {
    [
        r#"{"type":"custom-title","customTitle":"title needle","sessionId":"s"}"#,
        r#"{"type":"user","uuid":"u1","timestamp":"2026-01-01T00:00:00Z","message":{"content":"user needle"}}"#,
        r#"{"type":"user","uuid":"u2","isMeta":true,"timestamp":"2026-01-02T00:00:00Z","message":{"content":[{"type":"text","text":"meta needle"}]}}"#,
        r#"{"type":"assistant","uuid":"u3","timestamp":"2026-01-03T00:00:00Z","message":{"content":[{"type":"thinking","thinking":"thought needle","signature":"needle"},{"type":"text","text":"said needle, needle"}]}}"#,
        r#"{"type":"assistant","uuid":"u4","timestamp":"2026-01-04T00:00:00Z","message":{"content":[{"type":"tool_use","id":"needle","name":"Bash","input":{"needle":"no","command":"grep needle"}}]}}"#,
        r#"{"type":"user","uuid":"u5","timestamp":"2026-01-05T00:00:00Z","toolUseResult":{"stdout":"spare needle","needle":1},"message":{"content":[{"type":"tool_result","tool_use_id":"needle","content":"nothing"}]}}"#,
        r#"{"type":"user","uuid":"u6","timestamp":"2026-01-06T00:00:00Z","toolUseResult":"seen needle","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"seen needle"},{"type":"image","source":{"type":"base64","data":"needle"}}]}]}}"#,
        r#"{"type":"attachment","uuid":"u7","timestamp":"2026-01-07T00:00:00Z","attachment":{"type":"needle","content":"attached needle"}}"#,
        r#"{"type":"system","uuid":"u8","timestamp":"2026-01-08T00:00:00Z","content":"system needle"}"#,
        r#"{"type":"queue-operation","content":"queued needle"}"#,
        r#"{"type":"user","uuid":"u9","message":{"content":"torn needle{"type":"system","uuid":"u10","sessionId":"s","content":"glued needle"}"#,
        r#"{"type":"assistant","subtype":"tool_use","uuid":"d1","parentUuid":null,"sessionId":"s","timestamp":"2026-01-09T00:00:00Z","message":"document needle","toolName":"Read","toolArguments":{"path":"of the needle"}}"#,
    ]
    .join("\n")
}

#[test]
fn everything_that_is_seen_is_searched_and_nothing_else() {
    let scratch = Scratch::new();
    scratch.session("-p", ID, lines());
    let every = SearchQuery::phrase("needle").roles(SearchRole::ALL.iter().copied());
    let found = hits(&scratch, &every);
    let rows: Vec<String> = found
        .iter()
        .map(|hit| {
            let uuid = hit.uuid.as_deref().unwrap_or("-");
            format!(
                "{} {} {uuid}: {}",
                hit.line,
                hit.role.as_str(),
                hit.snippet.text
            )
        })
        .collect();
    insta::assert_snapshot!(rows.join("\n"));
    assert!(marked(&found).iter().all(|text| *text == "needle"));
    let all = lines();
    for hit in &found {
        assert!(all[hit.offset as usize..].starts_with('{'), "{hit:?}");
        assert_eq!(hit.session_id.as_deref(), Some(ID));
    }
    // Each role alone, and the default roles.
    for role in SearchRole::ALL {
        let alone = hits(&scratch, &SearchQuery::phrase("needle").roles([*role]));
        let expected = found.iter().filter(|hit| hit.role == *role).count();
        assert!(alone.iter().all(|hit| hit.role == *role));
        assert_eq!(
            (alone.len(), alone.is_empty()),
            (expected, false),
            "{role:?}"
        );
    }
    let usual = hits(&scratch, &SearchQuery::phrase("needle"));
    assert_eq!(usual.len(), found.len() - 1);
}

#[test]
fn words_are_looked_for_in_one_message() {
    let scratch = Scratch::new();
    scratch.session("-p", ID, lines());
    let found = hits(&scratch, &SearchQuery::words("needle Bash"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].uuid.as_deref(), Some("u4"));
    let found = hits(&scratch, &SearchQuery::words("needle, said"));
    assert_eq!(marked(&found), ["said", "needle,"]);
    assert_eq!(count(&scratch, SearchQuery::words("thought said")), 0);
}

#[test]
fn what_a_tool_is_given_and_gives_is_text_whatever_its_name() {
    let scratch = Scratch::new();
    let picture = "QUJD".repeat(400);
    let lines = [
        format!(
            r#"{{"type":"assistant","uuid":"call","message":{{"content":[{{"type":"tool_use","id":"toolu_x","name":"get_issue","input":{{"id":"PROJ-123","data":"words in data","type":"bugreport","hash":"4f2a9c","pid":424242,"deep":[{{"uuid":"deep-id"}},-1.5e3],"force":true,"base64":"{picture}"}}}}]}}}}"#
        ),
        format!(
            r#"{{"type":"user","uuid":"result","toolUseResult":{{"id":"ROW-7","type":"image","data":"plain data","rows":909090,"interrupted":false,"file":{{"base64":"{picture}","type":"image/png"}}}},"message":{{"content":[{{"type":"tool_result","tool_use_id":"toolu_x","content":"nothing"}}]}}}}"#
        ),
    ];
    scratch.session("-p", ID, lines.join("\n"));
    let table = [
        ("PROJ-123", Some("call")),
        ("words in data", Some("call")),
        ("bugreport", Some("call")),
        ("4f2a9c", Some("call")),
        ("424242", Some("call")),
        ("deep-id", Some("call")),
        ("-1.5e3", Some("call")),
        ("true", Some("call")),
        ("ROW-7", Some("result")),
        ("plain data", Some("result")),
        ("909090", Some("result")),
        // The id of a call, bytes of a picture, and what the CLI notes in every result.
        ("toolu_x", None),
        ("QUJDQUJD", None),
        ("false", None),
        ("image", Some("result")),
    ];
    for (text, expected) in table {
        let found = hits(&scratch, &SearchQuery::phrase(text));
        let uuids: Vec<_> = found.iter().filter_map(|hit| hit.uuid.as_deref()).collect();
        assert_eq!(uuids, Vec::from_iter(expected), "{text}");
    }
}

#[test]
fn the_blocks_of_a_message_are_one_text_for_words() {
    let scratch = Scratch::new();
    let line = r#"{"type":"user","uuid":"u1","message":{"content":[{"type":"text","text":"the alpha"},{"type":"image","source":{"type":"base64","data":"aa"}},{"type":"text","text":"the beta"}]}}"#;
    scratch.session("-p", ID, line);
    let found = hits(&scratch, &SearchQuery::words("beta alpha"));
    assert_eq!(marked(&found), ["alpha"]);
    assert_eq!((found.len(), found[0].count), (1, 2));
    // A phrase is in one of them, and the message is one hit.
    assert_eq!(count(&scratch, SearchQuery::phrase("the")), 1);
    assert_eq!(count(&scratch, SearchQuery::regex("(?s)alpha.*beta")), 0);
}

#[test]
fn results_in_files_of_their_own_are_searched() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, lines());
    let folder = path.with_extension("").join("tool-results");
    std::fs::create_dir_all(&folder).unwrap();
    let text = b"\n\nfirst \xff line\nthe Zwetschge line\nand a Zwetschge more\n";
    std::fs::write(folder.join("b1.txt"), text).unwrap();
    let json = r#"[{"type":"text","text":"a\nMarille, \u0041nanas"}]"#;
    std::fs::write(folder.join("b2.json"), json).unwrap();
    std::fs::write(folder.join("b3.png"), "Zwetschge").unwrap();
    for (query, line) in [
        (SearchQuery::phrase("Zwetschge line\nand"), 3),
        (SearchQuery::words("more first Zwetschge"), 2),
        (SearchQuery::regex("^the Zwet.*$"), 3),
    ] {
        let found = hits(&scratch, &query);
        let [hit] = &found[..] else {
            panic!("{query:?}: {found:?}")
        };
        assert_eq!(hit.role, SearchRole::ToolResult);
        assert_eq!(hit.session_id.as_deref(), Some(ID));
        assert!(matches!(hit.file.role, FileRole::ToolResult));
        assert_eq!(hit.line, line as u64, "{query:?}");
        let start = text.split_inclusive(|b| *b == b'\n').take(line);
        assert_eq!(hit.offset, start.map(|line| line.len() as u64).sum::<u64>());
    }
    let found = hits(&scratch, &SearchQuery::phrase("\nMarille, Ananas"));
    assert_eq!(marked(&found), ["\nMarille, Ananas"]);
    // JSON escapes are not text there either; a raw search finds them.
    assert_eq!(count(&scratch, SearchQuery::phrase("u0041")), 0);
    assert_eq!(count(&scratch, SearchQuery::phrase("u0041").raw()), 1);
    assert_eq!(count(&scratch, SearchQuery::phrase("Zwetschge").raw()), 2);
    let prompts = SearchQuery::phrase("Zwetschge").roles([SearchRole::User]);
    assert_eq!(count(&scratch, prompts), 0);
    let future = SystemTime::now() + Duration::from_secs(3600);
    let later = SearchQuery::phrase("Zwetschge").since(future);
    assert_eq!(count(&scratch, later), 0);
    // Subagents have the same files beside them.
    let agents = path.with_extension("").join("subagents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("agent-a1.jsonl"), "{}").unwrap();
    std::fs::write(agents.join("agent-a2.jsonl"), "{}").unwrap();
    assert_eq!(count(&scratch, SearchQuery::phrase("Zwetschge")), 1);
    // A session of which only this is left, and subagents.
    std::fs::remove_file(&path).unwrap();
    assert_eq!(count(&scratch, SearchQuery::phrase("Zwetschge")), 1);
}

#[test]
fn a_result_that_is_longer_than_anybody_holds_is_searched_in_parts() {
    let scratch = Scratch::new();
    let path = scratch.session("-p", ID, "");
    let folder = path.with_extension("").join("tool-results");
    std::fs::create_dir_all(&folder).unwrap();
    let mut text = "a line of a log\n".repeat(1_200_000);
    text.push_str("Zwetschge\nat the end\n");
    std::fs::write(folder.join("b1.txt"), &text).unwrap();
    let found = hits(&scratch, &SearchQuery::phrase("Zwetschge\nat"));
    assert_eq!((found.len(), found[0].line), (1, 1_200_000));
    assert!(text[found[0].offset as usize..].starts_with("Zwetschge"));
}

#[test]
fn times_sessions_projects_and_limits_narrow_it_down() {
    let scratch = Scratch::new();
    scratch.session("-p", ID, lines());
    let at =
        |days: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600 + days * 86_400);
    let query = || SearchQuery::phrase("needle").roles([SearchRole::User, SearchRole::Assistant]);
    let uuids = |query: SearchQuery| -> Vec<String> {
        hits(&scratch, &query)
            .into_iter()
            .filter_map(|hit| hit.uuid)
            .collect()
    };
    assert_eq!(uuids(query()), ["u1", "u3", "d1"]);
    assert_eq!(uuids(query().since(at(2))), ["u3", "d1"]);
    assert_eq!(uuids(query().until(at(2))), ["u1"]);
    assert_eq!(uuids(query().limit(2)), ["u1", "u3"]);
    assert_eq!(uuids(query().limit(0)), [""; 0]);
    assert_eq!(uuids(query().session(ID)).len(), 3);
    assert_eq!(uuids(query().session("another")), [""; 0]);
    let key = scratch.library().files().unwrap()[0].project.clone();
    assert_eq!(uuids(query().projects([key])).len(), 3);
    let other = claw_transcript::ProjectKey::of_path("/elsewhere");
    assert_eq!(uuids(query().projects([other])), [""; 0]);
}

#[test]
fn snippets_are_cut_at_characters() {
    let scratch = Scratch::new();
    let line = r#"{"type":"user","message":{"content":"日本語日本語needle日本語日本語needle"}}"#;
    scratch.session("-p", ID, line);
    let found = hits(&scratch, &SearchQuery::phrase("needle").context(2));
    let [hit] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(hit.snippet.text, "本語needle日本");
    assert_eq!(
        (hit.snippet.cut_before, hit.snippet.cut_after),
        (true, true)
    );
    assert_eq!(hit.count, 2);
    let whole = hits(&scratch, &SearchQuery::regex("(?s).*").context(0));
    assert_eq!(
        whole[0].snippet.text.chars().filter(|c| *c == '語').count(),
        4
    );
}

#[test]
fn a_pattern_that_is_none_is_said_at_once() {
    let scratch = Scratch::new();
    let error = SearchQuery::regex("(").run(&scratch.library()).unwrap_err();
    assert!(
        matches!(error, TranscriptError::BadPattern { .. }),
        "{error}"
    );
}

#[test]
fn the_newest_session_comes_first_with_its_subagents_behind_it() {
    let scratch = Scratch::of(&testdata().join("cli/2.1.325/agent_foreground/sessions"));
    let line = r#"{"type":"user","message":{"content":"Say go. reply"}}"#;
    let old = scratch.session("-p", ID, line);
    let file = std::fs::File::options().append(true).open(old).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    let found = hits(&scratch, &SearchQuery::regex("[a-z]"));
    let files: Vec<_> = found.iter().map(|hit| (&hit.file.path, hit.line)).collect();
    let agents = found
        .iter()
        .map(|hit| matches!(hit.file.role, FileRole::Agent { .. }));
    let agents: Vec<bool> = agents.collect();
    assert!(!agents[0] && agents[agents.len() - 2] && !agents[agents.len() - 1]);
    assert_eq!(found.last().unwrap().session_id.as_deref(), Some(ID));
    for pair in files.windows(2) {
        assert!(pair[0].0 != pair[1].0 || pair[0].1 <= pair[1].1, "{pair:?}");
    }
}

#[test]
fn any_number_of_threads_finds_the_same_in_the_same_order() {
    let out = tempfile::tempdir().unwrap();
    SessionCorpus::of_megabytes(2.0).write(out.path()).unwrap();
    let scratch = Scratch::of(&out.path().join(".claude/projects"));
    let all = |threads: usize| -> Vec<(std::path::PathBuf, u64, u64, String)> {
        let query = SearchQuery::words("e a").any_case();
        let found = hits(&scratch, &query.threads(NonZero::new(threads).unwrap()));
        let rows = found.into_iter().map(|hit| {
            (
                hit.file.path.clone(),
                hit.line,
                hit.offset,
                hit.snippet.text,
            )
        });
        rows.collect()
    };
    let one = all(1);
    assert!(one.len() > 300, "{}", one.len());
    assert_eq!(one, all(3));
    // The threads end when the caller stops.
    let some = SearchQuery::phrase("e").run(&scratch.library()).unwrap();
    assert_eq!(some.take(5).count(), 5);
}
