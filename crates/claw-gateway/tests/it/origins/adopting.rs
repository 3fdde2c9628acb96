//! Sessions that continue a conversation of the terminal.

use std::path::{Path, PathBuf};

use claw_gateway::{Access, DialectName, GatewayError, Scope};
use claw_server::SessionId;
use claw_testkit::FakeScript;
use rusty_claw::sessions::ProjectKey;
use serde_json::json;

use super::{end, file_of, restart, text_of, turn};
use crate::gateway::{is_kind, key, send, until};
use crate::host::Host;
use crate::stores;
// A process of another test must not be found as a writer.
pub(crate) use crate::template::uuid as new_id;

/// Writes a conversation, as if it was begun in a terminal in this folder.
pub(crate) fn begin(config: &Path, folder: &Path, id: &str) -> PathBuf {
    let project = config
        .join("projects")
        .join(ProjectKey::of_dir(folder).as_str());
    std::fs::create_dir_all(&project).unwrap();
    let line = json!({
        "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": folder,
        "sessionId": id, "version": "2.1.325", "type": "user",
        "message": {"role": "user", "content": "begun-in-a-terminal"},
        "uuid": "5e5e5e5e-0000-4000-8000-0000000000ff", "timestamp": "2026-01-01T00:00:00.000Z",
    });
    let file = project.join(format!("{id}.jsonl"));
    std::fs::write(&file, format!("{line}\n")).unwrap();
    file
}

pub(super) fn config(host: &Host) -> PathBuf {
    host.folder.path().join("config")
}

/// Lists this process as one of the CLI that has a conversation open.
pub(super) fn list_writer(host: &Host, id: &str) -> PathBuf {
    let sessions = config(host).join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let pid = std::process::id();
    let file = sessions.join(format!("{pid}.json"));
    let listed = json!({"pid": pid, "sessionId": id, "cwd": "/"});
    std::fs::write(&file, listed.to_string()).unwrap();
    file
}

async fn refused(access: &Access, id: &str) -> &'static str {
    let adopted = access.adopt(id, key(&format!("adopt {id}"))).await;
    adopted.unwrap_err().code()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_of_the_terminal_is_continued() {
    for row in stores::all().await {
        let host = Host::start(row.store, &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let id = new_id();
        let file = begin(&config(&host), &host.spec().folder, &id);
        let listed = list_writer(&host, &id);
        assert_eq!(refused(&phone, &id).await, "conflict", "{}", row.name);
        std::fs::remove_file(&listed).unwrap();

        let adopted = phone.adopt(&id.to_uppercase(), key("adopt")).await.unwrap();
        assert_eq!(adopted.state, "new");
        assert_eq!(adopted.spec.title.as_deref(), Some("begun-in-a-terminal"));
        assert_eq!(
            adopted.spec.folder,
            host.spec().folder.canonicalize().unwrap()
        );
        let again = phone.adopt(&id, key("adopt")).await.unwrap();
        assert_eq!(again.id, adopted.id);
        assert_eq!(refused(&phone, &id).await, "conflict", "{}", row.name);

        // The conversation may have been resumed in a terminal since.
        let listed = list_writer(&host, &id);
        let events = DialectName::Events;
        let mut frames = phone.follow(adopted.id, events, 0).await.unwrap();
        send(&phone, adopted.id, "too-early", "early").await;
        let failed = until(&mut frames, is_kind("input_failed")).await;
        let failed = failed.last().unwrap().message.get();
        assert!(failed.contains("has this conversation open"), "{failed}");
        std::fs::remove_file(&listed).unwrap();

        assert_eq!(turn(&phone, adopted.id, "from-the-phone").await, id);
        let host = restart(host, row.elsewhere).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        assert_eq!(turn(&phone, adopted.id, "later").await, id, "{}", row.name);
        assert_eq!(file_of(&host, &id), file);
        let text = text_of(&file);
        for prompt in ["begun-in-a-terminal", "from-the-phone", "later"] {
            assert!(
                text.contains(prompt),
                "{}: {prompt} is not in {text}",
                row.name
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_of_another_session_is_not_adopted() {
    for row in stores::all().await {
        let host = Host::start(row.store, &FakeScript::new()).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        let id = turn(&phone, session, "one").await;
        assert_eq!(refused(&phone, &id).await, "conflict", "{}", row.name);
        end(&phone, session).await;
        assert_eq!(refused(&phone, &id).await, "conflict", "{}", row.name);
        phone.delete(session).await.unwrap();
        let adopted: SessionId = phone.adopt(&id, key("adopt")).await.unwrap().id;
        assert_eq!(turn(&phone, adopted, "two").await, id, "{}", row.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_conversations_of_the_tenant_in_a_root_are_adopted() {
    let row = stores::all().await.remove(0);
    let host = Host::start(row.store, &FakeScript::new()).await;
    let phone = host.access("ada", "phone", Scope::Drive);
    let (work, config) = (host.spec().folder, config(&host));
    let id = |number: u32| format!("5e5e5e5e-0000-4000-8000-{number:012}");
    begin(&config, host.folder.path(), &id(1));
    assert_eq!(refused(&phone, &id(1)).await, "invalid", "not in a root");
    let link = work.join("link");
    std::os::unix::fs::symlink(host.folder.path(), &link).unwrap();
    begin(&config, &link, &id(2));
    assert_eq!(
        refused(&phone, &id(2)).await,
        "invalid",
        "a link out of the root"
    );
    let outside = host.folder.path().join("outside.jsonl");
    let file = begin(&config, &work, &id(3));
    std::fs::rename(&file, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &file).unwrap();
    assert_eq!(
        refused(&phone, &id(3)).await,
        "not_found",
        "a link to a file"
    );
    let file = begin(&config, &work, &id(4));
    let elsewhere = config.join("projects/elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(&file, elsewhere.join(file.file_name().unwrap())).unwrap();
    assert_eq!(refused(&phone, &id(4)).await, "not_found", "another folder");
    for name in ["", "x", "../projects", &id(9)] {
        assert_eq!(refused(&phone, name).await, "not_found", "{name}");
    }
    begin(&config, &work, &id(5));
    for scope in [Scope::View, Scope::Answer] {
        let viewer = host.access("ada", "screen", scope);
        assert_eq!(refused(&viewer, &id(5)).await, "forbidden");
    }
    let stranger = host.access("bob", "laptop", Scope::Admin);
    assert_eq!(refused(&stranger, &id(5)).await, "not_found");
    let adopted = phone.adopt(&id(5), key("adopt")).await;
    assert!(
        !matches!(adopted, Err(GatewayError::NotFound { .. })),
        "{adopted:?}"
    );
    adopted.unwrap();
}
