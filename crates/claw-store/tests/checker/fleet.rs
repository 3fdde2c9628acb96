//! The processes of a run.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;

use crate::check::{Counts, Violation, check, explain};
use crate::history::{Call, History, Nanos, Operation, Outcome, Recorder, Reply};
use crate::process::{Engine, Process, Task};
use crate::run::{JUDGE, create_sessions, settle};
use crate::workload::owner::node;
use crate::workload::{LeasePlan, Plan};

/// Keeps the histories also of runs without violations, if set.
const KEEP: &str = "CLAW_CHECKER_KEEP";

/// The processes of a run and their histories.
pub(crate) struct Fleet {
    engine: Engine,
    pub(crate) plan: Plan,
    pub(crate) judge: Arc<Recorder>,
    folder: TempDir,
    next: u64,
    files: Vec<PathBuf>,
    pub(crate) processes: Vec<Process>,
}

/// What a run showed.
pub(crate) struct Verdict {
    pub(crate) history: History,
    pub(crate) violations: Vec<Violation>,
    pub(crate) counts: Counts,
}

impl Verdict {
    /// Returns how often a process opened the store.
    pub(crate) fn opened(&self) -> usize {
        let all = self.history.operations.iter();
        let is_open = |operation: &&Operation| {
            matches!(operation.call, Call::OpenStore) && matches!(operation.outcome, Outcome::Ok(_))
        };
        all.filter(is_open).count()
    }

    /// Returns the longest time in a period in which no append was acknowledged, in seconds.
    pub(crate) fn stall(&self, period: Range<Nanos>) -> f64 {
        let acked = self.history.operations.iter().filter_map(|operation| {
            let is_acked = matches!(operation.call, Call::Append { .. })
                && matches!(operation.outcome, Outcome::Ok(_));
            operation.end.filter(|end| is_acked && period.contains(end))
        });
        let mut times: Vec<Nanos> = acked.chain([period.start, period.end]).collect();
        times.sort_unstable();
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        gaps.max().unwrap_or(0) as f64 / 1e9
    }

    /// Returns how long the slowest append took that was acknowledged in a period, in seconds.
    pub(crate) fn slowest_append(&self, period: Range<Nanos>) -> f64 {
        let times = self.history.operations.iter().filter_map(|operation| {
            let is_acked = matches!(operation.call, Call::Append { .. })
                && matches!(operation.outcome, Outcome::Ok(_));
            let end = operation
                .end
                .filter(|end| is_acked && period.contains(end))?;
            Some(end - operation.start)
        });
        times.max().unwrap_or(0) as f64 / 1e9
    }

    /// # Panics
    /// If there are violations.
    pub(crate) fn assert_clean(&self, context: &str) {
        let text = || explain(&self.history, &self.violations);
        assert!(self.violations.is_empty(), "{context}: {}", text());
    }
}

impl Fleet {
    /// Creates the sessions of a run. Afterwards only its processes have the store open.
    pub(crate) async fn new(engine: Engine, plan: Plan) -> Self {
        create_sessions(&engine.open().await.unwrap(), &plan).await;
        Self {
            engine,
            plan,
            judge: Arc::new(Recorder::new(JUDGE)),
            folder: tempfile::tempdir().unwrap(),
            next: JUDGE + 1,
            files: Vec::new(),
            processes: Vec::new(),
        }
    }

    /// Starts a process, and does not wait for it. Returns its index.
    pub(crate) fn start(&mut self, lease: Option<LeasePlan>, namespace: Option<&str>) -> usize {
        let number = self.next;
        self.next += 1;
        let history = self.folder.path().join(format!("{number}.jsonl"));
        self.files.push(history.clone());
        let task = Task {
            number,
            engine: self.engine.clone(),
            plan: Plan {
                lease,
                ..self.plan.clone()
            },
            history,
        };
        self.processes.push(Process::start(&task, namespace));
        self.processes.len() - 1
    }

    /// Starts processes and waits until their workers run.
    pub(crate) async fn start_all(&mut self, count: usize) {
        let first = self.processes.len();
        for _ in 0..count {
            self.start(None, None);
        }
        for process in &mut self.processes[first..] {
            process.wait_for("started").await;
        }
    }

    /// Kills a process. Those behind it move up.
    pub(crate) fn kill(&mut self, index: usize) {
        let process = self.processes.remove(index);
        self.begin_fault(&process, "kill");
        drop(process);
    }

    /// Records that a fault of a process begins. Returns the fault, for [`Fleet::end_fault`].
    pub(crate) fn begin_fault(&self, process: &Process, kind: &str) -> u64 {
        let node = node(process.number).node.to_string();
        let kind = kind.to_owned();
        self.judge.begin("nemesis", Call::Fault { node, kind })
    }

    /// Pauses a process. Returns the fault, for [`Fleet::resume`].
    pub(crate) fn pause(&self, index: usize) -> u64 {
        let fault = self.begin_fault(&self.processes[index], "pause");
        self.processes[index].pause();
        fault
    }

    pub(crate) fn resume(&self, index: usize, fault: u64) {
        self.processes[index].resume();
        self.end_fault(fault);
    }

    pub(crate) fn end_fault(&self, fault: u64) {
        self.judge.end(fault, Outcome::Ok(Reply::Done));
    }

    /// Ends the processes, reads the state of all sessions and checks it.
    pub(crate) async fn finish(mut self) -> Verdict {
        self.request("settle", "settled").await;
        let history = History::read([&self.judge], &self.files);
        let store = self.engine.open().await.unwrap();
        let finals = settle(&store, &self.plan, &self.judge, &history).await;
        self.request("finish", "finished").await;
        let history = History::read([&self.judge], &self.files);
        let violations = check(&history, &finals);
        if !violations.is_empty() || std::env::var_os(KEEP).is_some() {
            let kept = self.folder.keep();
            eprintln!("the histories of the processes are in {}", kept.display());
        }
        Verdict {
            violations,
            counts: Counts::of(&history),
            history,
        }
    }

    async fn request(&mut self, request: &str, report: &str) {
        for process in &mut self.processes {
            process.request(request);
        }
        for process in &mut self.processes {
            process.wait_for(report).await;
        }
    }
}
