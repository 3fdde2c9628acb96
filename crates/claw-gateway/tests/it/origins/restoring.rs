//! Session files that are restored from the store.

use std::collections::HashSet;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use claw_gateway::{Access, DialectName, Scope};
use claw_server::SessionId;
use claw_testkit::FakeScript;
use serde_json::Value;

use super::adopting::{begin, config, list_writer, new_id};
use super::{file_of, restart, text_of, turn};
use crate::gateway::{is_kind, key, send, until};
use crate::host::Host;
use crate::stores::{self, Row};

/// A session that slept after a turn, and its conversation.
async fn asleep(row: &Row) -> (Host, SessionId, String) {
    let host = Host::start(row.store.clone(), &FakeScript::new()).await;
    let phone = host.access("ada", "phone", Scope::Drive);
    let session = phone.create(host.spec(), key("new")).await.unwrap().id;
    let conversation = turn(&phone, session, "prompt-one").await;
    let host = restart(host, row.elsewhere.clone()).await;
    (host, session, conversation)
}

fn phone(host: &Host) -> Access {
    host.access("ada", "phone", Scope::Drive)
}

/// The uuids of a file. Fails if one occurs twice.
fn uuids(text: &str) -> HashSet<String> {
    let mut all = HashSet::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(uuid) = line["uuid"].as_str() {
            assert!(all.insert(uuid.to_owned()), "{uuid} is doubled in {text}");
        }
    }
    all
}

/// Puts a session to sleep, removes its files, and returns their text after another turn.
async fn rebuilt(host: Host, row: &Row, session: SessionId, conversation: &str) -> (Host, String) {
    let host = restart(host, row.store.clone()).await;
    std::fs::remove_dir_all(config(&host)).unwrap();
    assert_eq!(turn(&phone(&host), session, "last").await, conversation);
    let text = text_of(&file_of(&host, conversation));
    (host, text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_session_file_is_rebuilt_before_a_wake() {
    for row in stores::all().await {
        let (host, session, conversation) = asleep(&row).await;
        let file = file_of(&host, &conversation);
        let before = text_of(&file);
        std::fs::remove_file(&file).unwrap();
        let again = turn(&phone(&host), session, "prompt-two").await;
        assert_eq!(again, conversation, "{}", row.name);
        let text = text_of(&file);
        assert!(text.starts_with(&before), "{}: {text}", row.name);
        assert!(text.contains("prompt-two"));
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let folder = std::fs::read_dir(file.parent().unwrap()).unwrap();
        assert_eq!(folder.count(), 1, "no temporary file is left");

        let (_host, text) = rebuilt(host, &row, session, &conversation).await;
        assert!(text.starts_with(&before), "{}: {text}", row.name);
        assert!(text.contains("prompt-two") && text.contains("last"));
        uuids(&text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_adopted_conversation_is_rebuilt_from_its_beginning() {
    for row in stores::all().await {
        let host = Host::start(row.store.clone(), &FakeScript::new()).await;
        let id = new_id();
        begin(&config(&host), &host.spec().folder, &id);
        let adopted = phone(&host).adopt(&id, key("adopt")).await.unwrap().id;
        assert_eq!(turn(&phone(&host), adopted, "from-the-phone").await, id);
        let (_host, text) = rebuilt(host, &row, adopted, &id).await;
        for prompt in ["begun-in-a-terminal", "from-the-phone", "last"] {
            assert!(text.contains(prompt), "{}: {text}", row.name);
        }
        uuids(&text);
    }
}

fn add_line(file: &Path, line: &str) {
    let file = std::fs::OpenOptions::new().append(true).open(file);
    file.unwrap().write_all(line.as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_were_not_mirrored_are_copied_before_a_wake() {
    for row in stores::all().await {
        let (host, session, conversation) = asleep(&row).await;
        let line = concat!(
            r#"{"type":"hook_deferred_tool","note":"without-a-uuid"}"#,
            "\n",
            r#"{"type":"system","uuid":"0a0a0a0a-0000-4000-8000-000000000001","n":"not-mirrored"}"#,
            "\n",
            r#"{"type":"mode","cut"#
        );
        add_line(&file_of(&host, &conversation), line);
        turn(&phone(&host), session, "prompt-two").await;
        let (_host, text) = rebuilt(host, &row, session, &conversation).await;
        for part in ["without-a-uuid", "not-mirrored", "prompt-one", "prompt-two"] {
            assert!(text.contains(part), "{}: no {part} in {text}", row.name);
        }
        assert!(!text.contains("cut"), "{text}");
        uuids(&text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_from_a_backup_is_completed_and_not_replaced() {
    for row in stores::all().await {
        let (host, session, conversation) = asleep(&row).await;
        let file = file_of(&host, &conversation);
        let backup = text_of(&file);
        turn(&phone(&host), session, "prompt-two").await;
        let host = restart(host, row.store.clone()).await;
        let whole = uuids(&text_of(&file));
        let (kept, cut) = backup.split_at(backup.len() - 5);
        assert!(cut.ends_with('\n'));
        std::fs::write(&file, kept).unwrap();

        turn(&phone(&host), session, "prompt-three").await;
        let text = text_of(&file);
        assert!(text.starts_with(kept), "{}: {text}", row.name);
        assert!(text.contains("prompt-three"));
        let readable: String = text
            .lines()
            .filter(|line| serde_json::from_str::<Value>(line).is_ok())
            .flat_map(|line| [line, "\n"])
            .collect();
        assert!(whole.is_subset(&uuids(&readable)), "{}: {text}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missing_file_is_not_restored_while_another_process_may_write_it() {
    for row in stores::all().await {
        let (host, session, conversation) = asleep(&row).await;
        let file = file_of(&host, &conversation);
        std::fs::remove_file(&file).unwrap();
        let listed = list_writer(&host, &conversation);
        let phone = phone(&host);
        let after = phone.get(session).await.unwrap().last;
        let mut frames = phone
            .follow(session, DialectName::Events, after)
            .await
            .unwrap();
        send(&phone, session, "too-early", "early").await;
        let failed = until(&mut frames, is_kind("input_failed")).await;
        let failed = failed.last().unwrap().message.get();
        assert!(failed.contains("has this conversation open"), "{failed}");
        assert!(!file.exists(), "{}", row.name);
        std::fs::remove_file(listed).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_not_restored_through_links() {
    let row = stores::all().await.remove(0);
    let (host, session, conversation) = asleep(&row).await;
    let file = file_of(&host, &conversation);
    let project = file.parent().unwrap();
    std::fs::remove_dir_all(project).unwrap();
    let outside = host.folder.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    // The file of a subagent is below a folder that an agent can replace.
    let key = claw_store::SessionKey::new(
        stores::tenant(),
        claw_store::SessionId::new(&session.to_string()).unwrap(),
    );
    let node = claw_store::NodeId::new("two").unwrap();
    let node = claw_store::NodeRef {
        node,
        incarnation: 1,
    };
    let open = claw_store::ClaimReason::Open;
    let claim = row.store.claim(&key, &node, open).await.unwrap();
    let name = format!("{conversation}/subagents/agent-1");
    let line = bytes::Bytes::from_static(br#"{"type":"user"}"#);
    row.store.mirror(&claim, &name, 0, &[line]).await.unwrap();
    let to = claw_store::SessionState::Asleep;
    row.store.release(&claim, to).await.unwrap();
    std::fs::create_dir_all(project).unwrap();
    std::os::unix::fs::symlink(&outside, project.join(&conversation)).unwrap();

    let phone = phone(&host);
    let after = phone.get(session).await.unwrap().last;
    let mut frames = phone
        .follow(session, DialectName::Events, after)
        .await
        .unwrap();
    send(&phone, session, "too-early", "early").await;
    let failed = until(&mut frames, is_kind("input_failed")).await;
    let failed = failed.last().unwrap().message.get();
    assert!(failed.contains("is a link"), "{failed}");
    let written = |path: std::path::PathBuf| path.join("agent-1.jsonl").exists();
    assert!(!written(outside.join("subagents")) && !file.exists());
}
