//! The clients of a session: they send inputs, follow the log, answer and interrupt.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use claw_gateway::{Access, Answer, AnswerOutcome, DialectName, Frame, GatewayError, SessionSpec};
use claw_server::registry::PermissionResponse;
use claw_server::{InputMode, Json, SessionId};
use claw_store::{IdempotencyKey, InteractionId};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::dice::Dice;
use crate::record::GivenAnswer;
use crate::world::World;

/// How long a client waits for a response.
const PATIENCE: Duration = Duration::from_secs(30);

fn key(name: &str) -> IdempotencyKey {
    IdempotencyKey::new(name).unwrap()
}

/// Calls a gateway until it responds.
async fn call<T, F: Future<Output = Result<T, GatewayError>>>(
    world: &World,
    device: &str,
    dice: &mut Dice,
    make: impl Fn(Access) -> F,
) -> Result<T, GatewayError> {
    world.requests.fetch_add(1, Ordering::Relaxed);
    loop {
        let reached = world.reach(device, dice).await;
        let result = tokio::select! {
            biased;
            result = make(reached.access) => Some(result),
            () = reached.power.down() => None,
            () = sleep(PATIENCE) => None,
        };
        let is_lost = !world.is_calm() && dice.per_mille(world.plan.faults.response);
        match result {
            Some(Err(GatewayError::Unavailable { .. } | GatewayError::Full { .. })) | None => {}
            Some(_) if is_lost => world.recorder.fault("lost response"),
            Some(result) => {
                world.requests.fetch_sub(1, Ordering::Relaxed);
                return result;
            }
        }
        sleep(dice.pause(Duration::from_secs(2))).await;
    }
}

/// Runs all clients of a session until the writers are done. The followers continue after that.
pub(crate) async fn session(world: Arc<World>, number: usize, mut dice: Dice) -> SessionId {
    let spec = SessionSpec::new(world.folder.join("work"));
    let name = key(&format!("new-{number}"));
    let created = call(&world, "phone", &mut dice, async |access: Access| {
        access.create(spec.clone(), name.clone()).await
    });
    let session = created.await.unwrap().id;
    world.recorder.of(session, |_| ());
    let followers = 1 + dice.below(2);
    for follower in 0..followers {
        let at = world.recorder.of(session, |seen| {
            seen.cursors.push(Vec::new());
            seen.cursors.len() - 1
        });
        let reacts = follower == 0;
        // They outlive this task, and end with the run.
        tokio::spawn(follow(Arc::clone(&world), session, at, reacts, dice.fork()));
    }
    let mut writers = JoinSet::new();
    for input in 0..world.plan.inputs {
        let wait = dice.pause(world.plan.faulty_for);
        let client = Client::new(&world, session, dice.fork());
        writers.spawn(client.write(input, wait));
    }
    while writers.join_next().await.is_some() {}
    if dice.per_mille(100) {
        let close = key("close");
        let closed = call(&world, "phone", &mut dice, async |access: Access| {
            access.close(session, close.clone()).await
        });
        if closed.await.is_ok() {
            world.recorder.of(session, |seen| seen.was_closed = true);
        }
    }
    session
}

struct Client {
    world: Arc<World>,
    session: SessionId,
    dice: Dice,
}

impl Client {
    fn new(world: &Arc<World>, session: SessionId, dice: Dice) -> Self {
        let world = Arc::clone(world);
        Self {
            world,
            session,
            dice,
        }
    }

    async fn write(mut self, number: u64, wait: Duration) {
        sleep(wait).await;
        let (session, name) = (self.session, format!("in-{number}"));
        let content = Json::from_text_value(&format!("prompt {number}"));
        let modes = [
            InputMode::Queue,
            InputMode::Queue,
            InputMode::Steer,
            InputMode::InterruptThenSend,
        ];
        let mode = modes[self.dice.below(4) as usize].clone();
        let stored = call(
            &self.world,
            "phone",
            &mut self.dice,
            async |access: Access| {
                let (content, mode) = (content.clone(), mode.clone());
                access.input(session, content, mode, key(&name)).await
            },
        );
        match stored.await {
            Ok(_) => {
                self.world.recorder.note(format!("{name} is acknowledged"));
                self.world
                    .recorder
                    .of(session, |seen| seen.accepted.push(name));
            }
            Err(GatewayError::Ended) => {}
            Err(error) => self.world.recorder.wrong(format!("{name}: {error}")),
        }
    }

    async fn interrupt(mut self, turn: u64) {
        sleep(self.dice.pause(Duration::from_secs(5))).await;
        let (session, name) = (self.session, key(&format!("stop-{turn}")));
        let sent = call(
            &self.world,
            "phone",
            &mut self.dice,
            async |access: Access| access.interrupt(session, turn, name.clone()).await,
        );
        match sent.await {
            Ok(_) | Err(GatewayError::Ended) => {}
            Err(error) => self
                .world
                .recorder
                .wrong(format!("interrupt {turn}: {error}")),
        }
    }

    /// Answers an interaction, in a device of its own.
    async fn answer(mut self, interaction: String, device: &'static str, is_allow: bool) {
        sleep(self.dice.pause(self.world.plan.answer_within)).await;
        let session = self.session;
        let response = match (is_allow, self.dice.per_mille(150)) {
            (false, _) => PermissionResponse::deny("no"),
            (true, false) => PermissionResponse::allow(),
            (true, true) => {
                let edited = json!({"command": format!("edited {interaction}")});
                PermissionResponse::allow().with_input(Json::from_value(&edited))
            }
        };
        let (id, name) = (
            InteractionId::new(&interaction).unwrap(),
            format!("{device}-{interaction}"),
        );
        let sent = call(
            &self.world,
            device,
            &mut self.dice,
            async |access: Access| {
                let answer = Answer::Permission(response.clone());
                access.answer(session, &id, answer, key(&name)).await
            },
        );
        let outcome = sent.await;
        self.world.recorder.note(format!(
            "{device} answers {interaction}, allow: {is_allow}: {outcome:?}"
        ));
        match outcome {
            Ok(outcome) => self.world.recorder.of(session, |seen| {
                seen.answers.push(GivenAnswer {
                    interaction,
                    key: name,
                    has_won: outcome == AnswerOutcome::Won,
                });
            }),
            Err(GatewayError::Ended | GatewayError::NotFound { .. }) => {}
            Err(error) => self.world.recorder.wrong(format!("{interaction}: {error}")),
        }
    }

    /// Reacts to an event.
    fn react(&mut self, event: &Value) {
        let spawn =
            |client: &mut Self| Self::new(&client.world, client.session, client.dice.fork());
        match event["kind"].as_str() {
            Some("turn_started") if self.dice.per_mille(80) => {
                let turn = event["turn"].as_u64().unwrap_or_default();
                tokio::spawn(spawn(self).interrupt(turn));
            }
            Some("interaction_opened") if self.dice.per_mille(850) => {
                let id = event["body"]["id"].as_str().unwrap_or_default().to_owned();
                let is_allow = self.dice.per_mille(650);
                tokio::spawn(spawn(self).answer(id.clone(), "phone", is_allow));
                if self.dice.per_mille(200) {
                    tokio::spawn(spawn(self).answer(id, "laptop", !is_allow));
                }
            }
            _ => {}
        }
    }
}

/// Follows a session from a cursor, and resumes after each disconnect.
async fn follow(world: Arc<World>, session: SessionId, at: usize, reacts: bool, mut dice: Dice) {
    let mut cursor = 0;
    let mut reacted = BTreeSet::new();
    let mut client = Client::new(&world, session, dice.fork());
    loop {
        let reached = world.reach("phone", &mut dice).await;
        let frames = tokio::select! {
            biased;
            frames = reached.access.follow(session, DialectName::Events, cursor) => frames.ok(),
            () = reached.power.down() => None,
            () = sleep(PATIENCE) => None,
        };
        let mut fresh = Vec::new();
        if let Some(mut frames) = frames {
            loop {
                let frame = tokio::select! {
                    biased;
                    frame = frames.recv() => frame,
                    () = reached.power.down() => None,
                };
                let Some(frame) = frame else { break };
                let is_new = frame.after > cursor;
                fresh.extend(event(&frame));
                if !is_new {
                    continue;
                }
                cursor = frame.after;
                for event in fresh.drain(..) {
                    let sequence = event["seq"].as_u64().unwrap_or_default();
                    if reacts && reacted.insert(sequence) {
                        client.react(&event);
                    }
                    world
                        .recorder
                        .of(session, |seen| seen.cursors[at].push(event));
                }
                if !world.is_calm() && dice.per_mille(10) {
                    break;
                }
            }
        }
        sleep(dice.pause(Duration::from_secs(2))).await;
    }
}

/// The event of a frame, or a gap. Streamed text is not kept.
fn event(frame: &Frame) -> Option<Value> {
    let message: Value = serde_json::from_str(frame.message.get()).unwrap();
    match (&message["event"], &message["gap"]) {
        (Value::Null, Value::Null) => None,
        (Value::Null, _) => Some(message),
        (event, _) => Some(event.clone()),
    }
}
