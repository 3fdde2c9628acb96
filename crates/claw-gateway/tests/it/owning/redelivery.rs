//! Inputs that reached the agent of an owner that was killed before it recorded this.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::{Scope, StoreLog};
use claw_server::event::{AcceptedInput, Fact, InputId, Lifecycle, LifecycleState};
use claw_server::{EventLog as _, Fence, Json, SessionEvent};
use claw_store::{ClaimReason, NodeId, NodeRef, TenantId};
use claw_testkit::FakeScript;
use serde_json::Value;
use tokio::time::timeout;

use super::recovery::runs_once;
use super::stage::{events, outcomes, start, start_in};
use crate::gateway::{is_kind, key, send};
use crate::host::{Host, TIMEOUT};
use crate::stores;

const SENT: &str = "0b8f6f0a-2c1c-4f4e-9f43-6f2c3f7f1a01";
const UNSENT: &str = "0b8f6f0a-2c1c-4f4e-9f43-6f2c3f7f1a02";

/// The session file of the only conversation.
fn conversation(folder: &Path) -> PathBuf {
    let list = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path())
    };
    let projects = list(folder.join("config/projects"));
    let files = projects.filter(|path| path.is_dir()).flat_map(list);
    let mut files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.next().unwrap()
}

fn accepted(id: &str, key: &str) -> Fact {
    let mut input = AcceptedInput::new(InputId::new(id), Json::from_text_value(key));
    input.key = Some(key.to_owned());
    Fact::InputAccepted(input)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_input_that_the_conversation_has_is_not_sent_again() {
    for row in stores::all().await {
        let host = start(row.store, &[FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        let session = phone.create(host.spec(), key("new")).await.unwrap().id;
        send(&phone, session, "Hello", "in-1").await;
        events(&phone, session, is_kind("input_processed")).await;
        let Host { gateway, folder } = host;
        let shutdown = gateway.shutdown(Duration::from_secs(5));
        timeout(TIMEOUT, shutdown).await.unwrap();

        // The next owner accepts two inputs, sends one of them, and is killed.
        let tenant = TenantId::new("ada").unwrap();
        let log = StoreLog::new(Arc::clone(&row.elsewhere), tenant);
        let dead = NodeRef {
            node: NodeId::new("one").unwrap(),
            incarnation: 1,
        };
        let claimed = log.claim(session, &dead, ClaimReason::Open).await;
        let (epoch, last) = (
            claimed.unwrap(),
            log.latest(session).await.unwrap().sequence,
        );
        let facts = [
            Fact::Lifecycle(Lifecycle::new(LifecycleState::Ready)),
            accepted(SENT, "in-2"),
            accepted(UNSENT, "in-3"),
        ];
        let stored = facts.into_iter().zip(last + 1..);
        let stored =
            stored.map(|(fact, sequence)| Arc::new(SessionEvent::new(sequence, epoch, 0, fact)));
        let stored: Vec<Arc<SessionEvent>> = stored.collect();
        let expected_last = last;
        let fence = Fence {
            epoch,
            expected_last,
        };
        log.append(session, fence, &stored).await.unwrap();
        let file = conversation(folder.path());
        let mut file = OpenOptions::new().append(true).open(file).unwrap();
        let message = r#"{"role":"user","content":"in-2"}"#;
        writeln!(
            file,
            r#"{{"type":"user","uuid":"{SENT}","message":{message}}}"#
        )
        .unwrap();

        let (host, _) = start_in(row.elsewhere, folder, &[FakeScript::new()], 9).await;
        let phone = host.access("ada", "phone", Scope::Drive);
        runs_once(&phone, session, "in-3").await;
        let last = phone.get(session).await.unwrap().last;
        let is_last = |message: &Value| message["event"]["seq"] == last;
        let events = events(&phone, session, is_last).await;
        let once = ["input_accepted", "input_delivered", "input_failed"];
        assert_eq!(outcomes(&events, "in-2"), once);
        let failed = events.iter().find(|event| event["kind"] == "input_failed");
        assert_eq!(failed.unwrap()["body"]["indeterminate"], true);
    }
}
