//! Workers in processes of their own, which can be killed, paused and cut off.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use claw_store::{JetStreamConfig, JetStreamStore, SqliteOptions, SqliteStore, Store};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::history::{Call, Outcome, Recorder, Reply};
use crate::workload::{Crew, Plan};

/// The environment variable with the task of a process.
const TASK: &str = "CLAW_CHECKER_TASK";
/// The beginning of the lines with which a process reports.
const REPORT: &str = "checker: ";
/// How long a process may take to start or to end. It only ends a hang.
const LIMIT: Duration = Duration::from_secs(180);

/// How a process opens the store.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Engine {
    Sqlite(PathBuf),
    /// The URLs of the servers, and those for the system account.
    JetStream(Vec<String>, Vec<String>),
}

impl Engine {
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, claw_store::OpenError> {
        match self {
            Self::Sqlite(path) => {
                let store = SqliteStore::open(path, SqliteOptions::default()).await?;
                Ok(Arc::new(store))
            }
            Self::JetStream(servers, system_servers) => {
                let mut config = JetStreamConfig::new(servers.clone());
                config.replicas = system_servers.len();
                config.system_servers = system_servers.clone();
                Ok(Arc::new(JetStreamStore::open(config).await?))
            }
        }
    }
}

/// What a process does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Unique in the run.
    pub(crate) number: u64,
    pub(crate) engine: Engine,
    pub(crate) plan: Plan,
    /// The file of its history.
    pub(crate) history: PathBuf,
}

/// Does a task: starts the workers, and ends them as the lines of the input request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "other tests start it as a process"]
async fn work() {
    let task: Task = serde_json::from_str(&std::env::var(TASK).unwrap()).unwrap();
    let recorder = Arc::new(Recorder::to_file(task.number, &task.history).unwrap());
    let op = recorder.begin("process", Call::OpenStore);
    let store = match task.engine.open().await {
        Ok(store) => store,
        Err(error) => {
            recorder.end(op, Outcome::Failed(error.to_string()));
            panic!("{error}");
        }
    };
    recorder.end(op, Outcome::Ok(Reply::Done));
    let mut crew = Crew::start(store, &task.plan, &recorder);
    report("started");
    let (sender, mut requests) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            // The receiver is there until the process ends.
            let _ = sender.send(line);
        }
    });
    while let Some(request) = requests.recv().await {
        match request.as_str() {
            "settle" => {
                crew.settle().await;
                report("settled");
            }
            "finish" => {
                crew.finish().await;
                report("finished");
                std::process::exit(0);
            }
            other => panic!("there is no request {other}"),
        }
    }
    // The process that started this one is gone.
    std::process::exit(1);
}

fn report(what: &str) {
    let line = format!("\n{REPORT}{what}\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// A process that is killed when this is dropped.
pub(crate) struct Process {
    pub(crate) number: u64,
    child: Child,
    stdin: Option<ChildStdin>,
    reports: mpsc::UnboundedReceiver<String>,
}

impl Process {
    /// Starts a process, in a network namespace if one is named.
    pub(crate) fn start(task: &Task, namespace: Option<&str>) -> Self {
        let mut command = match namespace {
            None => Command::new("setpriv"),
            Some(namespace) => {
                let mut command = Command::new("ip");
                command.args(["netns", "exec", namespace, "setpriv"]);
                command
            }
        };
        // It ends with the test, also if the test is killed.
        command
            .args(["--pdeathsig", "KILL", "--"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "process::work"])
            .args(["--ignored", "--nocapture", "--quiet"])
            .env(TASK, serde_json::to_string(task).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("setpriv and ip are installed");
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, reports) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if let Some(report) = line.strip_prefix(REPORT) {
                    // The test may not be interested any more.
                    let _ = sender.send(report.to_owned());
                }
            }
        });
        Self {
            number: task.number,
            stdin: child.stdin.take(),
            child,
            reports,
        }
    }

    pub(crate) fn request(&mut self, what: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        // If the process is gone, its report does not arrive.
        let _ = writeln!(stdin, "{what}");
    }

    pub(crate) async fn wait_for(&mut self, report: &str) {
        let number = self.number;
        let wait = async {
            while let Some(received) = self.reports.recv().await {
                if received == report {
                    return true;
                }
            }
            false
        };
        let waited = tokio::time::timeout(LIMIT, wait).await;
        let has_reported = waited.unwrap_or_else(|_| panic!("process {number} is not {report}"));
        assert!(
            has_reported,
            "process {number} ended before it was {report}"
        );
    }

    /// Stops the process, and waits until all its threads have stopped.
    pub(crate) fn pause(&self) {
        kill_process(self.pid(), Signal::STOP).unwrap();
        let status = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap();
        assert!(status.is_some_and(|(_, status)| status.stopped()));
    }

    pub(crate) fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).unwrap();
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed()).unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It fails only if the process has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
