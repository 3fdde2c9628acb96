//! Sessions as pages and in other forms.

mod dialect;
mod glued;
mod hidden;
mod hostile;
mod inert;
mod law;

use std::path::{Path, PathBuf};

use claw_transcript::{Branches, Export, ExportReport, Format, SessionFile, TranscriptError};

use crate::scratch::{Scratch, testdata};

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// The sessions under a folder: the files of each, the main one first.
fn sessions_under(folder: &Path) -> Vec<Vec<SessionFile>> {
    let mut found = Vec::new();
    for path in entries(folder) {
        let name = path.file_name().unwrap().to_string_lossy();
        if path.is_dir() && name != "subagents" {
            found.extend(sessions_under(&path));
        } else if name.ends_with(".jsonl") && !name.starts_with("agent-") {
            let main = SessionFile::at(&path).unwrap();
            let mut agents = entries(&main.companions().unwrap().join("subagents"));
            agents.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
            let agents = agents.iter().map(|path| SessionFile::at(path).unwrap());
            found.push(std::iter::once(main).chain(agents).collect());
        }
    }
    found
}

/// The paths in a folder, sorted; none if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = found.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A recorded session: its files, the main one first.
fn recorded(name: &str) -> Vec<SessionFile> {
    let sessions = sessions_under(&testdata().join("cli/2.1.325").join(name));
    sessions.into_iter().next().expect("a recorded session")
}

/// Every recorded session.
fn all_recorded() -> Vec<Vec<SessionFile>> {
    let all = sessions_under(&testdata().join("cli/2.1.325"));
    assert!(all.len() >= 40, "only {} sessions", all.len());
    all
}

/// The files of a session with this content, in a folder that goes away with the test.
fn files_with(content: impl AsRef<[u8]>) -> (Scratch, Vec<SessionFile>) {
    let scratch = Scratch::new();
    scratch.session("-p", ID, content);
    let files = scratch.library().session_files(ID).unwrap();
    (scratch, files)
}

fn export(export: &Export, files: &[SessionFile]) -> (String, ExportReport) {
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
            let case = format!("{} as {}", files[0].path.display(), format.as_str());
            assert!(!text.is_empty() && report.messages > 0, "{case}");
            match format {
                Format::Json => {
                    drop(serde_json::from_str::<Vec<serde_json::Value>>(&text).unwrap());
                }
                Format::Html => {
                    assert_balanced(&text);
                    inert::assert_inert(&text);
                }
                Format::Jsonl => {
                    let whole = std::fs::read_to_string(&files[0].path).unwrap_or_default();
                    for line in text.lines() {
                        assert!(whole.contains(line), "{case}");
                    }
                }
                _ => {}
            }
        }
    }
}

/// Every element that is opened is closed, in order.
fn assert_balanced(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let page = body(page);
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (tag, after) = rest[at + 1..].split_once('>').expect("a tag ends");
        rest = after;
        let mut words = tag
            .trim_start_matches('/')
            .split(|c: char| !c.is_ascii_alphanumeric());
        let name = words.next().unwrap();
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
fn a_branch_can_be_chosen() {
    let files = recorded("resume_session_at");
    let (all, whole) = export(&Export::new(Format::Html), &files);
    let live = Export::new(Format::Html).branches(Branches::Live);
    let (one, part) = export(&live, &files);
    assert_eq!((whole.branches, part.branches), (2, 1));
    assert!(all.contains("class=\"branch\"") && !one.contains("<details class=\"branch\""));
    assert!(part.messages < whole.messages);
    // A message that only the branch that was left has.
    let (_, left) = all.split_once("<details class=\"branch\"").unwrap();
    let (_, id) = left.split_once("id=\"m-").unwrap();
    let (id, _) = id.split_once('"').unwrap();
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
    let all = Export::new(Format::Html);
    for (name, form, text) in [
        (
            "text_content_zoo",
            all.clone().thinking(false),
            "Let me search the web",
        ),
        (
            "agent_foreground",
            all.clone().sidechains(false),
            "<details class=\"agent\"",
        ),
    ] {
        let files = recorded(name);
        assert!(export(&all, &files).0.contains(text), "{name}");
        let (without, report) = export(&form, &files);
        assert!(!without.contains(text) && report.subagents == 0, "{name}");
    }
}

#[test]
fn everything_becomes_a_folder_with_a_list() {
    let scratch = Scratch::of(&testdata().join("cli/2.1.325/agent_foreground/sessions"));
    scratch.session("-other", ID, "no json\n");
    let to = tempfile::tempdir().unwrap();
    let form = Export::new(Format::Html);
    let report = form.write_folder(&scratch.library(), to.path(), |_| ());
    let report = report.unwrap();
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
