//! What people do to the session all the while.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_gateway::Answer;
use claw_gateway::client::NewInput;
use claw_server::registry::PermissionResponse;
use claw_testkit::real_cli::{World, bash};
use claw_testkit::{Match, Turn};
use tokio::sync::watch;

use super::screens::Target;
use super::stage::Observed;
use crate::acts::text;
use crate::random::Random;

/// The inputs that the session has at a time, so that some wait in the queue.
const OPEN: u64 = 2;

/// Adds the turns of the model for the input with a key.
pub(super) type Plan = fn(&World, &str, &mut Random);

/// Sends inputs until the last one. Returns their keys.
pub(super) async fn send(
    (world, plan): (Arc<World>, Plan),
    target: Target,
    mut observed: watch::Receiver<Observed>,
    (sent, is_last): (watch::Sender<u64>, Arc<Mutex<bool>>),
    mut random: Random,
) -> Vec<String> {
    let mut keys = Vec::new();
    while !*is_last.lock().unwrap() {
        let count = keys.len() as u64;
        let has_room = observed.wait_for(|observed| count < observed.over + OPEN);
        has_room.await.unwrap();
        let pause = random.below(150) as u64;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let key = format!("in-{count}");
        plan(&world, &key, &mut random);
        let input = NewInput::text(&text(&key)).key(&key);
        target.client.input(target.session, &input).await.unwrap();
        keys.push(key);
        sent.send_replace(count + 1);
    }
    keys
}

/// The model streams a text, or calls a tool for which the CLI asks.
pub(super) fn plan(world: &World, key: &str, random: &mut Random) {
    let turn = match random.chance(60) {
        true => bash(&key.replace('-', "_"), &format!("touch {key}")),
        false => streamed("This takes a few words, one after the other."),
    };
    let turn = turn.when(Match::new().last_user_text(text(key)));
    world.api.turn(turn);
}

pub(super) fn streamed(text: &str) -> Turn {
    let pause = Duration::from_millis(15);
    Turn::text(text).chunks(20).delay_between(pause)
}

/// Allows everything that the agent asks for, after a while.
pub(super) async fn answer(target: Target, mut random: Random) {
    loop {
        let pause = 30 + random.below(150) as u64;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let pending = target.client.pending(Some(target.session)).await;
        for pending in pending.unwrap_or_default() {
            let id = pending.interaction.id.as_str();
            let yes = Answer::Permission(PermissionResponse::allow());
            // It may be withdrawn by now.
            let _ = target.client.answer(target.session, id, &yes).await;
        }
    }
}
