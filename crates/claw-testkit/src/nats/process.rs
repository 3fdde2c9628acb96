//! One process of nats-server.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::options::NatsOptions;

/// The address and the ports of a server.
#[derive(Debug, Clone)]
pub(super) struct Ports {
    pub(super) address: Ipv4Addr,
    pub(super) client: u16,
    pub(super) monitoring: u16,
    pub(super) route: u16,
}

impl Ports {
    pub(super) fn free(address: Ipv4Addr) -> io::Result<Self> {
        let ports = free_ports(3)?;
        Ok(Self {
            address,
            client: ports[0],
            monitoring: ports[1],
            route: ports[2],
        })
    }
}

/// Returns free ports.
///
/// They are below those that the kernel assigns to outgoing connections, which could take the port
/// of a server while it is down.
///
/// # Errors
/// There are not enough of them.
pub fn free_ports(count: usize) -> io::Result<Vec<u16>> {
    const FIRST: u16 = 10_000;
    const RANGE: u16 = 22_000;
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Processes that run at the same time start at different ports.
    let start = u16::try_from(std::process::id().wrapping_mul(61) % u32::from(RANGE)).unwrap_or(0);
    let mut ports = Vec::new();
    for _ in 0..RANGE {
        let port = FIRST + (start + NEXT.fetch_add(1, Ordering::Relaxed) % RANGE) % RANGE;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            ports.push(port);
        }
        if ports.len() == count {
            return Ok(ports);
        }
    }
    Err(io::Error::other("there are no free ports"))
}

#[derive(Debug)]
pub(super) struct NatsServer {
    pub(super) ports: Ports,
    binary: PathBuf,
    folder: PathBuf,
    /// The network namespace in which it runs.
    namespace: Option<String>,
    child: Option<Child>,
}

impl NatsServer {
    pub(super) fn start(
        options: &NatsOptions,
        folder: &Path,
        all: &[Ports],
        index: usize,
    ) -> io::Result<Self> {
        let folder = folder.join(format!("n{index}"));
        fs::create_dir_all(&folder)?;
        let path = folder.join("nats.conf");
        fs::write(&path, configuration(options, &folder, all, index))?;
        // The configuration survives a power cut.
        fs::File::open(path)?.sync_all()?;
        fs::File::open(&folder)?.sync_all()?;
        let mut server = Self {
            ports: all[index].clone(),
            binary: options.binary.clone(),
            folder,
            namespace: options.hosts.get(index).map(|(name, _)| name.clone()),
            child: None,
        };
        server.restart()?;
        Ok(server)
    }

    pub(super) fn restart(&mut self) -> io::Result<()> {
        self.kill();
        // The server ends with the test, also if the test is killed.
        let mut command = match &self.namespace {
            None => Command::new("setpriv"),
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace, "setpriv"]);
                command
            }
        };
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(&self.binary)
            .arg("--config")
            .arg(self.folder.join("nats.conf"))
            .arg("--log")
            .arg(self.folder.join("log"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.child = Some(spawn(command)?);
        Ok(())
    }

    pub(super) fn url(&self) -> String {
        format!("nats://{}:{}", self.ports.address, self.ports.client)
    }

    pub(super) fn system_url(&self) -> String {
        let Ports {
            address, client, ..
        } = self.ports;
        format!("nats://system:system@{address}:{client}")
    }

    pub(super) fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub(super) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It fails only if the process has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        let pid = self
            .pid()
            .and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
        let pid = pid.ok_or_else(|| io::Error::other("the server does not run"))?;
        Ok(kill_process(pid, signal)?)
    }

    pub(super) fn check_healthy(&self, servers: usize) -> io::Result<()> {
        let failed = |reason: String| {
            let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            let tail: Vec<&str> = log.lines().rev().take(5).collect();
            io::Error::other(format!("{reason}; the log ends with {tail:#?}"))
        };
        let health = get_json(&self.ports, "/healthz");
        let (status, health) = health.map_err(|error| failed(error.to_string()))?;
        if status != 200 {
            return Err(failed(health.to_string()));
        }
        let (_, jsz) = get_json(&self.ports, "/jsz")?;
        let cluster = &jsz["meta_cluster"];
        if servers > 1 && cluster["leader"].as_str().is_none_or(str::is_empty) {
            return Err(failed(format!("no leader: {cluster}")));
        }
        Ok(())
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

fn configuration(options: &NatsOptions, folder: &Path, all: &[Ports], index: usize) -> String {
    let ports = &all[index];
    let address = ports.address;
    let sync = if options.is_synced {
        "sync_interval: always"
    } else {
        ""
    };
    let mut text = format!(
        "server_name: n{index}
listen: \"{address}:{}\"
http: \"{address}:{}\"
jetstream {{
  store_dir: \"{}\"
  {sync}
}}
accounts {{
  SYS {{ users: [{{ user: system, password: system }}] }}
  APP {{ jetstream: enabled, users: [{{ user: app, password: app }}] }}
}}
system_account: SYS
no_auth_user: app
{}
",
        ports.client,
        ports.monitoring,
        folder.display(),
        options.settings
    );
    if all.len() > 1 {
        let routes: Vec<String> = all
            .iter()
            .map(|other| format!("\"nats://{}:{}\"", other.address, other.route))
            .collect();
        // Clients use the addresses that they are given, which may be those of proxies. Writing to
        // a string does not fail.
        let _ = writeln!(
            text,
            "cluster {{ name: test, no_advertise: true, listen: \"{address}:{}\", routes: [{}] }}",
            ports.route,
            routes.join(", ")
        );
    }
    text
}

/// Starts a process from a thread that never ends: the kernel sends the death signal when the
/// thread ends that started the process.
fn spawn(command: Command) -> io::Result<Child> {
    type Request = (Command, mpsc::Sender<io::Result<Child>>);
    static SPAWNER: OnceLock<mpsc::Sender<Request>> = OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (sender, requests) = mpsc::channel::<Request>();
        std::thread::spawn(move || {
            for (mut command, reply) in requests {
                // The requester waits for the reply.
                let _ = reply.send(command.spawn());
            }
        });
        sender
    });
    let (reply, spawned) = mpsc::channel();
    let ended = |_| io::Error::other("the thread that starts processes has ended");
    spawner
        .send((command, reply))
        .map_err(|_| ended(mpsc::RecvError))?;
    spawned.recv().map_err(ended)?
}

/// Requests a path of a monitoring port. Returns the status and the body.
pub(super) fn get_json(ports: &Ports, path: &str) -> io::Result<(u16, Value)> {
    let address = SocketAddr::from((ports.address, ports.monitoring));
    // A server that is cut off does not refuse connections.
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
    // A paused server accepts connections and does not respond.
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response
        .split_once("\r\n\r\n")
        .ok_or_else(|| io::Error::other("the response has no body"))?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Ok((status.unwrap_or(0), serde_json::from_str(body)?))
}
