//! Summaries that are updated line by line.

use std::path::Path;
use std::time::{Duration, SystemTime};

use claw_transcript::{SessionFilter, SessionInfo, SessionLibrary, SessionSummary};

fn folded(lines: &[&str]) -> SessionSummary {
    let mut summary = SessionSummary::new();
    lines.iter().for_each(|line| summary.fold(line));
    summary
}

fn info(lines: &[&str]) -> Option<SessionInfo> {
    folded(lines).info("5e5e", SystemTime::UNIX_EPOCH)
}

const PROMPT: &str = r#"{"type":"user","message":{"role":"user","content":"Hello"},"cwd":"/w","gitBranch":"main","timestamp":"1970-01-01T00:00:01.000Z"}"#;
const COMMAND: &str =
    r#"{"type":"user","message":{"role":"user","content":"<command-name>/clear</command-name>"}}"#;

#[test]
fn summary_equals_the_listing_of_the_file() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/sessions/demo");
    let library = SessionLibrary::open(demo);
    let listed = library.list(&SessionFilter::new()).unwrap();
    assert!(!listed.is_empty());
    for listed in listed {
        let text = std::fs::read_to_string(&listed.path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let summary = folded(&lines).info(&listed.session_id, listed.last_modified);
        let mut of_file = listed;
        of_file.path = std::path::PathBuf::new();
        of_file.file_size = 0;
        assert_eq!(summary, Some(of_file));
    }
}

#[test]
fn first_or_last_value_wins_by_member() {
    let later = r#"{"type":"user","message":{"role":"user","content":"More"},"cwd":"/x","gitBranch":"topic","timestamp":"1970-01-01T00:00:09.000Z"}"#;
    let info = info(&[COMMAND, PROMPT, later]).unwrap();
    assert_eq!(info.first_prompt.as_deref(), Some("Hello"));
    assert_eq!(info.cwd.as_deref(), Some("/w"));
    assert_eq!(info.git_branch.as_deref(), Some("topic"));
    let second = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    assert_eq!(info.created_at, Some(second));
}

#[test]
fn titles_tags_and_moves_are_followed() {
    let titled = r#"{"type":"custom-title","customTitle":"A","sessionId":"5e5e"}"#;
    let made = r#"{"type":"ai-title","aiTitle":"B","sessionId":"5e5e"}"#;
    let tagged = r#"{"type":"tag","tag":"t","sessionId":"5e5e"}"#;
    let moved = r#"{"type":"relocated","relocatedCwd":"/y"}"#;
    let all = info(&[PROMPT, made, titled, tagged, moved]).unwrap();
    assert_eq!(all.summary, "A");
    assert_eq!(
        (all.tag.as_deref(), all.cwd.as_deref()),
        (Some("t"), Some("/y"))
    );
    let untagged = r#"{"type":"tag","tag":"","sessionId":"5e5e"}"#;
    assert_eq!(info(&[PROMPT, tagged, untagged]).unwrap().tag, None);
}

#[test]
fn sessions_without_prompt_and_subagents_are_not_listed() {
    assert_eq!(info(&[]), None);
    assert_eq!(info(&["", "[1]", "{\"torn"]), None);
    assert_eq!(folded(&["not JSON"]), SessionSummary::new());
    assert_eq!(
        info(&[COMMAND]).unwrap().first_prompt.as_deref(),
        Some("/clear")
    );
    let sidechain = PROMPT.replacen("{", r#"{"isSidechain":true,"#, 1);
    assert_eq!(info(&[&sidechain]), None);
}

#[test]
fn deserialized_summary_can_be_continued() {
    let whole = folded(&[COMMAND, PROMPT]);
    let text = serde_json::to_string(&folded(&[COMMAND])).unwrap();
    let mut restored: SessionSummary = serde_json::from_str(&text).unwrap();
    restored.fold(PROMPT);
    assert_eq!(restored, whole);
    let newer: SessionSummary = serde_json::from_str(r#"{"new":[1]}"#).unwrap();
    assert_eq!(serde_json::to_string(&newer).unwrap(), r#"{"new":[1]}"#);
}
