//! The last known progress of each subject.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::limits::{OPEN, READ, REMEMBERED, TASKS, TOLD, shorten};
use crate::event::{Amount, ProgressSource, ProgressUpdate, Regression, WorkKind, is_over};
use crate::ui_message::TaskStatus;

/// Minimum time between two events for a rate.
const BASIS_MS: i64 = 1000;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Subjects {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    known: BTreeMap<String, Known>,
    /// The number of updates; orders subjects by their last update.
    #[serde(default)]
    count: u64,
    /// The number of turns that ended.
    #[serde(default)]
    turns: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    last: ProgressUpdate,
    /// The first position of the run, from which the rate is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    basis: Option<Basis>,
    turn: u64,
    heard: u64,
    /// Its call or subagent ended, so no update is expected, whatever its last state.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_settled: bool,
}

impl Known {
    /// The class in which it may be evicted; `None` if it is never evicted.
    fn lot(&self, key: &str) -> Option<Lot> {
        if comes_again(key) {
            None
        } else if self.last.is_over() && self.last.source == ProgressSource::TaskEvent {
            Some(Lot::Task)
        } else if self.is_settled && is_told(&self.last) {
            Some(Lot::Told)
        } else if self.is_settled || self.last.is_over() {
            Some(Lot::Over)
        } else if is_read(&self.last.source) {
            Some(Lot::Read)
        } else {
            Some(Lot::Open)
        }
    }
}

/// Whether it is a text or a list of a subagent, and not one of its calls or hooks, which never
/// recur.
fn is_told(update: &ProgressUpdate) -> bool {
    let subject = &update.subject;
    !update.lane.is_main() && (!subject.contains('/') || subject.starts_with("said/"))
}

/// Classes of subjects, each with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lot {
    Over,
    /// Ended tasks; a subagent may be resumed.
    Task,
    /// Texts and lists of ended subagents, which may be resumed.
    Told,
    /// Subjects parsed from text, with no known end.
    Read,
    /// Subjects that run according to the CLI.
    Open,
}

impl Lot {
    fn most(self) -> usize {
        match self {
            Self::Over => REMEMBERED,
            Self::Task => TASKS,
            Self::Told => TOLD,
            Self::Read => READ,
            Self::Open => OPEN,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Basis {
    at_ms: i64,
    position: Amount,
    whole: Whole,
}

/// What a position is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Whole {
    Total,
    Hundred,
}

impl Subjects {
    pub(super) fn has_open(&self) -> bool {
        self.open().next().is_some()
    }

    /// The last updates of open subjects.
    pub(super) fn open(&self) -> impl Iterator<Item = &ProgressUpdate> {
        let all = self.known.values().map(|known| &known.last);
        all.filter(|last| !last.is_over())
    }

    pub(super) fn last(&self, lane: &str, subject: &str) -> Option<&ProgressUpdate> {
        self.known.get(&key(lane, subject)).map(|known| &known.last)
    }

    pub(super) fn turn_ended(&mut self) {
        self.turns += 1;
    }

    pub(super) fn turns(&self) -> u64 {
        self.turns
    }

    /// Records an update. Returns it with unchanged values of the previous update, a rate, and a
    /// reason if it goes back; or `None` if nothing changed. `why` is the reason given by the
    /// source; without one, a reason is inferred.
    pub(super) fn take(
        &mut self,
        at_ms: i64,
        mut update: ProgressUpdate,
        why: Option<Regression>,
    ) -> Option<ProgressUpdate> {
        let lane = &mut update.lane.name;
        let words = [lane, &mut update.label, &mut update.detail];
        words.into_iter().flatten().for_each(shorten);
        if update.detail == update.label {
            update.detail = None;
        }
        let key = key(update.lane.id(), &update.subject);
        let known = self.known.get(&key);
        let is_new = known.is_none();
        let mut basis = None;
        if let Some(known) = known {
            keep(&known.last, &mut update);
            if update == known.last {
                return None;
            }
            let is_behind = is_behind(&known.last, &update);
            let same_turn = known.turn == self.turns;
            if is_behind {
                let why = why.unwrap_or_else(|| reason(&known.last, &update, same_turn));
                update.regression = Some(why);
            }
            let goes_on =
                update.regression.is_none() || update.regression == Some(Regression::ListGrew);
            basis = known.basis.filter(|_| goes_on && same_turn);
        }
        let here = position(&update).map(|(position, whole)| Basis {
            at_ms,
            position,
            whole,
        });
        let basis = basis
            .filter(|basis| here.is_some_and(|here| here.whole == basis.whole))
            .or(here);
        let mut last = update.clone();
        last.regression = None;
        self.count += 1;
        self.known.insert(
            key,
            Known {
                last,
                basis,
                turn: self.turns,
                heard: self.count,
                is_settled: false,
            },
        );
        if let (Some(basis), Some(here)) = (basis, here) {
            estimate(basis, here, &mut update);
        }
        if is_new || update.is_over() {
            self.forget();
        }
        Some(update)
    }

    /// Settles a subject whose call or task ended: no more updates are expected. Its last state is
    /// kept.
    pub(super) fn settle(&mut self, lane: &str, subject: &str) {
        if let Some(known) = self.known.get_mut(&key(lane, subject)) {
            known.is_settled = true;
        }
        self.forget();
    }

    pub(super) fn settle_subject(&mut self, subject: &str) {
        self.settle_all(|last| last.subject == subject);
    }

    pub(super) fn settle_lane(&mut self, lane: &str) {
        self.settle_all(|last| last.lane.id() == lane);
    }

    /// Settles command output and the subjects of subagents, because the process ended.
    pub(super) fn process_ended(&mut self) {
        self.settle_all(|last| !last.lane.is_main() || last.source == ProgressSource::ToolOutput);
        self.turn_ended();
    }

    fn settle_all(&mut self, is_settled: impl Fn(&ProgressUpdate) -> bool) {
        for known in self.known.values_mut() {
            known.is_settled |= is_settled(&known.last);
        }
        self.forget();
    }

    pub(super) fn end(
        &mut self,
        at_ms: i64,
        state: &TaskStatus,
        ends: impl Fn(&ProgressUpdate) -> bool,
        updates: &mut Vec<ProgressUpdate>,
    ) {
        let ended: Vec<ProgressUpdate> = self
            .open()
            .filter(|last| ends(last))
            .map(|last| last.clone().state(state.clone()))
            .collect();
        for update in ended {
            updates.extend(self.take(at_ms, update, None));
        }
    }

    /// Evicts the least recently updated subjects of each class above its limit.
    fn forget(&mut self) {
        if self.known.len() <= REMEMBERED {
            return;
        }
        let mut heard: [Vec<u64>; 5] = Default::default();
        for (key, known) in &self.known {
            if let Some(lot) = known.lot(key) {
                heard[lot as usize].push(known.heard);
            }
        }
        let mut gone = Vec::new();
        for lot in [Lot::Over, Lot::Task, Lot::Told, Lot::Read, Lot::Open] {
            let heard = &mut heard[lot as usize];
            if let Some(beyond) = heard.len().checked_sub(lot.most())
                && beyond > 0
            {
                heard.sort_unstable();
                gone.extend_from_slice(&heard[..beyond]);
            }
        }
        if !gone.is_empty() {
            self.known.retain(|_, known| !gone.contains(&known.heard));
        }
    }
}

fn is_read(source: &ProgressSource) -> bool {
    matches!(source, ProgressSource::Prose | ProgressSource::ToolOutput)
}

/// Whether a subject recurs: its name is fixed for the session. Subjects named after a call or a
/// task and those of subagents do not recur.
fn comes_again(key: &str) -> bool {
    let subject = key.strip_prefix("main ");
    subject.is_some_and(|subject| {
        !subject.contains('/') || subject.starts_with("limit/") || subject.starts_with("said/")
    })
}

fn key(lane: &str, subject: &str) -> String {
    format!("{lane} {subject}")
}

/// Fills in missing values from the previous update; after a new run began, only label and lane.
fn keep(last: &ProgressUpdate, update: &mut ProgressUpdate) {
    if update.label.is_none() {
        update.label.clone_from(&last.label);
    }
    if update.detail == update.label {
        update.detail = None;
    }
    // A task has more details of its lane than messages have.
    if update.lane.task_id.is_none() && update.lane.id() == last.lane.id() {
        update.lane.task_id.clone_from(&last.lane.task_id);
    }
    if update.lane.name.is_none() {
        update.lane.name.clone_from(&last.lane.name);
    }
    if last.is_over() && !update.is_over() {
        return;
    }
    if update.detail.is_none() {
        update.detail.clone_from(&last.detail);
    }
    if update.done.is_none() && update.total.is_none() && update.percent.is_none() {
        (update.done, update.total, update.percent) = (last.done, last.total, last.percent);
    }
    update.tool_uses = update.tool_uses.or(last.tool_uses);
    update.elapsed_ms = update.elapsed_ms.or(last.elapsed_ms);
}

/// Whether progress went back. Elapsed time does not count: each source measures it differently.
fn is_behind(last: &ProgressUpdate, update: &ProgressUpdate) -> bool {
    let less = |before: Option<Amount>, now: Option<Amount>| {
        before.zip(now).is_some_and(|(before, now)| now < before)
    };
    let fewer = |before: Option<u64>, now: Option<u64>| {
        before.zip(now).is_some_and(|(before, now)| now < before)
    };
    (last.is_over() && !is_over(&update.state))
        || less(last.percent, update.percent)
        || less(last.done, update.done)
        || fewer(last.tool_uses, update.tool_uses)
}

fn reason(last: &ProgressUpdate, update: &ProgressUpdate, same_turn: bool) -> Regression {
    if last.source != update.source {
        Regression::SourceChanged
    } else if last.is_over() {
        Regression::NewRun
    } else if !same_turn {
        Regression::TurnEnded
    } else if update.source == ProgressSource::RateLimit {
        Regression::Renewed
    } else if update.done.is_none() && update.percent.is_none() {
        // The source reported fewer tool uses.
        Regression::Corrected
    } else if last.total < update.total && last.done <= update.done {
        Regression::ListGrew
    } else if last.total == update.total {
        Regression::Restarted
    } else {
        Regression::NewRun
    }
}

fn position(update: &ProgressUpdate) -> Option<(Amount, Whole)> {
    if matches!(update.kind, WorkKind::Limit | WorkKind::Retry) {
        return None;
    }
    match (update.done, update.total, update.percent) {
        (Some(done), Some(_), _) => Some((done, Whole::Total)),
        (_, _, Some(percent)) => Some((percent, Whole::Hundred)),
        _ => None,
    }
}

/// Computes the rate and the remaining time from the times of the events.
fn estimate(basis: Basis, here: Basis, update: &mut ProgressUpdate) {
    let passed = here.at_ms.saturating_sub(basis.at_ms);
    let moved = here.position.get() - basis.position.get();
    let whole = match here.whole {
        Whole::Total => update.total.map_or(0.0, Amount::get),
        Whole::Hundred => 100.0,
    };
    let left = whole - here.position.get();
    if update.state != TaskStatus::Running || passed < BASIS_MS || moved <= 0.0 || left <= 0.0 {
        return;
    }
    let per_ms = moved / passed as f64;
    update.per_minute = Amount::rounded(per_ms * 60_000.0);
    // Casts saturate.
    update.left_ms = Some((left / per_ms).round() as u64);
}
