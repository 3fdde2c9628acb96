//! Usage and cost, over files.

mod explained;
mod generated;
mod grouped;
mod hidden;
mod order;
mod trapped;

use std::path::PathBuf;

use claw_transcript::{SessionFile, SessionLibrary, Sums, UsageQuery, UsageReport, Zone};

use crate::scratch::{Scratch, testdata};

/// A folder with sessions in it.
struct Home(Scratch);

impl Home {
    fn new() -> Self {
        Self(Scratch::new())
    }

    fn library(&self) -> SessionLibrary {
        self.0.library()
    }

    /// Writes a file under `projects`.
    fn write(&self, path: &str, lines: &[String]) -> PathBuf {
        let path = self.0.projects().join(path);
        let folder = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(&path, lines.join("\n") + "\n").expect("a file can be written");
        path
    }

    fn count(&self, query: UsageQuery) -> UsageReport {
        query.run(&self.library()).expect("a library can be read")
    }
}

fn in_utc() -> UsageQuery {
    UsageQuery::new().zone(Zone::utc())
}

const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";

/// A line of a reply, with these fields instead of the default ones.
fn reply(changes: &[(&str, &str)]) -> String {
    let fields = [
        ("id", "msg_1"),
        ("uuid", "u1"),
        ("parent", "null"),
        ("session", SESSION),
        ("time", "2026-10-01T12:00:00.000Z"),
        ("model", "claude-opus-5-5"),
        ("cwd", "/w"),
        ("output", "100"),
        ("input", "10"),
        ("content", r#"{"type":"text","text":"hi"}"#),
        ("more", ""),
    ];
    let is_field = |(name, _): &(&str, &str)| fields.iter().any(|(known, _)| known == name);
    assert!(changes.iter().all(is_field), "{changes:?}");
    let line = r#"{"parentUuid":<parent>,"isSidechain":false,"message":{"id":"<id>","type":"message","role":"assistant","model":"<model>","content":[<content>],"stop_reason":"end_turn","usage":{"input_tokens":<input>,"cache_creation_input_tokens":0,"cache_read_input_tokens":1000,"output_tokens":<output>}},"type":"assistant","uuid":"<uuid>","timestamp":"<time>","cwd":"<cwd>","sessionId":"<session>","version":"2.1.325","gitBranch":"main"<more>}"#;
    let values = changes.iter().chain(&fields);
    values.fold(line.to_owned(), |line, (name, value)| {
        line.replace(&format!("<{name}>"), value)
    })
}

fn prompt(uuid: &str, parent: &str) -> String {
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"type":"user","message":{{"role":"user","content":"q"}},"uuid":"{uuid}","timestamp":"2026-10-01T11:00:00.000Z","cwd":"/w","sessionId":"{SESSION}"}}"#
    )
}

/// The sums of each row by its keys.
fn rows(report: &UsageReport) -> Vec<(String, Sums)> {
    let rows = report.rows.iter();
    rows.map(|row| (row.keys.join(" "), row.sums)).collect()
}

fn outputs(report: &UsageReport) -> Vec<(String, u64)> {
    let rows = rows(report).into_iter();
    rows.map(|(keys, sums)| (keys, sums.tokens.output))
        .collect()
}

/// Rows divide the total, apart from messages that have a part in several.
fn assert_adds_up(report: &UsageReport) {
    let tokens = report.rows.iter().map(|row| row.sums.tokens);
    let tokens = tokens.reduce(|sum, row| sum + row).unwrap_or_default();
    assert_eq!(tokens, report.total.tokens);
    let cost: claw_transcript::Usd = report.rows.iter().filter_map(|row| row.sums.cost).sum();
    assert_eq!(cost, report.total.cost.unwrap_or_default());
}

/// The recorded sessions of one scenario, copied as a library.
fn recorded(scenario: &str) -> Home {
    let sessions = testdata()
        .join("cli/2.1.325")
        .join(scenario)
        .join("sessions");
    Home(Scratch::of(&sessions))
}

/// The libraries of the test kit's traps but the huge one, each with its name.
fn traps() -> (tempfile::TempDir, Vec<(&'static str, SessionLibrary)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let traps = claw_testkit::corpus::traps::write_all(folder.path()).expect("traps");
    let names = traps.iter().map(|trap| trap.name);
    let names = names.filter(|name| *name != "t15_huge_line");
    let open = |name| SessionLibrary::open(folder.path().join(name).join(".claude"));
    let libraries = names.map(|name| (name, open(name))).collect();
    (folder, libraries)
}

fn files_of(home: &Home) -> Vec<SessionFile> {
    home.library().files().expect("a library can be listed")
}
