//! Sessions as pages and in other forms.

mod dialect;
mod glued;
mod hidden;
mod hostile;
mod inert;
mod law;

use std::path::{Path, PathBuf};

use claw_transcript::{
    Branches, Export, ExportReport, Format, SessionFile, SessionLibrary, SoftDeletes,
    TranscriptError,
};

use crate::scratch::{Scratch, testdata};

/// A recorded session: its files, the main one first.
pub(crate) fn recorded(name: &str) -> Vec<SessionFile> {
    let sessions = testdata().join("cli/2.1.325").join(name).join("sessions");
    let main = main_files(&sessions);
    files_of(main.first().expect("a recorded session"))
}

fn main_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for project in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(project.unwrap().path())
            .into_iter()
            .flatten()
        {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn files_of(main: &Path) -> Vec<SessionFile> {
    let main = SessionFile::at(main).unwrap();
    let mut files = vec![main.clone()];
    let folder = main.companions().unwrap().join("subagents");
    for file in std::fs::read_dir(folder).into_iter().flatten() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(SessionFile::at(path).unwrap());
        }
    }
    files
}

/// Every recorded session.
pub(crate) fn all_recorded() -> Vec<Vec<SessionFile>> {
    let mut all = Vec::new();
    for scenario in std::fs::read_dir(testdata().join("cli/2.1.325")).unwrap() {
        let sessions = scenario.unwrap().path().join("sessions");
        if sessions.is_dir() {
            all.extend(main_files(&sessions).iter().map(|main| files_of(main)));
        }
    }
    assert!(all.len() >= 40, "only {} sessions", all.len());
    all
}

pub(crate) fn export(export: &Export, files: &[SessionFile]) -> (String, ExportReport) {
    let mut out = Vec::new();
    let report = export.write(files, &mut out).unwrap();
    assert_eq!(report.bytes_out, out.len() as u64);
    (String::from_utf8(out).unwrap(), report)
}

/// What is between the style and the script of a page.
fn body(page: &str) -> &str {
    let (_, body) = page.split_once("<body>").unwrap();
    body.rsplit_once("<script>").unwrap().0
}

#[test]
fn pages_of_recorded_sessions_are_as_they_were() {
    for name in [
        "tools_files",
        "compact_manual",
        "agent_foreground",
        "slash_commands",
        "resume_session_at",
    ] {
        let (page, report) = export(&Export::new(Format::Html), &recorded(name));
        insta::assert_snapshot!(format!("page_{name}"), body(&page));
        assert!(report.messages > 0);
    }
}

#[test]
fn other_forms_of_recorded_sessions_are_as_they_were() {
    for name in ["tools_files", "agent_foreground"] {
        let (text, _) = export(&Export::new(Format::Markdown), &recorded(name));
        insta::assert_snapshot!(format!("markdown_{name}"), text);
        let (text, report) = export(&Export::new(Format::Document), &recorded(name));
        insta::assert_snapshot!(format!("document_{name}"), text);
        insta::assert_debug_snapshot!(format!("losses_{name}"), report.losses);
    }
    let (text, _) = export(&Export::new(Format::Json), &recorded("tools_files"));
    insta::assert_snapshot!("json_tools_files", text);
}

#[test]
fn every_recorded_session_becomes_every_form() {
    for files in all_recorded() {
        for format in Format::ALL {
            let (text, report) = export(&Export::new(format).system(true), &files);
            let path = files[0].path.display();
            assert!(
                !text.is_empty() && report.messages > 0,
                "{path} as {}",
                format.as_str()
            );
            match format {
                Format::Json => {
                    drop(serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap());
                }
                Format::Html => assert_balanced(&text),
                Format::Jsonl => {
                    let whole = std::fs::read_to_string(&files[0].path).unwrap_or_default();
                    for line in text.lines() {
                        assert!(whole.contains(line), "{path}");
                    }
                }
                _ => {}
            }
        }
    }
}

/// Every element that is opened is closed, in order.
pub(crate) fn assert_balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let page = body(page);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (tag, after) = rest[at + 1..].split_once('>').expect("a tag ends");
        rest = after;
        let name = tag.trim_start_matches('/');
        let end = name
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(name.len());
        let name = &name[..end];
        if ["img", "br", "hr", "input", "meta"].contains(&name) {
            continue;
        }
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "before {:.80}", rest);
        } else {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "left open");
}

#[test]
fn a_page_loads_nothing() {
    for files in all_recorded() {
        let (page, _) = export(&Export::new(Format::Html).system(true), &files);
        inert::assert_inert(&page);
    }
}

#[test]
fn a_branch_can_be_chosen() {
    let files = recorded("resume_session_at");
    let (all, whole) = export(&Export::new(Format::Html), &files);
    let live = Export::new(Format::Html).branches(Branches::Live);
    let (one, part) = export(&live, &files);
    assert!(
        whole.branches == 2 && part.branches == 1,
        "{} {}",
        whole.branches,
        part.branches
    );
    assert!(all.contains("class=\"branch\"") && !one.contains("<details class=\"branch\""));
    assert!(part.messages < whole.messages);
    // A message that only the branch that was left has.
    let left = all.split("<details class=\"branch\"").nth(1).unwrap();
    let id = left
        .split("id=\"m-")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(!one.contains(id));
    let through = Export::new(Format::Html).branches(Branches::Through(id.to_owned()));
    assert!(export(&through, &files).0.contains(id));
    let nowhere = Export::new(Format::Html).branches(Branches::Through("nowhere".to_owned()));
    let error = nowhere.write(&files, &mut Vec::new()).unwrap_err();
    assert!(
        matches!(error, TranscriptError::MessageNotFound { .. }),
        "{error}"
    );
}

#[test]
fn what_is_left_out_is_not_there() {
    let files = recorded("text_content_zoo");
    let (with, _) = export(&Export::new(Format::Html), &files);
    let (without, _) = export(&Export::new(Format::Html).thinking(false), &files);
    assert!(with.contains("Let me search the web") && !without.contains("Let me search the web"));
    let files = recorded("agent_foreground");
    let (with, _) = export(&Export::new(Format::Html), &files);
    let (without, report) = export(&Export::new(Format::Html).sidechains(false), &files);
    assert!(
        with.contains("<details class=\"agent\"") && !without.contains("<details class=\"agent\"")
    );
    assert_eq!(report.subagents, 0);
}

#[test]
fn deleted_messages_are_left_out_and_the_file_is_not_touched() {
    let files = recorded("text_two_turns");
    let before = std::fs::read(&files[0].path).unwrap();
    let text = String::from_utf8(before.clone()).unwrap();
    let reply = text
        .lines()
        .find(|line| line.contains("\"type\":\"assistant\""))
        .unwrap();
    let reply: serde_json::Value = serde_json::from_str(reply).unwrap();
    let uuid = reply["uuid"].as_str().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let session = "f8673da7-6322-4f39-b3c5-9afe4b08b265";
    let mut deleted = SoftDeletes::open(dir.path(), session).unwrap();
    deleted.delete(uuid);
    deleted.save().unwrap();
    let deleted = SoftDeletes::open(dir.path(), session).unwrap();
    for format in Format::ALL {
        let (with, _) = export(&Export::new(format), &files);
        assert!(with.contains(uuid) || format == Format::Markdown);
        let (without, report) = export(&Export::new(format).without(deleted.clone()), &files);
        if format == Format::Document {
            let line = without.lines().find(|line| line.contains(uuid)).unwrap();
            assert!(line.contains("\"isDeleted\":true"), "{line}");
        } else {
            assert!(
                !without.contains(&format!("m-{uuid}")),
                "{}",
                format.as_str()
            );
            assert_eq!(report.deleted, 1, "{}", format.as_str());
        }
    }
    let mut deleted = deleted;
    assert!(deleted.restore(uuid) && !deleted.restore(uuid));
    assert_eq!(std::fs::read(&files[0].path).unwrap(), before);
    assert!(SoftDeletes::open(dir.path(), "../escape").is_err());
}

#[test]
fn everything_becomes_a_folder_with_a_list() {
    let scratch = Scratch::of(&testdata().join("cli/2.1.325/agent_foreground/sessions"));
    scratch.session(
        "-other",
        "11111111-1111-4111-8111-111111111111",
        "no json\n",
    );
    let to = tempfile::tempdir().unwrap();
    let library: SessionLibrary = scratch.library();
    let report = Export::new(Format::Html)
        .write_folder(&library, to.path(), |_| ())
        .unwrap();
    assert_eq!((report.sessions, report.failed.len()), (2, 0));
    let index = std::fs::read_to_string(to.path().join("index.html")).unwrap();
    inert::assert_inert(&index);
    for link in index.split("href=\"./").skip(1) {
        let path = to.path().join(link.split('"').next().unwrap());
        let page = std::fs::read_to_string(&path).unwrap();
        assert_balanced(&page);
    }
    assert_eq!(index.matches("href=\"./").count(), 2);
}
