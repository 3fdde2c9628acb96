//! Growing batches: a front end shows exactly the pending interactions, each at its index, no
//! matter what happens in between.

use std::collections::BTreeMap;

use claw_server::event::{
    EndedTurn, Fact, Interaction, InteractionAnswer, InteractionId, InteractionKind, Lifecycle,
    LifecycleState, SessionEvent, TurnEnding,
};
use claw_server::interactions::{GROUP_WINDOW_MS, InteractionGroups, InteractionRegistry};
use claw_server::{Json, UiProjection};
use serde_json::json;

use crate::batch_screen::Screen;
use crate::random::Random;

/// The state of a session, driven by a test with its own clock.
struct Played {
    random: Random,
    groups: InteractionGroups,
    interactions: InteractionRegistry,
    projection: UiProjection,
    screen: Screen,
    sequence: u64,
    turn: u64,
    is_running: bool,
    now_ms: i64,
    held: BTreeMap<InteractionId, i64>,
    asked: usize,
}

impl Played {
    fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            groups: InteractionGroups::default(),
            interactions: InteractionRegistry::new(),
            projection: UiProjection::new(1),
            screen: Screen::default(),
            sequence: 0,
            turn: 0,
            is_running: false,
            now_ms: 0,
            held: BTreeMap::new(),
            asked: 0,
        }
    }

    fn fact(&mut self, fact: Fact) {
        self.sequence += 1;
        self.interactions.apply(&fact);
        let mut event = SessionEvent::new(self.sequence, 1, self.now_ms, fact);
        if self.is_running {
            event = event.turn(self.turn);
        }
        let mut messages = Vec::new();
        self.projection.event(&event, &mut messages);
        for message in messages {
            self.screen.take(message);
        }
        if self.random.chance(20) {
            let state = serde_json::to_string(&self.projection).unwrap();
            self.projection = serde_json::from_str(&state).unwrap();
        }
    }

    /// What the loop of a session does whenever it wakes up.
    fn on_time(&mut self) {
        let interactions = &self.interactions;
        self.groups.grow_while(|id| interactions.get(id).is_some());
        for prompt in self.groups.take(self.now_ms) {
            let since = self.held.remove(&prompt.id).expect("it is asked once");
            assert!(self.now_ms - since <= GROUP_WINDOW_MS, "{prompt:?}");
            self.fact(Fact::InteractionOpened(prompt));
        }
        let waits = self.interactions.open().map(|prompt| {
            let place = prompt.group.clone().zip(prompt.group_index);
            (prompt.id.as_str().to_owned(), place)
        });
        assert_eq!(self.screen.places(), waits.collect());
    }

    fn wait(&mut self, ms: i64) {
        let until = self.now_ms + ms;
        while let Some(due) = self.groups.due_ms().filter(|due| *due <= until) {
            self.now_ms = due.max(self.now_ms);
            self.on_time();
        }
        self.now_ms = until;
        self.on_time();
    }

    fn ask(&mut self) {
        let prompt = self.prompt();
        self.held.insert(prompt.id.clone(), self.now_ms);
        self.groups.hold(prompt, self.now_ms);
    }

    fn prompt(&mut self) -> Interaction {
        self.asked += 1;
        let id = format!("toolu_{}", self.asked);
        let request = json!({"tool_name": "Read", "input": {"file_path": id}, "tool_use_id": id});
        let mut prompt = Interaction::new(
            InteractionId::new(&*id),
            InteractionKind::Permission,
            Json::from_value(&request),
        );
        prompt.tool_use_id = Some(id);
        prompt
    }

    /// One of the prompts that wait.
    fn any_open(&mut self) -> Option<InteractionId> {
        let open: Vec<InteractionId> = self.interactions.open().map(|one| one.id.clone()).collect();
        let at = self.random.below(open.len());
        open.get(at).cloned()
    }

    fn end_turn(&mut self) {
        if self.is_running {
            self.fact(Fact::TurnEnded(EndedTurn::new(TurnEnding::Succeeded)));
            self.is_running = false;
        }
    }

    fn begin_turn(&mut self) {
        self.end_turn();
        self.turn += 1;
        self.is_running = true;
        self.fact(Fact::TurnStarted(Vec::new()));
    }

    fn lose_process(&mut self) {
        for fact in self.interactions.abandoned() {
            self.fact(fact);
        }
        self.is_running = false;
        self.groups = InteractionGroups::default();
        self.held.clear();
        for state in [LifecycleState::Lost, LifecycleState::Ready] {
            self.fact(Fact::Lifecycle(Lifecycle::new(state)));
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0..=7 => self.ask(),
            8..=12 => {
                let ms = [1, 20, 49, 50, 51, 120, 400][self.random.below(7)];
                self.wait(ms);
            }
            13 | 14 => {
                let expects_more = self.random.chance(70);
                self.groups.expect_more(expects_more);
            }
            15 => {
                if let Some(id) = self.any_open() {
                    let answer = Json::from_value(&json!({"behavior": "allow"}));
                    self.fact(Fact::InteractionAnswered(InteractionAnswer::new(
                        id, answer,
                    )));
                }
            }
            16 => {
                let held = self.held.keys().next().cloned();
                if let Some(id) = held.filter(|id| self.groups.withdraw(id)) {
                    self.held.remove(&id);
                } else if let Some(id) = self.any_open() {
                    self.fact(Fact::InteractionWithdrawn(id));
                }
            }
            17 => self.begin_turn(),
            18 => self.end_turn(),
            _ if self.random.chance(10) => self.lose_process(),
            _ => {}
        }
        self.on_time();
    }
}

#[test]
fn what_is_shown_is_what_waits_each_in_its_place() {
    let (mut asked, mut grown) = (0, 0);
    for seed in 0..300 {
        let mut played = Played::new(seed);
        for _ in 0..120 {
            played.step();
        }
        asked += played.asked;
        grown += played.screen.grown;
    }
    assert!(asked > 10_000 && grown > 1_000, "{asked} {grown}");
}

/// A subagent in the background outlives the turn, and so does what it asked for.
#[test]
fn others_join_what_waits_when_a_turn_has_ended() {
    let mut played = Played::new(1);
    played.begin_turn();
    played.ask();
    played.groups.expect_more(true);
    played.wait(60);
    played.end_turn();
    played.ask();
    played.wait(60);
    assert_eq!(played.screen.grown, 1);
}

/// A log may hold anything, also a group that is never whole.
#[test]
fn a_group_without_end_is_shown_and_takes_no_more_room_than_this() {
    let mut played = Played::new(1);
    for index in 0..1_030 {
        let prompt = played.prompt().in_group("toolu_1", index, 2_000);
        played.fact(Fact::InteractionOpened(prompt));
    }
    let places = played.screen.places();
    assert_eq!(places.len(), 1_030);
    assert_eq!(places.values().flatten().count(), 1_024);
}
