//! Sessions whose CLI was lost together with its holder, completed from the session file.

use std::path::Path;
use std::sync::Arc;

use claw_server::event::{Fact, SessionEvent};
use claw_server::{
    Controller, EventLog as _, Input, MemoryLog, PageLimit, SessionId, SessionSetup,
};
use rusty_claw::Options;
use rusty_claw::sessions::ProjectKey;
use serde_json::{Value, json};

use super::front_end::FrontEnd;
use super::peer::Peer;

const CONVERSATION: &str = "5e5e5e5e-0000-4000-8000-000000000001";

/// Opens the session on a CLI that outlives its owner.
async fn open_held(
    log: &Arc<MemoryLog>,
    home: &Path,
    with: impl FnOnce(SessionSetup) -> SessionSetup,
) -> (Controller, SessionId, FrontEnd, Peer) {
    let controller = Controller::builder().log(log.clone()).build();
    let options = Options::new().env("CLAUDE_CONFIG_DIR", home.join("config"));
    let (transport, mut peer) = Peer::pair();
    let (front, sink) = FrontEnd::new();
    let setup = SessionSetup::new(options).on_held(transport).sink(sink);
    let setup = with(setup.folder(home.join("project")));
    let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
    (controller, opened.unwrap(), front, peer)
}

fn message(kind: &str, uuid: &str, content: Value) -> Value {
    json!({"type": kind, "uuid": uuid, "session_id": CONVERSATION, "parent_tool_use_id": null,
        "message": {"role": kind, "content": content}})
}

/// Writes a session file with these messages.
fn write_file(home: &Path, messages: &[Value]) {
    let key = ProjectKey::of_dir(home.join("project"));
    let folder = home.join("config/projects").join(key.as_str());
    std::fs::create_dir_all(&folder).unwrap();
    let (mut text, mut parent) = (String::new(), Value::Null);
    for message in messages {
        let entry = json!({"parentUuid": parent, "isSidechain": false, "type": message["type"],
            "uuid": message["uuid"], "message": message["message"], "sessionId": CONVERSATION,
            "timestamp": "2026-11-14T09:16:14.000Z", "cwd": home.join("project"),
            "version": "2.1.325", "userType": "external"});
        parent = message["uuid"].clone();
        text.push_str(&format!("{entry}\n"));
    }
    std::fs::write(folder.join(format!("{CONVERSATION}.jsonl")), text).unwrap();
}

/// Loses a session in its first turn. The log has the first of these messages of the session file.
/// Returns its owner and its CLI, which the next owner replaces.
async fn lose(
    log: &Arc<MemoryLog>,
    home: &Path,
    has_file: bool,
) -> (SessionId, (Controller, Peer)) {
    std::fs::create_dir_all(home.join("project")).unwrap();
    let (controller, session, mut front, mut cli) = open_held(log, home, |setup| setup).await;
    controller.input(Input::text(session, "Go")).await.unwrap();
    let prompt = cli.prompt().await;
    for state in ["queued", "started"] {
        let line = json!({"type": "command_lifecycle", "command_uuid": prompt["uuid"],
            "state": state});
        cli.write(line).await;
    }
    let line = json!({"type": "system", "subtype": "init", "session_id": CONVERSATION,
        "tools": [], "mcp_servers": [], "user_message_uuids": [prompt["uuid"]]});
    cli.write(line).await;
    let known = message(
        "assistant",
        "0a0a0a0a-0000-4000-8000-000000000001",
        json!([{"type": "text", "text": "known"}]),
    );
    cli.write(known.clone()).await;
    front.first("TextChunk").await;
    if has_file {
        let uuid = prompt["uuid"].as_str().unwrap();
        write_file(
            home,
            &[
                message("user", uuid, json!("Go")),
                known,
                message(
                    "assistant",
                    "0a0a0a0a-0000-4000-8000-000000000002",
                    json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]),
                ),
                message(
                    "user",
                    "0a0a0a0a-0000-4000-8000-000000000003",
                    json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}]),
                ),
            ],
        );
    }
    (session, (controller, cli))
}

async fn events(log: &MemoryLog, session: SessionId) -> Vec<Arc<SessionEvent>> {
    log.read(session, 0, PageLimit::ALL).await.unwrap()
}

fn kinds(events: &[Arc<SessionEvent>]) -> Vec<&str> {
    events.iter().map(|event| event.fact.kind()).collect()
}

#[tokio::test]
async fn messages_of_the_session_file_complete_the_log_and_one_gap_names_the_rest() {
    let home = tempfile::tempdir().unwrap();
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let (session, _lost) = lose(&log, home.path(), true).await;
    let before = events(&log, session).await.len();

    let reopen = |setup: SessionSetup| setup.reopen(session);
    let (second, _, mut front, mut cli) = open_held(&log, home.path(), reopen).await;
    let lost = events(&log, session).await.split_off(before);
    assert_eq!(
        kinds(&lost),
        [
            "message",
            "message",
            "gap",
            "lifecycle",
            "input_failed",
            "turn_ended",
            "lifecycle",
            "lifecycle"
        ]
    );
    let recovered = lost
        .iter()
        .filter(|event| event.extra.contains_key("recovered"));
    let texts: Vec<String> = recovered
        .map(|event| match &event.fact {
            Fact::Message(line) => line.to_text().into_owned(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("toolu_1") && texts[0].contains("000000000002"));
    assert!(texts[1].contains("tool_result") && texts[1].contains("000000000003"));
    let gap = lost.iter().find_map(|event| match &event.fact {
        Fact::Gap(gap) => Some(gap),
        _ => None,
    });
    let gap = gap.unwrap();
    assert_eq!(gap.recovered, 2);
    assert!(gap.after_offset > 0 && gap.missing.len() == 3, "{gap:?}");
    front.until(|message| message.name() == "System").await;

    // The next owner finds nothing that is missing.
    cli.close(&second, session).await;
    let (third, _, _front, mut cli) = open_held(&log, home.path(), reopen).await;
    let events = events(&log, session).await;
    let gaps = kinds(&events).into_iter().filter(|kind| *kind == "gap");
    assert_eq!(gaps.count(), 1);
    cli.close(&third, session).await;
}

#[tokio::test]
async fn a_session_file_that_cannot_be_read_is_named_in_the_gap() {
    let home = tempfile::tempdir().unwrap();
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let (session, _lost) = lose(&log, home.path(), false).await;
    let reopen = |setup: SessionSetup| setup.reopen(session);
    let (second, _, _front, mut cli) = open_held(&log, home.path(), reopen).await;
    let events = events(&log, session).await;
    let gaps = events.iter().filter_map(|event| match &event.fact {
        Fact::Gap(gap) => Some(gap),
        _ => None,
    });
    let gaps: Vec<_> = gaps.collect();
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0].recovered, 0);
    assert!(gaps[0].missing[0].starts_with("messages"), "{:?}", gaps[0]);
    cli.close(&second, session).await;
}

#[tokio::test]
async fn a_holder_that_is_lost_while_its_owner_lives_leaves_a_gap_too() {
    let home = tempfile::tempdir().unwrap();
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let (session, (controller, cli)) = lose(&log, home.path(), true).await;
    drop(cli);
    controller.ended(session).await.unwrap();
    let events = events(&log, session).await;
    let kinds = kinds(&events);
    let end = kinds.len() - 6;
    assert_eq!(
        kinds[end..],
        [
            "message",
            "message",
            "gap",
            "lifecycle",
            "input_failed",
            "turn_ended"
        ]
    );
}

#[tokio::test]
async fn the_rest_of_the_output_of_a_cli_that_has_exited_is_recorded_without_a_gap() {
    let home = tempfile::tempdir().unwrap();
    let log = Arc::new(MemoryLog::keeping(1 << 20));
    let (session, _lost) = lose(&log, home.path(), true).await;
    let before = events(&log, session).await;
    let stored = before.iter().filter_map(|event| event.offset).next_back();
    let mut inputs = before.iter().filter_map(|event| event.input.clone());
    let input = inputs.next_back().unwrap();
    let uuid = "0a0a0a0a-0000-4000-8000-000000000002";
    let rest = [
        message("assistant", uuid, json!([{"type": "text", "text": "rest"}])),
        json!({"type": "result", "subtype": "success", "is_error": false, "result": "rest",
            "user_message_uuids": [input.as_str()]}),
    ];
    // The last line is cut.
    let rest = format!("{}\n{}\n{{\"type\":", rest[0], rest[1]);
    let (asked, offset) = std::sync::mpsc::channel();
    let reopen = |setup: SessionSetup| {
        setup.reopen(session).rest(async move |offset| {
            let _ = asked.send(offset);
            Ok(rest.into_bytes())
        })
    };
    let (_second, _, _front, _cli) = open_held(&log, home.path(), reopen).await;
    assert_eq!(offset.recv().ok(), stored);
    let found = events(&log, session).await.split_off(before.len());
    let expected = [
        "message",
        "message",
        "input_processed",
        "turn_ended",
        "lifecycle",
        "lifecycle",
        "lifecycle",
    ];
    assert_eq!(kinds(&found), expected);
}
