//! Clients that are cut off at random have the state of one that stayed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use claw_gateway::client::{Client, Followed, NewInput};
use claw_gateway::{DialectName, Scope};
use claw_server::{MobileMessage, SequencedMessage, SessionId, UiMessage};
use claw_testkit::figure::{Figure, record};
use claw_testkit::{FakeScript, FakeTurn, Flood, FloodKind, Step};
use serde::de::DeserializeOwned;

use super::{Server, item};
use crate::cases;
use crate::phone::{Client as Kept, Shown, same};
use crate::stores;

/// A message of `events` or `stream-json`, as text.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(from = "serde_json::Value")]
struct Text(String);

impl From<serde_json::Value> for Text {
    fn from(value: serde_json::Value) -> Self {
        Self(value.to_string())
    }
}

impl Shown for Text {
    fn is_piece(&self) -> bool {
        self.0.starts_with("{\"delta\"")
    }

    fn text(_: &[&Self]) -> Result<BTreeMap<u64, String>, String> {
        Ok(BTreeMap::new())
    }
}

/// Follows a session until a message contains a text. Returns what is kept, and the disconnects.
async fn followed<M: Shown + DeserializeOwned>(
    client: Client,
    session: SessionId,
    (dialect, end): (DialectName, &'static str),
) -> (Kept<M>, u64) {
    let mut follow = client.follow(session, dialect, 0);
    let (mut kept, mut cuts) = (Kept::new(), 0);
    loop {
        match item(&mut follow).await {
            Followed::Frame(frame) => {
                let message = serde_json::from_str(frame.message.get()).unwrap();
                let after = frame.after;
                kept.take(SequencedMessage { message, after });
                if frame.message.get().contains(end) {
                    return (kept, cuts);
                }
            }
            Followed::Lost { after, .. } => {
                cuts += 1;
                assert_eq!(kept.cut(), after);
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Compares a client that is cut off with one that stays, while the session runs.
async fn compare<M: Shown + DeserializeOwned>(
    server: &Server,
    stays: &Client,
    dialect: (DialectName, &'static str),
) -> u64 {
    let session = stays.create(&server.host.spec()).await.unwrap().id;
    let is_cut = server.client(server.proxy.address, Scope::View).await;
    let cut = tokio::spawn(followed::<M>(is_cut, session, dialect));
    let whole = tokio::spawn(followed::<M>(stays.clone(), session, dialect));
    stays.input(session, &NewInput::text("Go")).await.unwrap();
    let (whole, none) = whole.await.unwrap();
    assert_eq!(none, 0);
    let (cut, cuts) = cut.await.unwrap();
    let all: Vec<&M> = whole.messages().collect();
    same(&cut, &all).unwrap_or_else(|fault| panic!("{dialect:?} after {cuts} cuts: {fault}"));
    cuts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_cut_off_has_the_state_of_one_that_stayed() {
    let events = cases(2000, 80);
    let flood = |kind| Flood::new(events / 4).bytes(300).per_second(500).kind(kind);
    let turn = FakeTurn::new()
        .step(flood(FloodKind::Text))
        .step(flood(FloodKind::Delta))
        .step(flood(FloodKind::ToolResult))
        .step(flood(FloodKind::Text))
        .step(Step::text("The end."));
    let script = FakeScript::new().turn(turn);
    let (cuts, least) = (cases(250, 6), cases(1000, 6));
    let mut figures = Vec::new();
    for (seed, row) in stores::all().await.into_iter().enumerate() {
        let server = Server::start(Arc::clone(&row.store), &script, seed as u64).await;
        let client = server.client(server.address, Scope::Drive).await;
        let proxy = &server.proxy;
        let mut seen = 0;
        for dialect in [
            DialectName::Events,
            DialectName::StreamJson,
            DialectName::Ui,
            DialectName::Mobile,
        ] {
            // The frames of the last two are shorter.
            let is_short = matches!(dialect, DialectName::Ui | DialectName::Mobile);
            let most = if is_short { 3_000 } else { 10_000 };
            proxy.most.store(most, Ordering::SeqCst);
            proxy.cuts.store(cuts, Ordering::SeqCst);
            seen += match dialect {
                DialectName::Events => {
                    compare::<Text>(&server, &client, (dialect, "input_processed")).await
                }
                DialectName::Ui => {
                    compare::<UiMessage>(&server, &client, (dialect, "\"Complete\"")).await
                }
                DialectName::Mobile => {
                    compare::<MobileMessage>(&server, &client, (dialect, "turn_complete")).await
                }
                _ => compare::<Text>(&server, &client, (dialect, "\"type\":\"result\"")).await,
            };
        }
        let name = format!(
            "random disconnects of the Rust client over a session of {events} lines, in four \
             dialects, on {}",
            row.name
        );
        let figure = Figure::new(
            name,
            format!("≥ {least}; the state of a client that stayed"),
        )
        .measured(format!("{seen}; the states are equal"), seen >= least);
        figures.push(figure);
    }
    record("disconnects", figures);
}
