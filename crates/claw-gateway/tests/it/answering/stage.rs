//! A session and its parts, in the tests of answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::StoreLog;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{Controller, EventLog as _, PageLimit, SessionEvent, SessionId, UiMessage};
use claw_store::ClaimReason;
use serde_json::{Value, json};

use crate::batch_screen::Screen;
use crate::front_end::{FrontEnd, TIMEOUT};
use crate::peer::Peer;
use crate::sessions;
use crate::stores::{self, TENANT};
use crate::unsteady::Unsteady;

/// How many of a hundred appends are lost, and of how many the reply.
const FAILURES: usize = 10;
/// A session with an open turn, its front end and its CLI.
pub(super) struct Stage {
    pub(super) log: Arc<Unsteady>,
    pub(super) controller: Controller,
    pub(super) session: SessionId,
    pub(super) front: FrontEnd,
    pub(super) peer: Peer,
    pub(super) screen: Screen,
    pub(super) prompt: Value,
    /// The requests of the CLI that are open, by call.
    pub(super) open: BTreeMap<String, String>,
}

impl Stage {
    pub(super) async fn open(log: StoreLog, session: SessionId, seed: u64) -> Self {
        let epoch = stores::claim(&log, session, ClaimReason::Open).await;
        let log = Unsteady::new(log, FAILURES, seed);
        let controller = Controller::builder().log(log.clone()).build();
        let (_, mut front, mut peer) = sessions::open(&controller, |setup| {
            setup.tenant(TENANT).reopen(session).epoch(epoch)
        })
        .await;
        // What the earlier owner left open was never shown to this front end.
        let is_ready = |message: &UiMessage| matches!(message, UiMessage::SessionState { state, .. } if state.as_str() == "Ready");
        front.until(is_ready).await;
        let prompt = sessions::go(&controller, session, &mut peer).await;
        Self {
            log,
            controller,
            session,
            front,
            peer,
            screen: Screen::default(),
            prompt,
            open: BTreeMap::new(),
        }
    }

    pub(super) async fn ask(&mut self, call: &str) {
        let id = self
            .peer
            .ask(call, "Read", json!({"file_path": call}))
            .await;
        self.open.insert(call.to_owned(), id);
    }

    /// The pending permissions, and where they are shown.
    pub(super) async fn places(&self) -> BTreeMap<String, Option<(String, u32)>> {
        let pending = self.controller.permissions().pending(self.session).await;
        let place = |one: claw_server::registry::PendingPermission| {
            let batch = one.batch.map(|place| (place.batch_id, place.index));
            (one.tool_use_id, batch)
        };
        pending.into_iter().map(place).collect()
    }

    /// Waits until the open requests are pending, and shown like that.
    pub(super) async fn settle(&mut self) {
        let is_pending = async {
            while !self.places().await.keys().eq(self.open.keys()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let waited = tokio::time::timeout(TIMEOUT, is_pending).await;
        assert!(waited.is_ok(), "{:?} are not pending", self.open);
        let places = self.places().await;
        while self.screen.places() != places {
            let next = self.front.next().await;
            self.screen.take(next.expect("the session goes on"));
        }
    }

    pub(super) async fn respond(&self, call: &str, key: &str) -> Result<(), AnswerRefused> {
        let registry = self.controller.permissions();
        registry.respond(self.session, call, response(key)).await
    }

    /// The CLI receives these answers, each once.
    pub(super) async fn received(&mut self, mut answers: BTreeMap<String, String>) {
        while !answers.is_empty() {
            let is_answer = |line: &Value| line["type"] == "control_response";
            let answer = self.peer.until(is_answer).await;
            let id = answer["response"]["request_id"].as_str().unwrap();
            let key = answers.remove(id).expect("an answer that was accepted");
            assert_eq!(answer["response"]["response"]["message"], *key);
        }
    }

    pub(super) async fn events(&self) -> Vec<Arc<SessionEvent>> {
        let events = self.log.read(self.session, 0, PageLimit::ALL).await;
        events.unwrap()
    }
}

/// An answer that names its key.
pub(super) fn response(key: &str) -> PermissionResponse {
    PermissionResponse::deny(key).by(key).key(key)
}
