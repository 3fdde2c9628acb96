//! One run: gateways, their machine and their clients, and the faults.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use claw_gateway::{Access, Caller, Gateway, Scope, Settings};
use claw_server::SessionId;
use claw_store::{
    InteractionFilter, MemoryStore, NodeId, ReadLimit, SessionKey, SessionState, TenantId,
};
use rusty_claw::Options;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use claw_store::{Directory as _, Interactions as _, Log as _};

use crate::clients;
use crate::dice::Dice;
use crate::hooked::hooked;
use crate::machine::{Machine, NodeHost};
use crate::plan::Plan;
use crate::power::Power;
use crate::record::{Observed, Recorder};
use crate::store::StoreFaults;

pub(crate) const TENANT: &str = "ada";
/// How long a run may take to come to rest after the last fault.
const SETTLES: Duration = Duration::from_secs(3600);

thread_local! {
    static BEGIN: Cell<Option<Instant>> = const { Cell::new(None) };
    /// How far the wall clock was set, in milliseconds.
    static SET: Cell<i64> = const { Cell::new(0) };
}

/// The wall clock of the simulation.
pub(crate) fn wall_clock() -> SystemTime {
    let passed = BEGIN.get().map_or(Duration::ZERO, |begin| begin.elapsed());
    let begin = Duration::from_secs(1_800_000_000);
    let set = Duration::from_millis(SET.get().unsigned_abs());
    let at = SystemTime::UNIX_EPOCH + begin + passed;
    if SET.get() < 0 { at - set } else { at + set }
}

/// Everything that the tasks of a run share.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) recorder: Recorder,
    pub(crate) folder: PathBuf,
    store: MemoryStore,
    machine: Arc<Machine>,
    nodes: Mutex<Vec<Option<Node>>>,
    is_calm: Arc<AtomicBool>,
    calls: Arc<AtomicU64>,
    /// The requests of clients that have no response.
    pub(crate) requests: AtomicUsize,
}

#[derive(Clone)]
struct Node {
    gateway: Gateway,
    power: Arc<Power>,
}

/// A gateway as a client reaches it.
pub(crate) struct Reached {
    pub(crate) access: Access,
    pub(crate) power: Arc<Power>,
}

/// What remains of a run.
pub(crate) struct Rest {
    /// The events of each session, in their order.
    pub(crate) logs: Vec<(SessionId, Vec<Value>)>,
    pub(crate) recorder: Recorder,
}

/// Runs a seed.
pub(crate) async fn run(seed: u64, folder: &Path) -> Rest {
    BEGIN.set(Some(Instant::now()));
    SET.set(0);
    let mut dice = Dice::new(seed);
    let plan = Plan::new(&mut dice);
    let recorder = Recorder::new();
    recorder.note(format!("{plan:?}"));
    let machine = Machine::new(
        folder.to_owned(),
        recorder.clone(),
        dice.fork(),
        plan.spool_memory,
    );
    let world = Arc::new(World {
        nodes: Mutex::new(vec![None; plan.nodes]),
        folder: folder.to_owned(),
        store: MemoryStore::new(),
        machine,
        recorder,
        plan,
        is_calm: Arc::default(),
        calls: Arc::default(),
        requests: AtomicUsize::default(),
    });
    let mut tasks = JoinSet::new();
    for at in 0..world.plan.nodes {
        tasks.spawn(Arc::clone(&world).run_node(at, dice.fork()));
    }
    tasks.spawn(Arc::clone(&world).break_things(dice.fork()));
    let mut clients = JoinSet::new();
    for number in 0..world.plan.sessions {
        clients.spawn(clients::session(Arc::clone(&world), number, dice.fork()));
    }
    sleep(world.plan.faulty_for).await;
    world.is_calm.store(true, Ordering::Relaxed);
    world.recorder.note("no more faults");
    let settled = world.settle(&mut clients).await;
    if let Err(what) = settled {
        world.recorder.wrong(what);
    }
    clients.shutdown().await;
    tasks.shutdown().await;
    world.rest().await
}

impl World {
    /// Runs a gateway, which is started again after each crash.
    async fn run_node(self: Arc<Self>, at: usize, mut dice: Dice) {
        let store_dice = Arc::new(Mutex::new(dice.fork()));
        loop {
            let power = Arc::new(Power::default());
            let faults = Arc::new(StoreFaults {
                power: Arc::clone(&power),
                faults: self.plan.faults.clone(),
                is_calm: Arc::clone(&self.is_calm),
                dice: Arc::clone(&store_dice),
                recorder: self.recorder.clone(),
                calls: Arc::clone(&self.calls),
            });
            let store = hooked(Arc::new(self.store.handle()), &faults);
            let settings = self.settings(&power);
            let name = NodeId::new(["one", "two", "three"][at]).unwrap();
            let starting = Gateway::start(store, name, settings);
            let started = tokio::select! {
                started = starting => started.ok(),
                () = power.down() => None,
            };
            if let Some(gateway) = started {
                self.recorder.note(format!("gateway {at} starts"));
                let node = Node {
                    gateway: gateway.clone(),
                    power: Arc::clone(&power),
                };
                self.nodes.lock().unwrap()[at] = Some(node);
                self.live(&power, gateway, &mut dice).await;
                self.recorder.note(format!("gateway {at} is gone"));
                self.nodes.lock().unwrap()[at] = None;
            }
            power.cut();
            sleep(dice.pause(Duration::from_secs(30))).await;
        }
    }

    /// Waits until a gateway crashes or is shut down.
    async fn live(&self, power: &Power, gateway: Gateway, dice: &mut Dice) {
        let second = Duration::from_secs(1);
        loop {
            tokio::select! {
                biased;
                () = power.down() => return,
                () = sleep(second) => {}
            }
            if self.is_calm() || !dice.per_mille(self.plan.faults.node_crash) {
                continue;
            }
            if dice.per_mille(700) {
                sleep(dice.pause(second)).await;
                self.recorder.fault("crash at a time");
                return;
            }
            self.recorder.fault("shutdown");
            let grace = dice.pause(Duration::from_secs(20));
            tokio::select! {
                () = gateway.shutdown(grace) => {}
                () = power.down() => {}
            }
            return;
        }
    }

    fn settings(&self, power: &Arc<Power>) -> Settings {
        let folder = self.folder.clone();
        let mut settings = Settings::new(vec![folder.join("work")]);
        settings.options = Box::new(move || {
            Options::new()
                .env_clear()
                .env("HOME", folder.as_os_str())
                .env("CLAUDE_CONFIG_DIR", folder.join("config"))
        });
        settings.tenant = Some(TenantId::new(TENANT).unwrap());
        settings.idle = self.plan.idle;
        settings.interaction_timeout = Some(self.plan.interaction_timeout);
        let host = NodeHost::new(Arc::clone(&self.machine), Arc::clone(power));
        settings.host = Some(Arc::new(host));
        settings
    }

    /// Kills CLIs and holders, and sets the clock.
    async fn break_things(self: Arc<Self>, mut dice: Dice) {
        let faults = self.plan.faults.clone();
        while !self.is_calm() {
            sleep(Duration::from_millis(500 + dice.below(1000))).await;
            for session in self.machine.alive() {
                if dice.per_mille(faults.cli_crash) {
                    self.recorder.fault("CLI killed");
                    self.machine.kill_cli(session);
                }
                if dice.per_mille(faults.holder_crash) {
                    self.recorder.fault("holder killed");
                    self.machine.kill_holder(session);
                }
            }
            if dice.per_mille(faults.clock_jump) {
                self.recorder.fault("clock set");
                let by = dice.below(120_000) as i64 - 60_000;
                SET.set(SET.get() + by);
            }
            if dice.per_mille(faults.clock_jump) {
                self.recorder.fault("process suspended");
                tokio::time::advance(dice.pause(Duration::from_secs(60))).await;
            }
        }
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    /// Returns a gateway that runs.
    pub(crate) async fn reach(&self, device: &str, dice: &mut Dice) -> Reached {
        loop {
            let at = dice.below(self.plan.nodes as u64) as usize;
            let node = self.nodes.lock().unwrap()[at].clone();
            if let Some(node) = node.filter(|node| node.power.is_on()) {
                let access = node.gateway.access(Caller {
                    tenant: TenantId::new(TENANT).unwrap(),
                    device: device.to_owned(),
                    scope: Scope::Drive,
                });
                let power = node.power;
                return Reached { access, power };
            }
            sleep(Duration::from_millis(200)).await;
        }
    }

    /// The sequence number of the last stored event of a session, or 0.
    pub(crate) async fn last(&self, session: SessionId) -> u64 {
        let row = self.store.get(&key(session)).await;
        row.map_or(0, |row| row.last)
    }

    /// How many events each follower of a session has received.
    fn seen(&self, session: SessionId) -> Vec<usize> {
        let seen = |seen: &mut Observed| seen.cursors.iter().map(Vec::len).collect();
        self.recorder.of(session, seen)
    }

    /// Waits until all clients are done and all sessions rest.
    async fn settle(&self, clients: &mut JoinSet<SessionId>) -> Result<(), String> {
        let by = Instant::now() + SETTLES;
        let mut sessions = Vec::new();
        while let Some(done) = tokio::time::timeout_at(by, clients.join_next())
            .await
            .map_err(|_| "a client is not done".to_owned())?
        {
            sessions.push(done.map_err(|error| error.to_string())?);
        }
        let mut rested = 0;
        while rested < 3 {
            sleep(Duration::from_secs(25)).await;
            let busy = self.busy(&sessions).await;
            match busy {
                None => rested += 1,
                Some(what) if Instant::now() > by => return Err(format!("{what} at the end")),
                Some(_) => rested = 0,
            }
        }
        // A call of a follower may have stalled.
        for session in sessions {
            loop {
                let (last, seen) = (self.last(session).await, self.seen(session));
                if seen.iter().all(|seen| *seen as u64 == last) {
                    break;
                }
                if Instant::now() > by {
                    return Err(format!("cursors have {seen:?} of {last} events"));
                }
                sleep(Duration::from_secs(7)).await;
            }
        }
        Ok(())
    }

    async fn busy(&self, sessions: &[SessionId]) -> Option<String> {
        for session in sessions {
            let row = self.store.get(&key(*session)).await.ok()?;
            if row.owner.is_some() || row.state == SessionState::Awake {
                return Some(format!(
                    "{session} is {:?}, owned by {:?}",
                    row.state, row.owner
                ));
            }
            if self.machine.alive().contains(session) {
                return Some(format!("a CLI of {session} without an owner runs"));
            }
        }
        let requests = self.requests.load(Ordering::Relaxed);
        if requests > 0 {
            return Some(format!("{requests} requests have no response"));
        }
        let pending = InteractionFilter::pending(TenantId::new(TENANT).unwrap());
        let pending = self.store.interactions(&pending).await.unwrap_or_default();
        (!pending.is_empty()).then(|| format!("{} interactions are pending", pending.len()))
    }

    async fn rest(&self) -> Rest {
        let page = self
            .store
            .list(&TenantId::new(TENANT).unwrap(), None, 100)
            .await;
        let rows = page.unwrap().rows;
        let mut logs = Vec::new();
        for row in &rows {
            let (mut events, mut after) = (Vec::new(), 0);
            loop {
                let page = self
                    .store
                    .read(&row.key, after, ReadLimit::default())
                    .await
                    .unwrap();
                let Some(last) = page.last() else { break };
                after = last.sequence;
                let values = page
                    .iter()
                    .map(|event| serde_json::from_slice(&event.body).unwrap());
                events.extend(values);
            }
            logs.push((row.key.session.as_str().parse().unwrap(), events));
        }
        let recorder = self.recorder.clone();
        Rest { logs, recorder }
    }
}

pub(crate) fn key(session: SessionId) -> SessionKey {
    let id = claw_store::SessionId::new(&session.to_string()).unwrap();
    SessionKey::new(TenantId::new(TENANT).unwrap(), id)
}
