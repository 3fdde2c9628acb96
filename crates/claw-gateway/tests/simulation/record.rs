//! What is observed during a run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use claw_server::SessionId;
use serde_json::Value;
use tokio::time::Instant;

/// The observations of a run, which all parts share.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    begin: Instant,
    /// Whether the story is printed as it happens, to find a loop that does not end.
    is_traced: bool,
    record: Arc<Mutex<Record>>,
}

#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Violations that were found at once.
    pub(crate) wrong: Vec<String>,
    /// The story of the run, for people.
    pub(crate) story: Vec<String>,
    pub(crate) sessions: BTreeMap<SessionId, Observed>,
    /// The faults that were injected.
    pub(crate) faults: BTreeMap<&'static str, u64>,
}

/// What is observed of a session.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// The keys of the inputs that were acknowledged.
    pub(crate) accepted: Vec<String>,
    /// The highest epoch that was claimed, and the last event that was stored.
    pub(crate) epoch: u64,
    pub(crate) last: u64,
    /// The answers that were acknowledged, with their outcome.
    pub(crate) answers: Vec<GivenAnswer>,
    /// The cursors of clients, with the events that each has.
    pub(crate) cursors: Vec<Vec<Value>>,
    pub(crate) was_closed: bool,
    /// How many holders were killed.
    pub(crate) holders_killed: u64,
    pub(crate) agent: Agent,
}

/// An answer of a client.
#[derive(Debug, Clone)]
pub(crate) struct GivenAnswer {
    pub(crate) interaction: String,
    pub(crate) key: String,
    pub(crate) has_won: bool,
}

/// What the CLIs of a session did.
#[derive(Debug, Default)]
pub(crate) struct Agent {
    pub(crate) lives: Vec<Life>,
    /// The ids of the prompts whose turns began.
    pub(crate) prompts: Vec<String>,
    pub(crate) runs: Vec<Run>,
    /// The calls that have a result in the session file.
    pub(crate) results: BTreeSet<String>,
    /// The number of calls so far.
    pub(crate) calls: u64,
}

/// One process of the CLI.
#[derive(Debug, Default)]
pub(crate) struct Life {
    /// The ids of the messages that it printed.
    pub(crate) printed: Vec<String>,
    /// The ids of the prompts and responses that it received.
    pub(crate) received: Vec<String>,
    /// Whether its output may be lost: it was ended together with its holder.
    pub(crate) is_cut: bool,
}

/// A tool call that ran.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) call: String,
    pub(crate) input: Value,
    /// Whether a person was asked.
    pub(crate) was_asked: bool,
    /// The last event that was stored when it ran.
    pub(crate) after: u64,
}

impl Recorder {
    pub(crate) fn new() -> Self {
        let (begin, record) = (Instant::now(), Arc::default());
        let is_traced = std::env::var_os("TRACE").is_some();
        Self {
            begin,
            is_traced,
            record,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap()
    }

    /// Adds a line to the story.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        let at = self.begin.elapsed().as_secs_f64();
        let line = format!("{at:10.6} {}", text.as_ref());
        if self.is_traced {
            eprintln!("{line}");
        }
        self.lock().story.push(line);
    }

    pub(crate) fn fault(&self, name: &'static str) {
        *self.lock().faults.entry(name).or_default() += 1;
        self.note(format!("fault: {name}"));
    }

    pub(crate) fn wrong(&self, text: String) {
        self.note(format!("WRONG: {text}"));
        self.lock().wrong.push(text);
    }

    /// Changes what is observed of a session.
    pub(crate) fn of<T>(&self, session: SessionId, change: impl FnOnce(&mut Observed) -> T) -> T {
        change(self.lock().sessions.entry(session).or_default())
    }

    /// Changes the current life of the CLI of a session.
    pub(crate) fn life<T>(&self, session: SessionId, change: impl FnOnce(&mut Life) -> T) -> T {
        self.of(session, |observed| {
            let lives = &mut observed.agent.lives;
            if lives.is_empty() {
                lives.push(Life::default());
            }
            let at = lives.len() - 1;
            change(&mut lives[at])
        })
    }
}
