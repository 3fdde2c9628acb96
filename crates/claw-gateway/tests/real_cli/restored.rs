//! Sessions of the real CLI whose files were deleted, or whose machine was replaced.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::{Access, Caller, Gateway, Scope, SessionSpec, Settings};
use claw_server::{InputMode, Json, SessionId};
use claw_store::{IdempotencyKey, NodeId, SqliteOptions, SqliteStore, Store};
use claw_testkit::Turn;
use claw_testkit::figure::Figure;
use claw_testkit::real_cli::World;
use serde_json::Value;

use crate::killed::{Cli, is_alone};
use crate::place::tenant;

/// CLIs that are awake at once.
const AWAKE: usize = 5;
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(120);

fn key(name: String) -> IdempotencyKey {
    IdempotencyKey::new(&name).unwrap()
}

/// A machine: a store, and a configuration folder.
struct Machine<'a> {
    world: &'a World,
    database: &'a Path,
    config: &'a Path,
}

impl Machine<'_> {
    /// Runs turns on some sessions, with a gateway of its own for each few of them.
    async fn run(&self, round: &str, sessions: &[SessionId]) {
        for some in sessions.chunks(AWAKE) {
            let gateway = self.gateway().await;
            let access = access(&gateway);
            for session in some {
                prompt(&access, *session, &text(round, *session)).await;
            }
            gateway.shutdown(Duration::from_secs(20)).await;
        }
    }

    async fn gateway(&self) -> Gateway {
        let store = SqliteStore::open(self.database, SqliteOptions::default()).await;
        let store: Arc<dyn Store> = Arc::new(store.unwrap());
        let cli = Cli::of(self.world);
        let config = self.config.to_owned();
        let mut settings = Settings::new(vec![self.world.project()]);
        settings.options = Box::new(move || cli.options().env("CLAUDE_CONFIG_DIR", &config));
        settings.tenant = Some(tenant());
        let node = NodeId::new("one").unwrap();
        Gateway::start(store, node, settings).await.unwrap()
    }
}

fn access(gateway: &Gateway) -> Access {
    gateway.access(Caller {
        tenant: tenant(),
        device: "phone".to_owned(),
        scope: Scope::Drive,
    })
}

fn text(round: &str, session: SessionId) -> String {
    format!("The {round} of {session}.")
}

/// Sends a prompt, and waits until it is processed.
async fn prompt(access: &Access, session: SessionId, text: &str) {
    let content = Json::from_text_value(text);
    let sent = access.input(session, content, InputMode::Queue, key(text.to_owned()));
    sent.await.unwrap();
    let accepted = |event: &Value| event["body"]["key"] == text;
    let processed = async {
        loop {
            let page = access.history(session, None, 200).await.unwrap();
            let events = page.events.iter();
            let events: Vec<Value> = events
                .map(|event| serde_json::from_str(event.get()).unwrap())
                .collect();
            let id = events.iter().find(|event| accepted(event));
            let id = id.map(|event| event["body"]["id"].clone());
            let is_over = |event: &&Value| {
                let body = &event["body"];
                let is_end = event["kind"] == "input_processed" || event["kind"] == "input_failed";
                is_end
                    && id
                        .as_ref()
                        .is_some_and(|id| body == id || &body["id"] == id)
            };
            if let Some(over) = events.iter().find(is_over) {
                assert_eq!(over["kind"], "input_processed", "{over}");
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let processed = tokio::time::timeout(TIMEOUT, processed).await;
    processed.unwrap_or_else(|_| panic!("{text:?} was not processed"));
}

/// Whether the model received the prompts of these rounds, once each and in order, and an answer to
/// all but the last one.
fn saw_history(world: &World, session: SessionId, rounds: &[&str]) -> bool {
    let last = text(rounds.last().unwrap(), session);
    let requests = world.message_requests();
    let mut requests = requests.iter().map(|request| request.messages());
    let found = requests.rfind(|messages| Value::from(*messages).to_string().contains(&last));
    let Some(messages) = found else { return false };
    let whole = Value::from(messages).to_string();
    let mut at = 0;
    let is_there = |round: &&str| {
        let text = text(round, session);
        let found = whole[at..].find(&text);
        at += found.unwrap_or_default();
        found.is_some() && whole.matches(&text).count() == 1
    };
    let answers = messages
        .iter()
        .filter(|message| message["role"] == "assistant")
        .filter(|message| message.to_string().contains("Done."));
    rounds.iter().all(is_there) && answers.count() == rounds.len() - 1
}

pub(crate) async fn figures(count: usize) -> Vec<Figure> {
    let world = World::new().await.unwrap();
    world.api.fallback(Turn::text("Done."));
    let database = world.folder().join("claw.db");
    let first = Machine {
        world: &world,
        database: &database,
        config: &world.config(),
    };
    let gateway = first.gateway().await;
    let phone = access(&gateway);
    let mut sessions = Vec::new();
    for number in 0..count {
        let spec = SessionSpec::new(world.project());
        let created = phone.create(spec, key(format!("new {number}")));
        sessions.push(created.await.unwrap().id);
    }
    gateway.shutdown(Duration::from_secs(20)).await;
    first.run("first", &sessions).await;

    std::fs::remove_dir_all(world.config().join("projects")).unwrap();
    first.run("second", &sessions).await;
    let saw = |rounds: &[&str]| {
        let saw = sessions
            .iter()
            .filter(|session| saw_history(&world, **session, rounds));
        saw.count()
    };
    let deleted = saw(&["first", "second"]);

    // The store alone is on the new machine.
    let folder = tempfile::tempdir().unwrap();
    for name in ["claw.db", "claw.db-wal"] {
        let from = world.folder().join(name);
        if from.exists() {
            std::fs::copy(from, folder.path().join(name)).unwrap();
        }
    }
    std::fs::remove_dir_all(world.config()).unwrap();
    let second = Machine {
        world: &world,
        database: &folder.path().join("claw.db"),
        config: &folder.path().join("config"),
    };
    second.run("third", &sessions).await;
    let moved = saw(&["first", "second", "third"]);
    is_alone(&world).await;

    let figure = |name: &str, seen: usize| {
        Figure::new(name, format!("{count} of {count} with the whole history"))
            .measured(format!("{seen} of {count}"), seen == count)
    };
    vec![
        figure(
            "session files deleted, then a wake: sessions whose model sees the whole history",
            deleted,
        ),
        figure(
            "backup of the store restored, without the old configuration folder: sessions whose \
             model sees the whole history",
            moved,
        ),
    ]
}
