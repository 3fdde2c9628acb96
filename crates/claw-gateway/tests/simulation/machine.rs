//! The machine that the gateways share: its holders, and the CLIs below them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_gateway::simulated::{SimulatedHolder, SimulatedLink, StoredOffsets};
use claw_gateway::{CliHost, FoundCli, HostedSession};
use claw_server::SessionId;
use rusty_claw::transport::{Connection, Custody, Exit, InMemory, Launch, Stop, Transport};
use rusty_claw::{BoxFuture, SessionError, StartError};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use crate::cli::{self, Setup};
use crate::dice::Dice;
use crate::power::Power;
use crate::record::{Life, Recorder};

/// As the real host waits.
const REPLY: Duration = Duration::from_secs(10);
const END: Duration = Duration::from_secs(15);

/// The holders and CLIs that run.
pub(crate) struct Machine {
    running: Mutex<BTreeMap<SessionId, Running>>,
    pub(crate) folder: PathBuf,
    pub(crate) recorder: Recorder,
    pub(crate) dice: Mutex<Dice>,
    pub(crate) spool_memory: usize,
}

struct Running {
    holder: Arc<SimulatedHolder>,
    cli: Cli,
}

/// A process of the CLI.
#[derive(Clone)]
struct Cli {
    task: AbortHandle,
    is_alive: Arc<AtomicBool>,
}

impl Machine {
    pub(crate) fn new(
        folder: PathBuf,
        recorder: Recorder,
        dice: Dice,
        spool_memory: usize,
    ) -> Arc<Self> {
        Arc::new(Self {
            running: Mutex::default(),
            folder,
            recorder,
            dice: Mutex::new(dice),
            spool_memory,
        })
    }

    fn holder(&self, session: SessionId) -> Option<Arc<SimulatedHolder>> {
        let running = self.running.lock().unwrap();
        let holder = running.get(&session).map(|one| Arc::clone(&one.holder));
        holder.filter(|holder| holder.runs())
    }

    /// The sessions that have a CLI.
    pub(crate) fn alive(&self) -> Vec<SessionId> {
        let running = self.running.lock().unwrap();
        let alive = running
            .iter()
            .filter(|(_, one)| one.cli.is_alive.load(Ordering::SeqCst));
        alive.map(|(session, _)| *session).collect()
    }

    pub(crate) fn kill_cli(&self, session: SessionId) {
        if let Some(running) = self.running.lock().unwrap().get(&session) {
            running.cli.task.abort();
        }
    }

    pub(crate) fn kill_holder(&self, session: SessionId) {
        if let Some(holder) = self.holder(session) {
            self.recorder.of(session, |seen| seen.holders_killed += 1);
            self.recorder.life(session, |life| life.is_cut = true);
            holder.kill();
        }
    }

    /// Starts a CLI below a holder.
    fn start(
        self: &Arc<Self>,
        session: SessionId,
        launch: Launch,
        first: tokio::io::DuplexStream,
    ) -> io::Result<()> {
        if self.holder(session).is_some() {
            return Err(io::Error::other("the session has another holder"));
        }
        let (host, peer) = InMemory::pair();
        let name: OsString = "CLAUDE_CONFIG_DIR".into();
        let config = launch.env.iter().rev().find(|(key, _)| *key == name);
        let config = config.and_then(|(_, value)| value.clone());
        let args: Vec<String> = launch
            .args
            .iter()
            .map(|arg| arg.to_string_lossy().into_owned())
            .collect();
        let alive = self.alive();
        if alive.contains(&session) {
            let text = format!("two CLIs of session {session} run");
            self.recorder.wrong(text);
        }
        self.recorder.of(session, |seen| {
            seen.agent.lives.push(Life::default());
        });
        let setup = Setup {
            session,
            args,
            folder: self.folder.clone(),
            recorder: self.recorder.clone(),
            dice: self.dice.lock().unwrap().fork(),
        };
        let is_alive = Arc::new(AtomicBool::new(true));
        let guard = DeathNotice(Arc::clone(&is_alive));
        let task = tokio::spawn(async move {
            let _guard = guard;
            cli::run(peer, setup).await;
        });
        let cli = Cli {
            task: task.abort_handle(),
            is_alive,
        };
        let Connection {
            reader,
            writer,
            custody,
        } = now(Box::new(host).open(launch));
        let custody = Box::new(CliCustody {
            inner: custody,
            cli: cli.clone(),
            is_released: false,
        });
        let connection = Connection {
            reader,
            writer,
            custody,
        };
        let spool = self.folder.join(format!("{session}.spool"));
        let holder = SimulatedHolder::start(connection, config, first, spool, self.spool_memory);
        let running = Running {
            holder: Arc::new(holder),
            cli,
        };
        self.running.lock().unwrap().insert(session, running);
        Ok(())
    }
}

/// The result of a future that does not wait.
fn now(opening: BoxFuture<'static, Result<Connection, StartError>>) -> Connection {
    use futures_util::FutureExt as _;
    let opened = opening.now_or_never().expect("a connection in memory");
    opened.expect("a connection in memory")
}

/// Records the end of a CLI, however it ends.
struct DeathNotice(Arc<AtomicBool>);

impl Drop for DeathNotice {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Kills the task of the CLI, as a signal does.
struct CliCustody {
    inner: Box<dyn Custody>,
    cli: Cli,
    is_released: bool,
}

impl Custody for CliCustody {
    fn exited(&mut self) -> BoxFuture<'_, Exit> {
        Box::pin(async {
            match self.inner.exited().await {
                // It was killed.
                Exit::Unknown => Exit::Signal(9),
                exit => exit,
            }
        })
    }

    fn stop(&mut self, how: Stop) {
        self.cli.task.abort();
        self.inner.stop(how);
    }

    fn clean_up(&mut self) -> BoxFuture<'_, ()> {
        self.inner.clean_up()
    }

    fn release(&mut self) -> Result<(), SessionError> {
        self.is_released = true;
        self.inner.release()
    }
}

impl Drop for CliCustody {
    fn drop(&mut self) {
        if !self.is_released {
            self.cli.task.abort();
        }
    }
}

/// The holders as one gateway reaches them.
#[derive(Clone)]
pub(crate) struct NodeHost {
    pub(crate) machine: Arc<Machine>,
    pub(crate) power: Arc<Power>,
    reports: Arc<Mutex<BTreeMap<SessionId, StoredOffsets>>>,
}

impl NodeHost {
    pub(crate) fn new(machine: Arc<Machine>, power: Arc<Power>) -> Self {
        let reports = Arc::default();
        Self {
            machine,
            power,
            reports,
        }
    }

    async fn pause(&self) {
        let most = Duration::from_millis(300);
        let pause = self.machine.dice.lock().unwrap().pause(most);
        sleep(pause).await;
        self.power.check().await;
    }

    async fn link(&self, session: &HostedSession) -> io::Result<SimulatedLink> {
        let Some(holder) = self.machine.holder(session.session_id) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let (ours, theirs) = self.power.wire();
        holder.connect(theirs)?;
        timeout(REPLY, SimulatedLink::open(ours, session.epoch)).await?
    }

    async fn read(
        &self,
        session: SessionId,
        link: SimulatedLink,
        offset: u64,
    ) -> io::Result<Connection> {
        let (connection, offsets) = link.read_from(offset).await?;
        self.reports.lock().unwrap().insert(session, offsets);
        Ok(connection)
    }

    async fn end_holder(&self, session: &HostedSession) -> io::Result<()> {
        let Some(holder) = self.machine.holder(session.session_id) else {
            self.machine.kill_cli(session.session_id);
            return Ok(());
        };
        let recorder = &self.machine.recorder;
        recorder.life(session.session_id, |life| life.is_cut = true);
        let ended = async { self.link(session).await?.end().await };
        match timeout(END, ended).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) if error.kind() == io::ErrorKind::Other => return Err(error),
            _ => self.machine.kill_holder(session.session_id),
        }
        let gone = async {
            while holder.runs() {
                sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(REPLY, gone).await?;
        Ok(())
    }

    async fn start(&self, session: &HostedSession, launch: Launch) -> io::Result<Connection> {
        self.end_holder(session).await?;
        self.pause().await;
        let (ours, theirs) = self.power.wire();
        self.machine.start(session.session_id, launch, theirs)?;
        let link = SimulatedLink::open(ours, session.epoch).await?;
        self.read(session.session_id, link, 0).await
    }
}

impl CliHost for NodeHost {
    fn transport(&self, session: &HostedSession) -> Box<dyn Transport> {
        let (host, session) = (self.clone(), session.clone());
        Box::new(Opening(Box::new(move |launch| {
            Box::pin(async move { host.start(&session, launch).await })
        })))
    }

    fn find<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, Option<FoundCli>> {
        Box::pin(async {
            self.pause().await;
            let link = self.link(session).await.ok()?;
            let (first, end, has_exited) = link.output();
            let config_dir = link.config_dir();
            let (host, id) = (self.clone(), session.session_id);
            let note = format!("epoch {} finds a CLI: {first}..{end}", session.epoch);
            self.machine.recorder.note(note);
            let transport = Box::new(move |offset| -> Box<dyn Transport> {
                Box::new(Opening(Box::new(move |_| {
                    Box::pin(async move { host.read(id, link, offset).await })
                })))
            });
            Some(FoundCli {
                transport,
                config_dir,
                first,
                end,
                has_exited,
            })
        })
    }

    fn end<'a>(&'a self, session: &'a HostedSession) -> BoxFuture<'a, ()> {
        Box::pin(async {
            self.pause().await;
            if let Err(error) = self.end_holder(session).await {
                let note = format!("epoch {} does not end a holder: {error}", session.epoch);
                self.machine.recorder.note(note);
            }
        })
    }

    fn handled(&self, session: &HostedSession, offset: u64) {
        let reports = self.reports.lock().unwrap();
        if let (Some(offsets), true) = (reports.get(&session.session_id), self.power.is_on()) {
            offsets.report(offset);
        }
    }
}

type Open = Box<dyn FnOnce(Launch) -> BoxFuture<'static, io::Result<Connection>> + Send>;

/// A transport that calls a function.
struct Opening(Open);

impl Transport for Opening {
    fn open(self: Box<Self>, launch: Launch) -> BoxFuture<'static, Result<Connection, StartError>> {
        let opening = (self.0)(launch);
        Box::pin(async {
            opening.await.map_err(|source| StartError::Io {
                what: "the simulated holder".to_owned(),
                source,
            })
        })
    }
}
