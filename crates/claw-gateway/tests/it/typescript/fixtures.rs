//! Frames of a gateway, recorded for the tests of the TypeScript client.

use std::collections::BTreeMap;

use claw_gateway::{Access, Answer, DialectName, Frame, Scope};
use claw_server::registry::PermissionResponse;
use claw_server::{InputMode, Json, SessionId};
use claw_store::{IdempotencyKey, InteractionId};
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::package::sources;
use super::script;
use crate::host::{Host, TIMEOUT};
use crate::stores;

/// Set to write the recordings instead of comparing them.
const WRITE: &str = "WRITE_TYPESCRIPT_FIXTURES";

const DIALECTS: [(DialectName, &str); 3] = [
    (DialectName::Events, "events"),
    (DialectName::Ui, "ui"),
    (DialectName::Mobile, "mobile"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn recorded_frames_of_the_typescript_client_are_those_of_the_gateway() {
    let host = Host::start(stores::all().await.remove(0).store, &script()).await;
    let laptop = host.access("ada", "laptop", Scope::Drive);
    let key = |name: &str| IdempotencyKey::new(name).unwrap();
    let made = laptop.create(host.spec(), key("new")).await.unwrap();
    let session = made.id;
    let frames = laptop.follow(session, DialectName::Events, 0).await;
    let mut frames = frames.unwrap();
    let mut events = Vec::new();
    for number in 1..=3 {
        let text = Json::from_text_value(&format!("Input {number}"));
        let sent = laptop.input(
            session,
            text,
            InputMode::Queue,
            key(&format!("in-{number}")),
        );
        sent.await.unwrap();
        if number == 3 {
            until(&mut frames, &mut events, "interaction_opened").await;
            answer(&laptop, session).await;
        }
        until(&mut frames, &mut events, "turn_ended").await;
    }
    let folder = host.spec().folder.display().to_string();
    for (dialect, name) in DIALECTS {
        let recorded = match dialect {
            DialectName::Events => events.clone(),
            // From the log, where the pieces of a text do not depend on time.
            _ => read(&laptop, session, dialect).await,
        };
        let mut neutral = Neutral::new(session, &folder);
        let recorded: Vec<Value> = recorded.iter().map(|frame| neutral.frame(frame)).collect();
        compare(name, recorded);
    }
}

/// Receives events up to one of a kind.
async fn until(frames: &mut Receiver<Frame>, events: &mut Vec<Frame>, kind: &str) {
    loop {
        let frame = timeout(TIMEOUT, frames.recv()).await;
        let frame = frame.unwrap_or_else(|_| panic!("only {events:?}")).unwrap();
        let message: Value = serde_json::from_str(frame.message.get()).unwrap();
        events.push(frame);
        if message["event"]["kind"] == kind {
            return;
        }
    }
}

/// Reads a session up to the end of its third turn.
async fn read(access: &Access, session: SessionId, dialect: DialectName) -> Vec<Frame> {
    let mut frames = access.follow(session, dialect, 0).await.unwrap();
    let mut read = Vec::new();
    let mut turns = 0;
    while turns < 3 {
        let frame = timeout(TIMEOUT, frames.recv()).await;
        let frame = frame.unwrap_or_else(|_| panic!("only {read:?}")).unwrap();
        let message: Value = serde_json::from_str(frame.message.get()).unwrap();
        let is_end = message["Complete"].is_object() || message["type"] == "turn_complete";
        turns += usize::from(is_end);
        read.push(frame);
    }
    read
}

async fn answer(access: &Access, session: SessionId) {
    let pending = timeout(TIMEOUT, async {
        loop {
            if let Some(pending) = access.pending(Some(session)).await.unwrap().pop() {
                return pending;
            }
            tokio::task::yield_now().await;
        }
    });
    let pending = pending.await.unwrap();
    let id = InteractionId::new(pending.interaction.id.as_str()).unwrap();
    let yes = Answer::Permission(PermissionResponse::allow());
    let key = IdempotencyKey::new("answer").unwrap();
    access.answer(session, &id, yes, key).await.unwrap();
}

/// Replaces what differs between two runs.
struct Neutral<'a> {
    session: String,
    folder: &'a str,
    ids: BTreeMap<String, String>,
}

impl<'a> Neutral<'a> {
    fn new(session: SessionId, folder: &'a str) -> Self {
        Self {
            session: session.to_string(),
            folder,
            ids: BTreeMap::new(),
        }
    }

    fn frame(&mut self, frame: &Frame) -> Value {
        let mut message: Value = serde_json::from_str(frame.message.get()).unwrap();
        self.value(&mut message);
        json!({"session": "session", "after": frame.after, "message": message})
    }

    fn value(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => {
                *text = text
                    .replace(&self.session, "session")
                    .replace(self.folder, "/home/user/project");
                if is_uuid(text) {
                    let next = format!("00000000-0000-4000-8000-{:012}", self.ids.len() + 1);
                    text.clone_from(self.ids.entry(text.clone()).or_insert(next));
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(members) => {
                // Paths of this machine.
                members.retain(|name, _| name != "memory_paths" && name != "messaging_socket_path");
                for (name, member) in members {
                    match name.as_str() {
                        "at" | "duration_ms" | "duration_api_ms" | "elapsed_ms"
                        | "expires_at_ms" | "expiresAt"
                            if member.is_number() =>
                        {
                            *member = json!(0);
                        }
                        "projectId" => *member = json!("-home-user-project"),
                        "timestamp" => *member = json!("2026-01-01T00:00:00.000Z"),
                        _ => self.value(member),
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12]
        && text
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn compare(name: &str, recorded: Vec<Value>) {
    let path = sources().join(format!("test/fixtures/{name}.ndjson"));
    if std::env::var_os(WRITE).is_some() {
        let lines: String = recorded.iter().map(|frame| format!("{frame}\n")).collect();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, lines).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let known: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // Deltas are not stored: how they are cut depends on time.
    let stored = |frames: Vec<Value>| -> Vec<Value> {
        let stored = frames
            .into_iter()
            .filter(|frame| frame["message"]["delta"].is_null());
        stored.collect()
    };
    let (known, recorded) = (stored(known), stored(recorded));
    for (place, (known, recorded)) in known.iter().zip(&recorded).enumerate() {
        assert_eq!(
            known, recorded,
            "{name}, frame {place}: set {WRITE}=1 to record again"
        );
    }
    assert_eq!(
        known.len(),
        recorded.len(),
        "{name}: set {WRITE}=1 to record again"
    );
}
