//! What clients do to a session: inputs, answers and grants. Each act is reported as soon as it is
//! acknowledged, and repeated after a takeover.

use std::collections::BTreeSet;
use std::time::Duration;

use claw_server::grants::Grant;
use claw_server::interactions::AnswerRefused;
use claw_server::registry::{PermissionResponse, Remember};
use claw_server::{
    Controller, ControllerError, Input, PermissionLevel, PermissionRequest, SessionId, TargetType,
    UiMessage,
};

use crate::front_end::FrontEnd;
use crate::history::History;
use crate::owner::{Done, report};
use crate::place::TENANT;
use crate::random::Random;

/// The text of the input with a key.
pub(crate) fn text(key: &str) -> String {
    format!("Do {key}.")
}

fn grant(session: SessionId, target: &str) -> Grant {
    let request = PermissionRequest {
        target_type: TargetType::Tool,
        target: target.to_owned(),
        level: PermissionLevel::Execute,
        description: String::new(),
        reason: None,
        recursive: false,
    };
    Grant::for_session(&request, session)
}

/// The clients of an owner.
pub(crate) struct Clients {
    pub(crate) controller: Controller,
    pub(crate) session: SessionId,
    pub(crate) epoch: u64,
    /// The longest pause between inputs, and between a prompt and its answer; those between grants
    /// are longer.
    pub(crate) pause: Duration,
}

impl Clients {
    /// Acts until the process is killed.
    pub(crate) async fn act(&self, front: FrontEnd, seed: u64) {
        let [first, second, third] = [1, 2, 3].map(|part| Random::new(seed * 4 + part));
        tokio::join!(
            self.send(first),
            self.answer(front, second),
            self.change_grants(third),
        );
    }

    /// Sends inputs, some of them twice.
    async fn send(&self, mut random: Random) {
        for number in 0.. {
            let key = format!("in-{}-{number}", self.epoch);
            for _ in 0..=usize::from(random.chance(20)) {
                let input = Input::text(self.session, &text(&key)).key(&key);
                match self.controller.input(input).await {
                    Ok(receipt) => {
                        let (key, id) = (key.clone(), receipt.id.as_str().to_owned());
                        report(&Done::Input { key, id });
                    }
                    Err(ControllerError::QueueFull { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            pause(&mut random, self.pause).await;
        }
    }

    /// Answers permissions; some answers are remembered, and some are sent twice.
    async fn answer(&self, mut front: FrontEnd, mut random: Random) {
        while let Some(message) = front.next().await {
            let UiMessage::PermissionRequired { tool_use_id, .. } = message else {
                continue;
            };
            pause(&mut random, self.pause).await;
            let key = format!("answer-{tool_use_id}");
            let mut response = PermissionResponse::allow().key(&key).by(&key);
            if random.chance(10) {
                response = response.remember(Remember::Session);
            }
            for _ in 0..=usize::from(random.chance(20)) {
                let registry = self.controller.permissions();
                let answered = registry.respond(self.session, &tool_use_id, response.clone());
                answered.await.unwrap();
                let (call, key) = (tool_use_id.clone(), key.clone());
                report(&Done::Answer { call, key });
            }
        }
    }

    /// Adds grants, and removes some.
    async fn change_grants(&self, mut random: Random) {
        let registry = self.controller.permissions();
        for number in 0.. {
            let grant = grant(self.session, &format!("tool-{}-{number}", self.epoch));
            registry.grant(TENANT, grant.clone()).await.unwrap();
            report(&Done::Granted(grant.clone()));
            if random.chance(50) {
                report(&Done::Revoking(grant.clone()));
                assert!(registry.revoke(TENANT, &grant).await.unwrap());
                report(&Done::Revoked(grant));
            }
            pause(&mut random, self.pause * 2).await;
        }
    }
}

async fn pause(random: &mut Random, most: Duration) {
    let micros = random.below(most.as_micros() as usize) as u64;
    tokio::time::sleep(Duration::from_micros(micros)).await;
}

/// Repeats what the log of an earlier owner contains: it has the same effect, which is none.
pub(crate) async fn repeat(controller: &Controller, session: SessionId, history: &History) {
    for input in &history.inputs {
        let key = input.key.as_ref().unwrap();
        let again = Input::text(session, &text(key)).key(key);
        let receipt = controller.input(again).await.unwrap();
        assert_eq!((&receipt.id, receipt.is_repeat), (&input.id, true), "{key}");
    }
    let registry = controller.permissions();
    let respond = async |id: &str, key: &str| {
        let response = PermissionResponse::allow().key(key).by(key);
        registry.respond(session, id, response).await
    };
    for (id, key) in &history.answered {
        assert_eq!(respond(id.as_str(), key).await, Ok(()), "{key}");
        let by = Some(key.clone());
        let refused = Err(AnswerRefused::AlreadyAnswered { by });
        assert_eq!(respond(id.as_str(), "other").await, refused, "{key}");
    }
    for id in &history.open {
        let refused = Err(AnswerRefused::Withdrawn);
        assert_eq!(respond(id.as_str(), "other").await, refused, "{id:?}");
    }
    let names = |grants: &[Grant]| -> BTreeSet<String> {
        grants.iter().map(|grant| grant.target.clone()).collect()
    };
    let grants = registry.grants(TENANT).await;
    assert_eq!(names(&grants), names(&history.grants));
}
