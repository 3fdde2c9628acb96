//! What the CLI itself wrote.

use std::collections::HashSet;
use std::fs;

use claw_transcript::{Entry, FileRole, MessageFilter, SessionFile, SessionTree, TreeReader};

use super::{drawn, whole};
use crate::scratch::{Scratch, testdata};

fn libraries() -> Vec<Scratch> {
    let mut found = Vec::new();
    for folder in ["cli/2.1.325", "sessions/made"] {
        for entry in fs::read_dir(testdata().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let sessions = match folder {
                "sessions/made" => path,
                _ => path.join("sessions"),
            };
            if sessions.is_dir() {
                found.push(Scratch::of(&sessions));
            }
        }
    }
    assert!(found.len() > 50, "{} libraries", found.len());
    found
}

/// Journals of workflows are in the folder of subagents' files.
fn is_session(file: &SessionFile) -> bool {
    file.role == FileRole::Main
}

/// Whatever the SDK shows of a session is on the live branch, and in that order.
#[test]
fn the_live_branch_has_what_the_sdk_shows() {
    let mut compared = 0;
    for scratch in libraries() {
        let library = scratch.library();
        for file in library.files().expect("files") {
            let tree = SessionTree::read(std::slice::from_ref(&file)).expect("a tree");
            whole(&tree);
            let Some(id) = file.session_id.as_ref().filter(|_| is_session(&file)) else {
                continue;
            };
            let Ok(messages) = library.messages(id, &MessageFilter::new()) else {
                continue;
            };
            let mut reader = TreeReader::new(&tree);
            let mut live = HashSet::new();
            let context = tree.live_leaf().map(|leaf| tree.context(leaf));
            for node in context.into_iter().flatten() {
                for line in reader.lines(node).expect("lines") {
                    let entry = Entry::read(&line).expect("an entry");
                    live.extend(entry.uuid().map(String::from));
                }
                for folded in tree.folded(node) {
                    let line = reader.folded(folded).expect("a line");
                    let entry = Entry::read(&line).expect("an entry");
                    live.extend(entry.uuid().map(String::from));
                }
            }
            // Those go by the id that the prompt had in the queue.
            for message in messages.iter().filter(|message| !message.is_queued_command) {
                assert!(
                    live.contains(&message.uuid),
                    "{}: {}\n{}",
                    file.path.display(),
                    message.uuid,
                    drawn(&tree)
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "{compared} messages");
}

#[test]
fn recorded_sessions_are_drawn() {
    for name in [
        "agent_background",
        "agent_foreground",
        "compact_manual",
        "err_529_exhausted",
        "interrupt_midstream",
        "interrupt_tool",
        "queue_fold_into_tool_turn",
        "resume_session_at",
        "resume_torn_last_line",
        "slash_commands",
        "task_workflow",
        "tools_files",
    ] {
        let sessions = testdata().join("cli/2.1.325").join(name).join("sessions");
        let scratch = Scratch::of(&sessions);
        let mains = scratch.library().files().expect("files").into_iter();
        for file in mains.filter(is_session) {
            let tree = SessionTree::open(&file.path).expect("a tree");
            whole(&tree);
            insta::assert_snapshot!(format!("recorded_{name}"), drawn(&tree));
        }
    }
}
