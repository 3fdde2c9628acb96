//! What the log says, compared with the session file, the calls that ran, and the kills.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use claw_server::SessionEvent;
use claw_server::event::{Fact, Gap, TurnEnding};
use claw_testkit::real_cli::World;
use serde_json::Value;

use crate::processes::Role;
use crate::session::{Kill, RAN};

/// How much earlier than its start in the log a turn may have begun, in milliseconds: its first line
/// may be stored by the next gateway.
const EARLIER: i64 = 5_000;

#[derive(Debug, Default)]
pub(crate) struct Truth {
    pub(crate) gaps: usize,
    /// Messages that were read from the session file.
    pub(crate) recovered: u64,
    /// Calls that ran.
    pub(crate) calls: usize,
    /// Kills while the log has a turn that runs.
    pub(crate) in_turn: usize,
    /// How often a call waited without a process.
    pub(crate) parked: usize,
    pub(crate) faults: Vec<String>,
}

/// `lost` are the times of turns that ended with their process.
pub(crate) fn check(
    events: &[Arc<SessionEvent>],
    kills: &[Kill],
    lost: &[(i64, i64)],
    world: &World,
) -> Truth {
    let mut truth = Truth {
        parked: events.iter().filter(|event| is_parked(event)).count(),
        ..Truth::default()
    };
    truth.check_messages(events, world);
    truth.check_calls(events, world);
    truth.check_gaps(events, kills, lost);
    truth.check_lost(kills, lost);
    truth.in_turn = kills.iter().filter(|kill| is_in_turn(events, kill)).count();
    truth
}

fn is_parked(event: &SessionEvent) -> bool {
    use claw_server::event::LifecycleState::Parked;
    matches!(&event.fact, Fact::Lifecycle(now) if now.state == Parked)
}

fn is_in_turn(events: &[Arc<SessionEvent>], kill: &Kill) -> bool {
    let before = events.iter().filter(|event| event.at_ms <= kill.at_ms);
    let mut turns = before.filter_map(|event| match &event.fact {
        Fact::TurnStarted(_) => Some(true),
        Fact::TurnEnded(_) => Some(false),
        _ => None,
    });
    turns.next_back().unwrap_or_default()
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// The blocks of a message that are of a type.
fn blocks<'a>(line: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = line["message"]["content"].as_array().into_iter().flatten();
    content.filter(move |block| block["type"] == kind)
}

impl Truth {
    fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    /// No message is in the log twice, and all messages of the session file are in it.
    fn check_messages(&mut self, events: &[Arc<SessionEvent>], world: &World) {
        let mut known = BTreeMap::<String, usize>::new();
        for event in events {
            if let Fact::Message(line) = &event.fact
                && let Some(uuid) = parse(&line.to_text())["uuid"].as_str()
            {
                *known.entry(uuid.to_owned()).or_default() += 1;
            }
        }
        for (uuid, count) in known.iter().filter(|(_, count)| **count > 1) {
            self.fault(format!("the log has message {uuid} {count} times"));
        }
        for line in lines_of(world) {
            let is_printed = match line["type"].as_str() {
                Some("assistant") => line["message"]["model"] != "<synthetic>",
                // The CLI does not print what it adds when it resumes.
                Some("user") if line["toolDenialKind"] == "interrupted" => false,
                Some("user") => blocks(&line, "tool_result").next().is_some(),
                _ => false,
            };
            let uuid = line["uuid"].as_str().unwrap_or_default();
            if is_printed && !known.contains_key(uuid) {
                self.fault(format!("the log lacks a message of the file: {line}"));
            }
        }
    }

    /// No call ran twice, and each that was allowed in a turn that succeeded ran.
    fn check_calls(&mut self, events: &[Arc<SessionEvent>], world: &World) {
        let ran = std::fs::read_to_string(world.project().join(RAN)).unwrap_or_default();
        let mut calls = BTreeMap::<&str, usize>::new();
        for key in ran.lines() {
            *calls.entry(key).or_default() += 1;
        }
        self.calls = calls.len();
        for (key, count) in calls.iter().filter(|(_, count)| **count > 1) {
            self.fault(format!("the call of {key} ran {count} times"));
        }
        let succeeded: BTreeSet<u64> = events
            .iter()
            .filter(|event| matches!(&event.fact, Fact::TurnEnded(end) if end.ending == TurnEnding::Succeeded))
            .filter_map(|event| event.turn)
            .collect();
        for event in events {
            if let Fact::InteractionAnswered(answer) = &event.fact
                && event.turn.is_some_and(|turn| succeeded.contains(&turn))
                && let Some(call) = answer.id.as_str().strip_prefix("toolu_")
                && !calls.contains_key(call.replace('_', "-").as_str())
            {
                self.fault(format!("the call of {call} was allowed and did not run"));
            }
        }
    }

    /// A gap is recorded if a holder was killed, once, and if that cost a turn.
    fn check_gaps(&mut self, events: &[Arc<SessionEvent>], kills: &[Kill], lost: &[(i64, i64)]) {
        // The kill before a gap, and how long it was ago.
        let cause = |at: &i64| {
            let before = kills.iter().rfind(|kill| kill.at_ms <= *at);
            before.map(|kill| (kill.clone(), at - kill.at_ms))
        };
        let mut kills: Vec<&Kill> = kills.iter().collect();
        kills.retain(|kill| kill.is_of(Role::Holder));
        let mut gaps = Vec::new();
        let (mut offset, mut recovered) = (0, 0);
        for event in events {
            if let Fact::Gap(gap) = &event.fact {
                self.check_gap(gap, offset, recovered);
                gaps.push(event.at_ms);
                recovered = 0;
            }
            recovered += u64::from(event.extra.contains_key("recovered"));
            offset = event.offset.unwrap_or(offset);
        }
        self.gaps = gaps.len();
        let ends = kills.iter().skip(1).map(|kill| kill.at_ms);
        let mut claimed = 0;
        for (kill, end) in kills.iter().zip(ends.chain([i64::MAX])) {
            let during = |at: &&i64| (kill.at_ms..end).contains(*at);
            let causes: Vec<_> = gaps.iter().filter(during).map(cause).collect();
            let found = causes.len();
            claimed += found;
            let is_lost = |turn: &(i64, i64)| turn.0 <= kill.at_ms && kill.at_ms <= turn.1;
            let costs = lost.iter().any(is_lost);
            if found > 1 || (costs && found == 0) {
                self.fault(format!("gaps after {kill:?}: {causes:?}"));
            }
        }
        if claimed != gaps.len() {
            self.fault(format!(
                "{} gaps before a holder died",
                gaps.len() - claimed
            ));
        }
    }

    fn check_gap(&mut self, gap: &Gap, offset: u64, recovered: u64) {
        self.recovered += recovered;
        if (gap.after_offset, gap.recovered) != (offset, recovered) {
            self.fault(format!("{gap:?}, but {recovered} after {offset}"));
        }
        let is_complete = |missing: &String| !missing.starts_with("messages:");
        if !gap.missing.iter().all(is_complete) {
            self.fault(format!("{gap:?} is not completed"));
        }
    }

    /// A turn ends with its process only if that was killed.
    fn check_lost(&mut self, kills: &[Kill], lost: &[(i64, i64)]) {
        let mut kills: Vec<&Kill> = kills.iter().collect();
        kills.retain(|kill| kill.is_of(Role::Holder) || kill.is_of(Role::Cli));
        if lost.len() > kills.len() {
            self.fault(format!("{} turns were lost", lost.len()));
        }
        for (from, to) in lost {
            let times = from - EARLIER..=*to;
            if !kills.iter().any(|kill| times.contains(&kill.at_ms)) {
                self.fault(format!("a turn was lost without a kill, {} ms", to - from));
            }
        }
    }
}

/// The lines of all session files.
fn lines_of(world: &World) -> Vec<Value> {
    let projects = std::fs::read_dir(world.config().join("projects"));
    let folders = projects.unwrap().map(|folder| folder.unwrap().path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let files = files.map(|file| file.unwrap().path());
    let texts = files.filter_map(|file| std::fs::read_to_string(file).ok());
    let mut lines = Vec::new();
    for text in texts {
        lines.extend(text.lines().map(parse));
    }
    lines
}
