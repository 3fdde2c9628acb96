//! A session whose processes are killed at the steps of its turns.

use std::time::{Duration, SystemTime};

use claw_testkit::real_cli::World;
use claw_testkit::{Match, Turn};
use rustix::process::Signal;
use serde_json::json;
use tokio::time::timeout;

use crate::acts::text;
use crate::driving::streamed;
use crate::outcomes::Outcomes;
use crate::processes::{Process, Role, all, left, only};
use crate::random::Random;
use crate::served::{END, Gateway, Host};
use crate::stage::{Finished, Stage, TIMEOUT};
use crate::truth::{self, Truth};

/// The file to which each call appends its key.
pub(crate) const RAN: &str = "ran";

/// A step of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Stored,
    Delivered,
    Streaming,
    Open,
    Answered,
    Running,
    Result,
}

impl Step {
    pub(crate) const ALL: [Self; 7] = [
        Self::Stored,
        Self::Delivered,
        Self::Streaming,
        Self::Open,
        Self::Answered,
        Self::Running,
        Self::Result,
    ];

    /// The kind of frames after which it is reached.
    fn kind(self, random: &mut Random) -> &'static str {
        match self {
            Self::Stored => "input_accepted",
            Self::Delivered => "input_delivered",
            Self::Streaming => "delta",
            Self::Open => "interaction_opened",
            Self::Answered | Self::Running => "interaction_answered",
            // The CLI prints the result after the last message.
            Self::Result if random.chance(50) => "assistant",
            Self::Result => "result",
        }
    }

    /// About how long it lasts, in milliseconds.
    fn lasts(self) -> usize {
        match self {
            Self::Stored | Self::Answered | Self::Result => 20,
            Self::Delivered => 60,
            Self::Open => 100,
            Self::Streaming | Self::Running => 300,
        }
    }

    /// Waits until a turn reaches the step, and then for a random time.
    async fn reach(self, stage: &Stage, random: &mut Random) {
        let ran = || std::fs::metadata(stage.world.project().join(RAN)).map_or(0, |it| it.len());
        let (kind, has_run) = (self.kind(random), ran());
        let mut observed = stage.observed.subscribe();
        let before = observed.borrow().count(kind);
        let reached = async {
            let more = observed.wait_for(|now| now.count(kind) > before).await;
            drop(more.unwrap());
            // A call that is denied does not run.
            for _ in 0..100 {
                if self != Self::Running || ran() > has_run {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let reached = timeout(TIMEOUT, reached).await;
        reached.unwrap_or_else(|_| panic!("no turn reaches {self:?}"));
        tokio::time::sleep(Duration::from_millis(random.below(self.lasts()) as u64)).await;
    }
}

/// What is done to a session.
pub(crate) struct Script<'a> {
    /// What is killed at once, in turn.
    pub(crate) victims: &'a [&'a [Role]],
    /// How a gateway is ended.
    pub(crate) signal: Signal,
    /// The versions that the gateways speak, in turn.
    pub(crate) versions: &'a [&'a str],
    /// The numbers of the kills.
    pub(crate) kills: std::ops::Range<usize>,
}

/// Processes that were killed at once.
#[derive(Debug, Clone)]
pub(crate) struct Kill {
    pub(crate) at_ms: i64,
    pub(crate) step: Step,
    pub(crate) victims: Vec<Role>,
}

impl Kill {
    pub(crate) fn is_of(&self, role: Role) -> bool {
        self.victims.contains(&role)
    }
}

/// What a session showed.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) kills: Vec<Kill>,
    pub(crate) inputs: usize,
    pub(crate) losses: u64,
    pub(crate) cursors: usize,
    pub(crate) outcomes: Outcomes,
    pub(crate) truth: Truth,
    /// Processes of CLIs.
    pub(crate) clis: usize,
    pub(crate) faults: Vec<String>,
}

/// The model streams a text and calls a tool for which the CLI asks.
fn plan(world: &World, key: &str, _: &mut Random) {
    let command = format!("echo {key} >> {RAN}; sleep 0.4");
    let input = json!({"command": command, "description": "run it"});
    let turn = streamed("This takes a few words, one after the other.");
    let turn = turn.tool_use(format!("toolu_{}", key.replace('-', "_")), "Bash", input);
    let turn: Turn = turn.when(Match::new().last_user_text(text(key)));
    world.api.turn(turn);
}

pub(crate) async fn run(host: &Host, script: Script<'_>) -> Tally {
    let world = &host.world;
    world.api.fallback(streamed("It is done, and this is why."));
    // The points differ from run to run.
    let mut random = Random::new(u64::from(std::process::id()) + script.kills.start as u64);
    let mut versions = script.versions.iter().cycle();
    let mut version = || versions.next().expect("there is a version");
    let mut gateway = host.serve(version()).await;
    let stage = Stage::start(world, host.target().await, plan, &mut random);
    let mut tally = Tally::default();
    let (mut checks, mut clis) = (Vec::new(), Vec::new());
    for number in script.kills {
        let step = Step::ALL[number % Step::ALL.len()];
        let victims = script.victims[number % script.victims.len()];
        let (before, others) = find(step, victims, &stage, &mut random).await;
        let counts = |role| before.iter().filter(|one| one.role == role).count();
        if counts(Role::Holder) > 1 || counts(Role::Cli) > 1 {
            tally.faults.push(format!("several CLIs: {before:?}"));
        }
        clis.extend(only(&before, Role::Cli).map(|cli| cli.pid));
        let (ends_gateway, ends_cli) = (victims.contains(&Role::Gateway), !others.is_empty());
        tally.kills.push(Kill {
            at_ms: now_ms(),
            step,
            victims: victims.to_vec(),
        });
        if ends_gateway {
            host.end(gateway, script.signal, &others).await;
            stage.observed.send_modify(|now| now.in_turn = false);
            gateway = host.serve(version()).await;
        } else {
            others.iter().for_each(Process::kill);
        }
        let mut doomed = before;
        doomed.retain(|one| one.role != Role::Gateway && ends_cli);
        checks.push(tokio::spawn(left(doomed, END)));
    }
    let log = host.log().await;
    let finished = stage.finish(&log, &mut random).await;
    for check in checks {
        let left = check.await.unwrap();
        let left = left.iter().map(Process::describe);
        tally
            .faults
            .extend(left.map(|one| format!("it did not end: {one}")));
    }
    tally.faults.extend(close(host, gateway).await);
    clis.sort_unstable();
    clis.dedup();
    tally.clis = clis.len();
    let Finished {
        events,
        keys,
        losses,
        cursors,
    } = finished;
    (tally.inputs, tally.losses, tally.cursors) = (keys.len(), losses, cursors);
    tally.outcomes = Outcomes::check(&events, &keys, world);
    tally.truth = truth::check(&events, &tally.kills, &tally.outcomes.lost, world);
    tally.faults.append(&mut tally.truth.faults);
    tally
}

/// Waits until a step is reached while all victims run. Returns all processes, and the victims
/// except the gateway.
async fn find(
    step: Step,
    victims: &[Role],
    stage: &Stage,
    random: &mut Random,
) -> (Vec<Process>, Vec<Process>) {
    for _ in 0..20 {
        step.reach(stage, random).await;
        let all = all(&stage.world);
        let others = victims.iter().filter(|role| **role != Role::Gateway);
        let others: Option<Vec<Process>> = others.map(|role| only(&all, *role)).collect();
        if let Some(others) = others {
            return (all, others);
        }
    }
    panic!(
        "{victims:?} do not run at {step:?}: {:?}",
        all(&stage.world)
    );
}

/// Ends the last gateway. Returns which processes stay.
pub(crate) async fn close(host: &Host, gateway: Gateway) -> Vec<String> {
    host.end(gateway, Signal::TERM, &[]).await;
    let left = left(all(&host.world), END).await;
    let left = left.iter().map(Process::describe);
    left.map(|one| format!("it outlives the gateway: {one}"))
        .collect()
}

fn now_ms() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(now.unwrap().as_millis()).unwrap()
}
