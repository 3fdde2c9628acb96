//! What is left of an erased session: test 31 of the contract, as figures.

use std::sync::Arc;

use claw_store::contract::{Action, Harness, Outcome, TESTS, run_one};
use claw_store::{JetStreamConfig, JetStreamStore, MemoryStore, SqliteOptions, SqliteStore, Store};
use claw_testkit::figure::{Figure, record};
use claw_testkit::nats::{NatsOptions, NatsServers};

/// Handles on one store.
struct Handles(Box<dyn Fn() -> Action<'static, Arc<dyn Store>> + Send + Sync>);

impl Handles {
    fn new<S: Store, F: Future<Output = S> + Send + 'static>(
        open: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        Self(Box::new(move || {
            let store = open();
            Box::pin(async { Ok(Arc::new(store.await) as Arc<dyn Store>) })
        }))
    }
}

impl Harness for Handles {
    fn open(&self) -> Action<'_, Arc<dyn Store>> {
        self.0()
    }

    fn restart(&self) -> Action<'_> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_of_an_erased_session() {
    let memory = MemoryStore::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let servers = NatsServers::start(&NatsOptions::new(1)).unwrap();
    let config = JetStreamConfig::new(servers.urls());
    let sqlite = move || {
        let store = SqliteStore::open(path.clone(), SqliteOptions::default());
        async { store.await.unwrap() }
    };
    let jetstream = move || {
        let store = JetStreamStore::open(config.clone());
        async { store.await.unwrap() }
    };
    let engines = [
        (
            "memory",
            Handles::new(move || std::future::ready(memory.handle())),
        ),
        ("SQLite", Handles::new(sqlite)),
        ("JetStream, one server", Handles::new(jetstream)),
    ];
    let test = TESTS
        .iter()
        .find(|test| test.name == "erased_session_is_gone");
    let mut figures = Vec::new();
    for (engine, handles) in engines {
        let outcome = run_one(test.unwrap(), Arc::new(handles)).await;
        let name = format!(
            "an erased session, {engine}: readable through any API; late append; id used again"
        );
        let text = match &outcome {
            Outcome::Failed(why) => why.clone(),
            _ => "no; refused; refused".to_owned(),
        };
        let figure = Figure::new(name, "no; refused; refused");
        figures.push(figure.measured(text, outcome == Outcome::Passed));
    }
    record("erased", figures);
}
