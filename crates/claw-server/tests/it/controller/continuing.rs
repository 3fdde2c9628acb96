//! Interactions that wait for a continued turn, because the CLI does not repeat their calls.

use claw_server::event::TurnEnding;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::PermissionResponse;
use claw_server::{Controller, SessionId};
use rusty_claw::transport::Exit;
use serde_json::json;
use tokio::task::JoinHandle;

use super::front_end::FrontEnd;
use super::parking::{CONVERSATION, Home, end};
use super::peer::Peer;

/// A continued turn of a session in which a call of Bash waited, and the answer to it.
struct Continued {
    home: Home,
    session: SessionId,
    controller: Controller,
    front: FrontEnd,
    peer: Peer,
    answer: JoinHandle<Result<(), AnswerRefused>>,
}

impl Continued {
    async fn begin() -> Self {
        let home = Home::new();
        let first = home.controller();
        let (session, _front, mut peer) = home.waiting(&first, |it| it.repeats_calls(false)).await;
        peer.exit(Exit::Signal(9));
        first.ended(session).await.unwrap();
        assert_eq!(home.story(session).await, ["Parked"]);
        assert!(home.parked().is_empty());
        let controller = home.controller();
        let again = |it: claw_server::SessionSetup| it.reopen(session).repeats_calls(false);
        let (_, front, peer) = home.open(&controller, again).await;
        let answer = tokio::spawn({
            let controller = controller.clone();
            async move {
                let yes = PermissionResponse::allow().by("phone");
                let permissions = controller.permissions();
                permissions.respond(session, "toolu_1", yes).await
            }
        });
        Self {
            home,
            session,
            controller,
            front,
            peer,
            answer,
        }
    }

    /// Prints a message of the continued turn.
    async fn is_continued(&mut self) {
        let line = json!({"type": "assistant", "uuid": "a", "session_id": CONVERSATION,
            "resume_reason": "interrupted_turn", "parent_tool_use_id": null,
            "message": {"id": "m2", "role": "assistant", "content": [
                {"type": "text", "text": r#"{"resume_reason":"interrupted_turn"}"#}]}});
        self.peer.write(line).await;
    }

    /// The events after the second start, once this is one of them.
    async fn story_with(&self, wanted: &str) -> Vec<String> {
        for _ in 0..600 {
            let story = self.story().await;
            if story.iter().any(|one| one == wanted) {
                return story;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("{:?} has no {wanted}", self.story().await)
    }

    /// The events after the second start.
    async fn story(&self) -> Vec<String> {
        self.home.story(self.session).await.split_off(3)
    }
}

#[tokio::test]
async fn the_answer_is_used_for_the_same_call() {
    let mut turn = Continued::begin().await;
    turn.is_continued().await;
    let request = turn.peer.bash("toolu_2", "make").await;
    assert_eq!(turn.peer.answered(&request).await["behavior"], "allow");
    assert_eq!((&mut turn.answer).await.unwrap(), Ok(()));
    turn.peer.tool_ends("toolu_2").await;
    end(&mut turn.peer).await;
    let succeeded = TurnEnding::Succeeded.as_str();
    let story = turn.story_with(succeeded).await;
    let wanted = [
        "withdrawn toolu_1",
        "answered toolu_2",
        "processed",
        succeeded,
    ];
    assert_eq!(story, wanted);
}

#[tokio::test]
async fn another_input_is_asked_anew() {
    let mut turn = Continued::begin().await;
    turn.is_continued().await;
    turn.peer.bash("toolu_2", "make install").await;
    turn.front.first("PermissionRequired").await;
    assert_eq!(turn.story().await, ["withdrawn toolu_1"]);
    let pending = turn.controller.permissions().pending(turn.session).await;
    assert_eq!(pending[0].interaction_id.as_str(), "toolu_2");
    assert_eq!(turn.answer.await.unwrap(), Err(AnswerRefused::Withdrawn));
}

#[tokio::test]
async fn a_turn_that_is_not_marked_as_continued_is_asked_anew() {
    let mut turn = Continued::begin().await;
    turn.peer.bash("toolu_2", "make").await;
    turn.front.first("PermissionRequired").await;
    assert_eq!(turn.answer.await.unwrap(), Err(AnswerRefused::Withdrawn));
}

#[tokio::test]
async fn an_answer_that_the_turn_does_not_need_is_reported_as_unused() {
    let mut turn = Continued::begin().await;
    turn.is_continued().await;
    end(&mut turn.peer).await;
    let story = turn.story_with("withdrawn toolu_1").await;
    let succeeded = TurnEnding::Succeeded.as_str();
    assert_eq!(story, ["processed", succeeded, "withdrawn toolu_1"]);
    assert_eq!(turn.answer.await.unwrap(), Err(AnswerRefused::Withdrawn));
}
