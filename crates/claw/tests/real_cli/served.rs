//! `claw serve` with its default holders, as a process of its own.

use std::fs::File;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use claw_gateway::client::Client;
use claw_gateway::{SessionSpec, StoreLog};
use claw_server::SessionId;
use claw_store::TenantId;
use claw_testkit::real_cli::World;
use rustix::process::Signal;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::place::Place;
use crate::processes::{self, Process, signal};
use crate::proxy::Proxy;
use crate::screens::Target;
use crate::stage::TIMEOUT;

/// How long everything may take to end.
pub(crate) const END: Duration = Duration::from_secs(10);

/// The home of gateways that run one after the other.
pub(crate) struct Host {
    pub(crate) world: Arc<World>,
    place: Place,
    args: Vec<String>,
    proxy: Proxy,
}

impl Host {
    /// Creates a home with a store of its own on SQLite, or on servers.
    pub(crate) async fn new(servers: Option<&Place>, args: &[&str]) -> Self {
        let world = Arc::new(World::new().await.unwrap());
        let database = world.folder().join("data/claw.db");
        Self {
            world,
            place: servers.cloned().unwrap_or(Place::Sqlite(database)),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            proxy: Proxy::start().await,
        }
    }

    pub(crate) fn store(&self) -> &'static str {
        self.place.name()
    }

    /// Starts a gateway that speaks a version of the holders' protocol, and directs clients to it.
    pub(crate) async fn serve(&self, version: &str) -> Gateway {
        let (world, proxy) = (&self.world, &self.proxy);
        let log = world.folder().join("log");
        let log = File::options().append(true).create(true).open(log);
        let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
        command
            .args(["serve", "--json", "--listen=127.0.0.1:0", "--rate=1000000"])
            .arg(format!("--public-url=http://{}", proxy.address))
            .arg("--data")
            .arg(world.folder().join("data"))
            .arg("--root")
            .arg(world.project())
            .arg("--claude")
            .arg(world.binary())
            .args(&self.args)
            .env_clear()
            .envs(world.environment())
            .env("CLAW_PASS_ENV", "DISABLE_TELEMETRY,DISABLE_AUTOUPDATER")
            .env("CLAW_HOLDER_VERSION", version)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .kill_on_drop(true);
        if let Place::JetStream(servers, _) = &self.place {
            command.env("CLAW_STORE", servers.join(","));
        }
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = timeout(TIMEOUT, lines.next_line()).await;
        let line = line.expect("the gateway starts").unwrap();
        let line = line.unwrap_or_else(|| panic!("{}", self.log_file()));
        let started: Value = serde_json::from_str(&line).unwrap();
        let url = started["url"].as_str().unwrap();
        let address: SocketAddr = url.strip_prefix("http://").unwrap().parse().unwrap();
        proxy.target.send_replace(Some(address));
        Gateway { child }
    }

    fn log_file(&self) -> String {
        std::fs::read_to_string(self.world.folder().join("log")).unwrap_or_default()
    }

    /// A client that keeps its address while gateways come and go.
    pub(crate) fn client(&self) -> (Client, String) {
        let token = std::fs::read_to_string(self.world.folder().join("data/token")).unwrap();
        let token = token.trim().to_owned();
        let url = format!("http://{}", self.proxy.address);
        let client = Client::new(&url, &token).unwrap().patience(TIMEOUT);
        (client, token)
    }

    /// Creates a session.
    pub(crate) async fn target(&self) -> Target {
        let (client, token) = self.client();
        let spec = SessionSpec::new(self.world.project());
        let session: SessionId = client.create(&spec).await.unwrap().id;
        Target {
            client,
            address: self.proxy.address,
            token,
            session,
        }
    }

    pub(crate) async fn log(&self) -> StoreLog {
        let tenant = TenantId::new("default").unwrap();
        StoreLog::new(self.place.open().await, tenant)
    }

    /// Ends a gateway with a signal, and other processes with SIGKILL at the same time.
    pub(crate) async fn end(&self, mut gateway: Gateway, how: Signal, others: &[Process]) {
        signal(gateway.pid(), how);
        others.iter().for_each(Process::kill);
        let ended = timeout(TIMEOUT, gateway.child.wait()).await;
        ended.expect("the gateway ends").unwrap();
        self.proxy.target.send_replace(None);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Holders outlive a test that fails.
        processes::all(&self.world).iter().for_each(Process::kill);
    }
}

/// A gateway that runs. Dropping it kills it.
pub(crate) struct Gateway {
    child: Child,
}

impl Gateway {
    pub(crate) fn pid(&self) -> u32 {
        self.child.id().expect("the gateway runs")
    }
}
