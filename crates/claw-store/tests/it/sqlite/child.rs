//! A process that appends until it is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use claw_store::contract::numbered_body;
use claw_store::{
    Batch, ClaimReason, Directory as _, Log as _, NodeId, NodeRef, SessionId, SessionKey,
    SqliteOptions, SqliteStore, StoreError, TenantId,
};

/// The database, the tenant, the session, and how many events are appended.
const TASK: [&str; 4] = [
    "STORE_PATH",
    "STORE_TENANT",
    "STORE_SESSION",
    "STORE_EVENTS",
];

/// Appends events with the numbered bodies of their sequences, and prints a line for each of them
/// after it was acknowledged. Ends when the session has another owner.
#[tokio::test]
#[ignore = "other tests start it as a process"]
async fn append_events() {
    let [path, tenant, session, events] = TASK.map(|name| std::env::var(name).unwrap());
    let (tenant, session) = (TenantId::new(&tenant), SessionId::new(&session));
    let key = SessionKey::new(tenant.unwrap(), session.unwrap());
    let store = SqliteStore::open(path, SqliteOptions::default()).await;
    let store = store.unwrap();
    let node = NodeRef {
        node: NodeId::new("child").unwrap(),
        incarnation: u64::from(std::process::id()),
    };
    let claim = store.claim(&key, &node, ClaimReason::Takeover).await;
    let claim = claim.unwrap();
    let mut last = claim.last();
    for _ in 0..events.parse::<u64>().unwrap() {
        let batch = Batch::from(vec![numbered_body(last + 1)]);
        match store.append(&claim, last, &batch).await {
            Ok(appended) => last = appended.last,
            Err(StoreError::Fenced { .. }) => break,
            Err(StoreError::Unavailable { .. }) => continue,
            Err(error) => panic!("{error}"),
        }
        let line = format!("ack {last} {}\n", claim.epoch());
        std::io::stdout().write_all(line.as_bytes()).unwrap();
        // The writer copies the log into the database when it is idle.
        if last % 300 == 0 {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    // Nothing is closed, as after a kill.
    std::process::exit(0);
}

/// Returns a command that starts the process. `program` runs it, if it is not empty.
pub(super) fn command(program: &[&str], path: &Path, key: &SessionKey, events: u64) -> Command {
    let test = std::env::current_exe().unwrap();
    let mut words = program.iter().map(std::ffi::OsStr::new);
    let mut command = Command::new(words.next().unwrap_or(test.as_os_str()));
    command.args(words);
    if !program.is_empty() {
        command.arg(&test);
    }
    command.args(["--exact", "sqlite::child::append_events"]);
    command.args(["--ignored", "--nocapture", "--quiet"]);
    let values = [
        path.as_os_str(),
        key.tenant.as_str().as_ref(),
        key.session.as_str().as_ref(),
    ];
    command.envs(TASK.into_iter().zip(values));
    command.env(TASK[3], events.to_string());
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

/// The acknowledgments of a process: the sequences and the epochs.
pub(super) struct Acks {
    pub(super) child: Child,
    lines: Box<dyn Iterator<Item = std::io::Result<String>> + Send>,
}

impl Acks {
    pub(super) fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let lines = Box::new(lines);
        Self { child, lines }
    }
}

impl Iterator for Acks {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        loop {
            if let Some(ack) = parse(&self.lines.next()?.unwrap()) {
                return Some(ack);
            }
        }
    }
}

impl Drop for Acks {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Parses a line of the process.
pub(super) fn parse(line: &str) -> Option<(u64, u64)> {
    // The test runner may have written to the line before.
    let (_, numbers) = line.split_once("ack ")?;
    let (sequence, epoch) = numbers.trim_end().split_once(' ')?;
    Some((sequence.parse().ok()?, epoch.parse().ok()?))
}
