//! Usage and cost, over files.

mod explained;
mod generated;
mod grouped;
mod hidden;
mod order;
mod trapped;

use std::path::{Path, PathBuf};

use claw_transcript::{SessionFile, SessionLibrary, Sums, UsageQuery, UsageReport, Zone};

/// A folder with sessions in it.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn library(&self) -> SessionLibrary {
        SessionLibrary::open(self.folder.path())
    }

    /// Writes a file under `projects`.
    fn write(&self, path: &str, lines: &[String]) -> PathBuf {
        let path = self.folder.path().join("projects").join(path);
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

/// A line of a reply, to be changed.
#[derive(Clone)]
struct Reply<'a> {
    id: &'a str,
    uuid: &'a str,
    parent: &'a str,
    session: &'a str,
    time: &'a str,
    model: &'a str,
    cwd: &'a str,
    output: u64,
    content: &'a str,
    more: &'a str,
}

impl Default for Reply<'_> {
    fn default() -> Self {
        Self {
            id: "msg_1",
            uuid: "u1",
            parent: "",
            session: SESSION,
            time: "2026-10-01T12:00:00.000Z",
            model: "claude-opus-5-5",
            cwd: "/w",
            output: 100,
            content: r#"{"type":"text","text":"hi"}"#,
            more: "",
        }
    }
}

impl Reply<'_> {
    fn line(&self) -> String {
        let Self {
            id,
            uuid,
            parent,
            session,
            time,
            model,
            cwd,
            output,
            content,
            more,
        } = self;
        let parent = match *parent {
            "" => "null".to_owned(),
            parent => format!("\"{parent}\""),
        };
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"message":{{"id":"{id}","type":"message","role":"assistant","model":"{model}","content":[{content}],"stop_reason":"end_turn","usage":{{"input_tokens":10,"cache_creation_input_tokens":0,"cache_read_input_tokens":1000,"output_tokens":{output}}}}},"type":"assistant","uuid":"{uuid}","timestamp":"{time}","cwd":"{cwd}","sessionId":"{session}","version":"2.1.325","gitBranch":"main"{more}}}"#
        )
    }
}

fn prompt(uuid: &str, parent: &str) -> String {
    let parent = match parent {
        "" => "null".to_owned(),
        parent => format!("\"{parent}\""),
    };
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
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../testdata/cli/2.1.325")
        .join(scenario)
        .join("sessions");
    let home = Home::new();
    copy(&sessions, &home.folder.path().join("projects"));
    home
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder can be made");
    for entry in std::fs::read_dir(from).expect("the scenario is recorded") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

fn files_of(home: &Home) -> Vec<SessionFile> {
    home.library().files().expect("a library can be listed")
}
