//! What workers called, got and received, and when.
//!
//! Times are those of the monotonic clock of the machine, which all processes share: an operation
//! that ended before another one began also precedes it in the order of the store.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};

/// Nanoseconds of the monotonic clock.
pub(crate) type Nanos = u64;
/// Identifies the body of an event, a command, an interaction or an answer. Zero if it is damaged.
pub(crate) type Id = u64;
/// The index of a session in its run.
pub(crate) type Session = u32;

pub(crate) fn now() -> Nanos {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// An event as a reader or a follower got it.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) sequence: u64,
    pub(crate) epoch: u64,
    pub(crate) id: Id,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            sequence,
            epoch,
            id,
        } = self;
        write!(f, "event {sequence} of epoch {epoch} ({id})")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Call {
    OpenStore,
    Claim {
        session: Session,
        node: String,
        incarnation: u64,
        is_takeover: bool,
    },
    Append {
        session: Session,
        epoch: u64,
        expected: u64,
        ids: Vec<Id>,
        applied: Option<u64>,
    },
    Read {
        session: Session,
        after: u64,
        limit: usize,
    },
    /// A read with the name of another tenant.
    ReadForeign {
        session: Session,
    },
    Follow {
        session: Session,
        after: u64,
    },
    Submit {
        session: Session,
        command: Id,
    },
    /// The inbox of a claim, which has applied the commands up to a position.
    Receive {
        session: Session,
        epoch: u64,
        applied: u64,
    },
    OpenInteraction {
        session: Session,
        interaction: Id,
    },
    Answer {
        session: Session,
        interaction: Id,
        answer: Id,
    },
    CloseInteraction {
        session: Session,
        interaction: Id,
    },
    /// The lease of a node while its process lives.
    Lease {
        node: String,
        incarnation: u64,
        term_ms: u64,
    },
    /// The sessions that need an owner, according to a node.
    Orphans {
        node: String,
    },
    /// A fault of the process of a node, from its begin to its end.
    Fault {
        node: String,
        kind: String,
    },
}

impl Call {
    pub(crate) fn session(&self) -> Option<Session> {
        match self {
            Self::Claim { session, .. }
            | Self::Append { session, .. }
            | Self::Read { session, .. }
            | Self::ReadForeign { session }
            | Self::Follow { session, .. }
            | Self::Submit { session, .. }
            | Self::Receive { session, .. }
            | Self::OpenInteraction { session, .. }
            | Self::Answer { session, .. }
            | Self::CloseInteraction { session, .. } => Some(*session),
            _ => None,
        }
    }
}

/// Whether an interaction is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum State {
    Pending,
    Answered(Id),
    Closed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Done,
    Claimed { epoch: u64, last: u64, applied: u64 },
    Appended { last: u64 },
    Events(Vec<Seen>),
    Submitted { position: u64, is_repeat: bool },
    Won,
    Lost(Id),
    State(State),
}

/// What a stream delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Item {
    Event(Seen),
    Head(u64),
    Behind,
    Moved(u64),
    Command {
        position: u64,
        command: Id,
    },
    /// The follower has not received this event in time, which is stored.
    Stuck(u64),
    Orphan(Session),
    /// The state of a lease, evaluated between the time of the record and this one.
    Lease(Health, Nanos),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Health {
    Live,
    Doubt,
    Dead,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Ok(Reply),
    /// The call had no effect.
    Failed(String),
    /// The call may have had its effect, or may have it later.
    Unknown(String),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum What {
    Invoke { worker: String, call: Call },
    Item(Item),
    End(Outcome),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Record {
    at: Nanos,
    op: u64,
    what: What,
}

enum Sink {
    Memory(Mutex<Vec<Record>>),
    /// A line for each record, written at once: a killed process loses at most the last one.
    File(Mutex<File>),
}

/// Records the operations of a process.
pub(crate) struct Recorder {
    process: u64,
    ops: AtomicU64,
    ids: AtomicU64,
    sink: Sink,
}

impl Recorder {
    /// `process` is below 2^16 and unique in a run.
    pub(crate) fn new(process: u64) -> Self {
        Self::with_sink(process, Sink::Memory(Mutex::default()))
    }

    pub(crate) fn to_file(process: u64, path: &Path) -> std::io::Result<Self> {
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Self::with_sink(process, Sink::File(Mutex::new(file))))
    }

    fn with_sink(process: u64, sink: Sink) -> Self {
        let ids = AtomicU64::new(1);
        let ops = AtomicU64::new(0);
        Self {
            process,
            ops,
            ids,
            sink,
        }
    }

    pub(crate) fn process(&self) -> u64 {
        self.process
    }

    /// Returns an unused id.
    pub(crate) fn id(&self) -> Id {
        self.process << 40 | self.ids.fetch_add(1, Ordering::Relaxed)
    }

    /// Records that a call begins. Returns the number of the operation.
    pub(crate) fn begin(&self, worker: &str, call: Call) -> u64 {
        let op = self.process << 40 | self.ops.fetch_add(1, Ordering::Relaxed);
        let worker = format!("{}.{worker}", self.process);
        self.write(now(), op, What::Invoke { worker, call });
        op
    }

    pub(crate) fn end(&self, op: u64, outcome: Outcome) {
        self.write(now(), op, What::End(outcome));
    }

    pub(crate) fn item(&self, op: u64, item: Item) {
        self.item_at(now(), op, item);
    }

    pub(crate) fn item_at(&self, at: Nanos, op: u64, item: Item) {
        self.write(at, op, What::Item(item));
    }

    fn write(&self, at: Nanos, op: u64, what: What) {
        let record = Record { at, op, what };
        match &self.sink {
            Sink::Memory(records) => records.lock().unwrap().push(record),
            Sink::File(file) => {
                let mut line = serde_json::to_vec(&record).unwrap();
                line.push(b'\n');
                file.lock().unwrap().write_all(&line).unwrap();
            }
        }
    }
}

/// A call, its outcome and what its stream delivered.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) worker: String,
    pub(crate) call: Call,
    pub(crate) start: Nanos,
    /// `None` if the worker was killed, or has not ended it.
    pub(crate) end: Option<Nanos>,
    pub(crate) outcome: Outcome,
    pub(crate) items: Vec<(Nanos, Item)>,
}

/// The operations of all processes, in the order in which they began.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    pub(crate) operations: Vec<Operation>,
}

impl History {
    /// Merges the records in memory and in files.
    pub(crate) fn read<'a>(
        recorders: impl IntoIterator<Item = &'a Arc<Recorder>>,
        files: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Self {
        let mut history = Self::default();
        for recorder in recorders {
            if let Sink::Memory(records) = &recorder.sink {
                history.extend(records.lock().unwrap().iter().cloned());
            }
        }
        for path in files {
            // A process that was killed before its first record has no file.
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let records = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            history.extend(records);
        }
        history.operations.sort_by_key(|operation| operation.start);
        history
    }

    fn extend(&mut self, records: impl Iterator<Item = Record>) {
        let mut indexes = HashMap::new();
        for Record { at, op, what } in records {
            if let What::Invoke { worker, call } = what {
                indexes.insert(op, self.operations.len());
                self.operations.push(Operation {
                    worker,
                    call,
                    start: at,
                    end: None,
                    outcome: Outcome::Unknown("no result".to_owned()),
                    items: Vec::new(),
                });
                continue;
            }
            let operation = &mut self.operations[indexes[&op]];
            match what {
                What::Item(item) => operation.items.push((at, item)),
                What::End(outcome) => {
                    operation.end = Some(at);
                    operation.outcome = outcome;
                }
                What::Invoke { .. } => unreachable!("handled above"),
            }
        }
    }

    pub(crate) fn session(&self, session: Session) -> impl Iterator<Item = &Operation> {
        let all = self.operations.iter();
        all.filter(move |operation| operation.call.session() == Some(session))
    }
}
