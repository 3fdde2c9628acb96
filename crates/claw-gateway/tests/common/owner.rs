//! A process that owns a session until it is killed. It is the test binary again, which runs one
//! test, and prints every operation as soon as it is acknowledged.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use claw_server::grants::Grant;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// What the process is to do, as JSON.
const SETUP: &str = "CLAW_TEST_OWNER";
/// Begins the lines that are operations.
const MARK: char = '@';
/// Only ends a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An operation that was acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Done {
    /// The session was opened.
    Opened { epoch: u64 },
    /// An input was accepted.
    Input { key: String, id: String },
    /// An answer was accepted.
    Answer { call: String, key: String },
    /// A grant was stored.
    Granted(Grant),
    /// A grant is about to be removed. Nothing is promised about it.
    Revoking(Grant),
    /// A grant was removed.
    Revoked(Grant),
    /// A gateway listens at this address.
    Listening { address: SocketAddr },
    /// The CLI has received a prompt. Nothing is promised about it.
    Prompted { id: String },
}

/// In the process: what it is to do. `None` if this is a usual run of the tests. The process ends
/// with the one that has started it.
pub(crate) fn setup<T: DeserializeOwned>() -> Option<T> {
    let setup = std::env::var(SETUP).ok()?;
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    Some(serde_json::from_str(&setup).unwrap())
}

/// In the process: prints an operation.
pub(crate) fn report(done: &Done) {
    let line = format!("{MARK}{}\n", serde_json::to_string(done).unwrap());
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The process, seen from the one that kills it.
pub(crate) struct Owner {
    child: Child,
    operations: Receiver<Done>,
    seen: Vec<Done>,
}

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Point {
    /// So long after its start.
    Time(Duration),
    /// So long after so many operations.
    Operations(usize, Duration),
}

impl Owner {
    /// Starts the process, which runs this test.
    pub(crate) fn start(test: &str, setup: &impl Serialize) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(SETUP, serde_json::to_string(setup).unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, operations) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // The last line may be cut.
                let done = line.strip_prefix(MARK).map(serde_json::from_str);
                if let Some(Ok(done)) = done {
                    let _ = sender.send(done);
                }
            }
        });
        Self {
            child,
            operations,
            seen: Vec::new(),
        }
    }

    /// Returns the next operation that is acknowledged.
    pub(crate) fn next(&mut self) -> Done {
        let next = self.operations.recv_timeout(TIMEOUT);
        let next = next.unwrap_or_else(|error| panic!("{error}, after {:?}", self.seen));
        self.seen.push(next.clone());
        next
    }

    /// Kills the process at a point. Returns the operations that were acknowledged before.
    pub(crate) fn kill(mut self, point: Point) -> Vec<Done> {
        let deadline = Instant::now() + TIMEOUT;
        let delay = match point {
            Point::Time(delay) => delay,
            Point::Operations(count, delay) => {
                while self.seen.len() < count {
                    let left = deadline.saturating_duration_since(Instant::now());
                    match self.operations.recv_timeout(left) {
                        Ok(done) => self.seen.push(done),
                        Err(error) => panic!("{count} operations: {error}, after {:?}", self.seen),
                    }
                }
                delay
            }
        };
        std::thread::sleep(delay);
        let ended = self.child.try_wait().unwrap();
        assert!(ended.is_none(), "the owner ended by itself: {ended:?}");
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // The channel ends with the pipe.
        let rest = self.operations.iter();
        self.seen.extend(rest);
        std::mem::take(&mut self.seen)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
