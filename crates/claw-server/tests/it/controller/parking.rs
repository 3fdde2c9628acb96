//! Interactions that wait without a process.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use claw_server::event::{LifecycleState, TurnEnding};
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{
    Controller, EventLog as _, Fact, Input, MemoryLog, PageLimit, SessionId, SessionSetup,
};
use rusty_claw::Options;
use rusty_claw::permission::PermissionMode;
use rusty_claw::sessions::ProjectKey;
use rusty_claw::transport::Exit;
use serde_json::{Value, json};

use super::front_end::{FrontEnd, go};
use super::peer::Peer;

/// The CLI's id of the conversation.
pub(super) const CONVERSATION: &str = "5e5e5e5e-0000-4000-8000-00000000000a";

/// A log, and a folder with session files.
pub(super) struct Home {
    folder: tempfile::TempDir,
    log: Arc<MemoryLog>,
}

impl Home {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            log: Arc::new(MemoryLog::keeping(1 << 20)),
        }
    }

    pub(super) fn controller(&self) -> Controller {
        Controller::builder().log(self.log.clone()).build()
    }

    fn setup(&self) -> (SessionSetup, Peer) {
        let (transport, peer) = Peer::pair();
        let config = self.folder.path().to_string_lossy().into_owned();
        let options = Options::new()
            .permission_mode(PermissionMode::Default)
            .env("CLAUDE_CONFIG_DIR", config);
        let setup = SessionSetup::new(options)
            .on(transport)
            .folder(self.folder.path())
            .parks(PermissionMode::Default);
        (setup, peer)
    }

    pub(super) async fn open(
        &self,
        controller: &Controller,
        with: impl FnOnce(SessionSetup) -> SessionSetup,
    ) -> (SessionId, FrontEnd, Peer) {
        let (front, sink) = FrontEnd::new();
        let (setup, mut peer) = self.setup();
        let setup = with(setup.sink(sink));
        let (opened, ()) = tokio::join!(controller.open(setup), peer.initialize());
        (opened.expect("the peer answers"), front, peer)
    }

    /// Writes a session file with a reply that makes these calls of Bash.
    fn write(&self, calls: &[(&str, &str)]) {
        let folder = self.folder.path().canonicalize().unwrap();
        let line = |uuid: &str, parent: Option<&str>, kind: &str, message: Value| {
            json!({"parentUuid": parent, "isSidechain": false, "message": message, "type": kind,
                "uuid": uuid, "timestamp": "2026-01-01T00:00:00.000Z", "sessionId": CONVERSATION,
                "cwd": folder, "version": "2.1.325"})
            .to_string()
        };
        let prompt = json!({"role": "user", "content": "Go"});
        let (mut text, mut parent) = (line("u", None, "user", prompt), "u".to_owned());
        for (id, command) in calls {
            let call = json!({"type": "tool_use", "id": id, "name": "Bash",
                "input": {"command": command}});
            let message = json!({"id": "m", "role": "assistant", "content": [call]});
            text += &format!("\n{}", line(id, Some(&parent), "assistant", message));
            parent = (*id).to_owned();
        }
        let path = self.file();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text + "\n").unwrap();
    }

    fn file(&self) -> std::path::PathBuf {
        let key = ProjectKey::of_dir(self.folder.path());
        let folder = Path::new("projects").join(key.as_str());
        let name = format!("{CONVERSATION}.jsonl");
        self.folder.path().join(folder).join(name)
    }

    /// The calls that the session file parks.
    pub(super) fn parked(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.file()).unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_default());
        let calls = lines.filter_map(|line: Value| {
            let attachment = &line["attachment"];
            (attachment["type"] == "hook_deferred_tool")
                .then(|| attachment["toolUseID"].as_str().unwrap().to_owned())
        });
        calls.collect()
    }

    async fn facts(&self, session: SessionId) -> Vec<Fact> {
        let events = self.log.read(session, 0, PageLimit::ALL).await.unwrap();
        events.iter().map(|event| event.fact.clone()).collect()
    }

    /// The number of messages in the log after the first `Parked`.
    async fn said(&self, session: SessionId) -> usize {
        let facts = self.facts(session).await;
        let is_parked = |fact: &Fact| matches!(fact, Fact::Lifecycle(one) if one.state == LifecycleState::Parked);
        let after = facts.into_iter().skip_while(|fact| !is_parked(fact));
        after
            .filter(|fact| matches!(fact, Fact::Message(_)))
            .count()
    }

    /// The lifecycle states after the first `Ready`, and the endings of turns.
    pub(super) async fn story(&self, session: SessionId) -> Vec<String> {
        let facts = self.facts(session).await.into_iter();
        let story = facts.filter_map(|fact| match fact {
            Fact::Lifecycle(lifecycle) => {
                let unknown = lifecycle.unknown_calls.join(" ");
                Some(format!("{} {unknown}", lifecycle.state.as_str()))
            }
            Fact::TurnEnded(ended) => Some(ended.ending.as_str().to_owned()),
            Fact::InteractionAnswered(answer) => Some(format!("answered {}", answer.id.as_str())),
            Fact::InteractionWithdrawn(id) => Some(format!("withdrawn {}", id.as_str())),
            Fact::InteractionExpired(id) => Some(format!("expired {}", id.as_str())),
            Fact::InputProcessed(_) => Some("processed".to_owned()),
            Fact::InputFailed(_) => Some("failed".to_owned()),
            _ => None,
        });
        story.map(|one| one.trim().to_owned()).skip(2).collect()
    }

    /// Opens a session in which a call of Bash waits.
    pub(super) async fn waiting(
        &self,
        controller: &Controller,
        with: impl FnOnce(SessionSetup) -> SessionSetup,
    ) -> (SessionId, FrontEnd, Peer) {
        let (session, mut front, mut peer) = self.open(controller, with).await;
        begin(controller, session, &mut peer).await;
        self.write(&[("toolu_1", "make")]);
        peer.bash("toolu_1", "make").await;
        front.first("PermissionRequired").await;
        (session, front, peer)
    }

    /// Settles a session without a process. Returns whether it waits.
    async fn is_parked(&self, controller: &Controller, session: SessionId) -> bool {
        let (setup, _unused) = self.setup();
        let parked = controller.park_abandoned(setup.reopen(session)).await;
        parked.unwrap().is_some()
    }

    /// A session that waits without a process.
    async fn parked_session(&self) -> SessionId {
        let controller = self.controller();
        let (session, _front, mut peer) = self.waiting(&controller, |setup| setup).await;
        peer.exit(Exit::Signal(9));
        let closed = controller.ended(session).await.unwrap();
        assert_eq!(closed.state, LifecycleState::Parked, "{closed:?}");
        session
    }
}

/// Begins a turn of the conversation.
async fn begin(controller: &Controller, session: SessionId, peer: &mut Peer) {
    let prompt = go(controller, session, peer).await;
    let init = json!({"type": "system", "subtype": "init", "session_id": CONVERSATION,
        "tools": [], "mcp_servers": [], "user_message_uuids": [prompt["uuid"]]});
    peer.write(init).await;
}

/// Ends the turn, as a CLI does that was not given its prompt.
pub(super) async fn end(peer: &mut Peer) {
    let line = json!({"type": "result", "subtype": "success", "is_error": false, "result": "",
        "session_id": CONVERSATION, "total_cost_usd": 0.5, "terminal_reason": "completed"});
    peer.write(line).await;
}

#[tokio::test]
async fn a_call_survives_its_process_and_gets_its_answer_in_the_next() {
    let home = Home::new();
    let session = home.parked_session().await;
    assert_eq!(home.parked(), ["toolu_1"]);
    assert_eq!(home.story(session).await, ["Parked"]);

    let controller = home.controller();
    let (_, mut front, mut peer) = home.open(&controller, |setup| setup.reopen(session)).await;
    assert_eq!(home.parked(), ["toolu_1"]);
    // Neither the input nor the answer is written before the CLI asks.
    controller
        .input(Input::text(session, "Next"))
        .await
        .unwrap();
    let answering = tokio::spawn({
        let controller = controller.clone();
        let yes = PermissionResponse::allow().by("phone");
        async move {
            controller
                .permissions()
                .respond(session, "toolu_1", yes)
                .await
        }
    });
    assert_eq!(home.story(session).await, ["Parked", "Starting", "Ready"]);
    let request = peer.bash("toolu_1", "make").await;
    let first = peer.read().await.unwrap();
    assert_eq!(first["response"]["request_id"], request.as_str());
    assert_eq!(first["response"]["response"]["behavior"], "allow");
    assert_eq!(answering.await.unwrap(), Ok(()));
    peer.tool_ends("toolu_1").await;
    end(&mut peer).await;
    front.until_complete().await;
    let prompt = peer.prompt().await;
    assert_eq!(prompt["message"]["content"], "Next");
    let story = home.story(session).await;
    let wanted = [
        "Parked",
        "Starting",
        "Ready",
        "answered toolu_1",
        "processed",
        TurnEnding::Succeeded.as_str(),
    ];
    assert_eq!(story, wanted);
}

#[tokio::test]
async fn a_session_is_parked_on_request_and_refuses_answers_meanwhile() {
    let home = Home::new();
    let controller = home.controller();
    let (session, _front, mut peer) = home.waiting(&controller, |setup| setup).await;
    let exiting = async {
        while peer.read().await.is_some() {}
        peer.exit(Exit::Signal(9));
    };
    let parking = async {
        let parked = controller.park(session).await.unwrap();
        let yes = PermissionResponse::allow();
        let late = controller.permissions().respond(session, "toolu_1", yes);
        assert_eq!(late.await, Err(AnswerRefused::NoSession));
        parked
    };
    let (parked, ()) = tokio::join!(parking, exiting);
    assert!(parked);
    assert_eq!(home.story(session).await, ["Parking", "Parked"]);
    assert_eq!(home.parked(), ["toolu_1"]);
}

#[tokio::test]
async fn a_session_that_works_is_not_parked() {
    let home = Home::new();
    let controller = home.controller();
    let (session, mut front, mut peer) = home.open(&controller, |setup| setup).await;
    begin(&controller, session, &mut peer).await;
    assert!(!controller.park(session).await.unwrap());
    // An earlier call of the reply may be running.
    home.write(&[("toolu_0", "sleep"), ("toolu_1", "make")]);
    peer.bash("toolu_1", "make").await;
    front.first("PermissionRequired").await;
    assert!(!controller.park(session).await.unwrap());
    let no = PermissionResponse::deny("no");
    controller
        .permissions()
        .respond(session, "toolu_1", no)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_call_that_may_have_run_is_reported_and_denied_when_it_comes_back() {
    let home = Home::new();
    let session = home.parked_session().await;
    let controller = home.controller();
    let (_, _front, mut peer) = home.open(&controller, |setup| setup.reopen(session)).await;
    let request = peer.bash("toolu_1", "make").await;
    let yes = PermissionResponse::allow();
    controller
        .permissions()
        .respond(session, "toolu_1", yes)
        .await
        .unwrap();
    assert_eq!(peer.answered(&request).await["behavior"], "allow");
    peer.exit(Exit::Signal(9));
    let closed = controller.ended(session).await.unwrap();
    assert_eq!(closed.state, LifecycleState::Lost);
    let story = home.story(session).await;
    let end = ["answered toolu_1", "Lost toolu_1", "failed", "ProcessLost"];
    assert_eq!(story[3..], end, "{story:?}");

    // The hook is registered when the session is opened again.
    let (setup, mut peer) = home.setup();
    let opening = controller.open(setup.reopen(session));
    let hooks = async {
        let request = peer.read().await.unwrap();
        let hooks = request["request"]["hooks"]["PreToolUse"].clone();
        let reply = json!({"claude_code_version": "2.1.325", "hook_on_failure_supported": true});
        peer.succeed(&request, reply).await;
        hooks
    };
    let (opened, hooks) = tokio::join!(opening, hooks);
    opened.unwrap();
    assert!(hooks[0]["timeout"].is_number(), "{hooks}");
    let callback = hooks[0]["hookCallbackIds"][0].clone();
    for (call, denied) in [("toolu_1", true), ("toolu_2", false)] {
        let input = json!({"hook_event_name": "PreToolUse", "session_id": CONVERSATION,
            "transcript_path": "/t", "cwd": "/p", "tool_name": "Bash", "tool_use_id": call,
            "tool_input": {"command": "make"}});
        let id = peer
            .request(json!({"subtype": "hook_callback", "callback_id": callback,
                "input": input, "tool_use_id": call}))
            .await;
        let answer = peer.answered(&id).await.to_string();
        assert_eq!(answer.contains("deny"), denied, "{answer}");
    }
}

#[tokio::test]
async fn a_request_for_another_call_withdraws_the_parked_one() {
    let home = Home::new();
    let session = home.parked_session().await;
    let controller = home.controller();
    let (_, mut front, mut peer) = home.open(&controller, |setup| setup.reopen(session)).await;
    let answering = tokio::spawn({
        let controller = controller.clone();
        let yes = PermissionResponse::allow();
        async move {
            controller
                .permissions()
                .respond(session, "toolu_1", yes)
                .await
        }
    });
    // The same call with another input.
    peer.bash("toolu_1", "make install").await;
    front.first("PermissionRequired").await;
    assert_eq!(answering.await.unwrap(), Err(AnswerRefused::Withdrawn));
    let pending = controller.permissions().pending(session).await;
    assert_eq!(pending[0].interaction_id.as_str(), "toolu_1#2");
    let story = home.story(session).await;
    assert_eq!(story.last().unwrap(), "withdrawn toolu_1");
}

#[tokio::test]
async fn a_lost_owner_is_settled_without_a_process() {
    let home = Home::new();
    let first = home.controller();
    let (session, _front, peer) = home.waiting(&first, |setup| setup).await;
    // The next owner takes over while the first one is unable to record anything.
    let second = home.controller();
    assert!(home.is_parked(&second, session).await);
    assert!(second.sessions().is_empty());
    assert!(home.is_parked(&second, session).await);
    assert_eq!(home.story(session).await, ["Parked"]);
    // The session file is gone.
    std::fs::remove_file(home.file()).unwrap();
    assert!(!home.is_parked(&second, session).await);
    let story = home.story(session).await;
    let end = [
        "Parked",
        "withdrawn toolu_1",
        "Lost",
        "failed",
        "ProcessLost",
    ];
    assert_eq!(story, end);
    drop(peer);
}

#[tokio::test]
async fn an_expired_call_is_denied_when_the_cli_asks_for_it() {
    // Under load, the call can expire before its process ends. Then a longer limit is tried.
    for limit in [1, 4, 16].map(Duration::from_secs) {
        let home = Home::new();
        let controller = Controller::builder()
            .log(home.log.clone())
            .interaction_timeout(limit)
            .build();
        let (session, _front, mut peer) = home.waiting(&controller, |setup| setup).await;
        peer.exit(Exit::Signal(9));
        let closed = controller.ended(session).await.unwrap();
        if closed.state != LifecycleState::Parked {
            continue;
        }
        tokio::time::sleep(limit).await;
        let (_, _front, mut peer) = home.open(&controller, |setup| setup.reopen(session)).await;
        let request = peer.bash("toolu_1", "make").await;
        assert_eq!(peer.answered(&request).await["behavior"], "deny");
        let story = home.story(session).await;
        assert_eq!(story.last().unwrap(), "expired toolu_1");
        return;
    }
    panic!("the call always expired first");
}

/// The owner is lost after it has started the CLI, and before the CLI asks for the parked call.
#[tokio::test]
async fn the_next_owner_of_a_cli_that_wakes_waits_for_the_parked_call() {
    let home = Home::new();
    let session = home.parked_session().await;
    let first = home.controller();
    let (transport, mut cli) = Peer::pair();
    let setup = home.setup().0.reopen(session).on_held(transport);
    let (opened, ()) = tokio::join!(first.open(setup), cli.initialize());
    opened.unwrap();
    cli.say("I woke").await;
    while home.said(session).await < 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    let second = home.controller();
    let (transport, mut peer) = cli.again();
    let (front, sink) = FrontEnd::new();
    let setup = home.setup().0.sink(sink).attach(session, |_| transport);
    let (opened, ()) = tokio::join!(second.open(setup), peer.attached(json!([])));
    opened.unwrap();
    let answering = tokio::spawn({
        let second = second.clone();
        let yes = PermissionResponse::allow();
        async move {
            let registry = second.permissions();
            registry.respond(session, "toolu_1", yes).await
        }
    });
    let request = peer.bash("toolu_1", "make").await;
    let answer = peer.answered(&request).await;
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answering.await.unwrap(), Ok(()));
    let story = home.story(session).await;
    let wanted = ["Parked", "Starting", "Ready", "Ready", "answered toolu_1"];
    assert_eq!(story, wanted);
    drop(front);
}

#[tokio::test]
async fn a_change_of_mode_waits_until_the_parked_call_was_asked_for() {
    let home = Home::new();
    let session = home.parked_session().await;
    let controller = home.controller();
    let (_, _front, mut peer) = home.open(&controller, |setup| setup.reopen(session)).await;
    let changing = tokio::spawn({
        let controller = controller.clone();
        let mode = PermissionMode::AcceptEdits;
        async move { controller.set_permission_mode(session, mode).await }
    });
    // Commands are handled in order.
    controller
        .input(Input::text(session, "Next"))
        .await
        .unwrap();
    let silent = tokio::time::timeout(Duration::from_millis(100), peer.read());
    silent.await.unwrap_err();
    let request = peer.bash("toolu_1", "make").await;
    let change = peer.read().await.unwrap();
    assert_eq!(change["request"]["subtype"], "set_permission_mode");
    peer.succeed(&change, json!({"mode": "acceptEdits"})).await;
    changing.await.unwrap().unwrap();
    let no = PermissionResponse::deny("no");
    let registry = controller.permissions();
    registry.respond(session, "toolu_1", no).await.unwrap();
    assert_eq!(peer.answered(&request).await["behavior"], "deny");
}
