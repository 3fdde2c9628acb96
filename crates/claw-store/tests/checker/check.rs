//! Compares histories with the state that was read back.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::bodies::APPLY;
use crate::history::{Call, History, Id, Item, Nanos, Operation, Outcome, Reply, Session};
use crate::run::Final;

mod commands;
mod interactions;
mod leases;
mod log;
mod views;

/// What a store must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Rule {
    /// An acknowledged event is not in the log at its number.
    Lost,
    /// An event is in the log twice, or was never appended.
    Doubled,
    /// The numbers of the log have gaps.
    Gap,
    /// A batch is not stored as a whole or not in order.
    Torn,
    /// A refused append is in the log.
    RefusedStored,
    /// The epochs of claims do not rise.
    Epoch,
    /// An append of an earlier owner is in the log after a claim.
    Stale,
    /// A reader or follower got something else than the log has.
    WrongView,
    /// A follower skipped an event, or got it twice or out of order.
    FollowOrder,
    /// A reader or follower did not get an event that was acknowledged before.
    Old,
    /// A follower did not get an event that is stored.
    Stuck,
    /// An interaction has two winners, or an answer got another winner than others.
    Winner,
    /// A command has two positions, or positions are not in the order of submission.
    CommandOrder,
    /// An owner got commands out of order, twice or with gaps.
    Delivery,
    /// A command was not applied once.
    Applied,
    /// A call of another tenant got an answer.
    Tenant,
    /// A session was taken from an owner that is alive.
    Theft,
    /// A call got an error that it must not get.
    Error,
}

/// A rule that does not hold.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    pub(crate) rule: Rule,
    pub(crate) session: Option<Session>,
    pub(crate) detail: String,
    /// When it happened, to select the operations that are printed.
    pub(crate) at: Nanos,
}

/// Collects violations of one session.
struct Report<'a> {
    session: Option<Session>,
    found: &'a mut Vec<Violation>,
}

impl Report<'_> {
    fn add(&mut self, rule: Rule, at: Nanos, detail: String) {
        let session = self.session;
        self.found.push(Violation {
            rule,
            session,
            detail,
            at,
        });
    }
}

/// The operations of a session and its state at the end.
struct Case<'a> {
    operations: Vec<&'a Operation>,
    state: &'a Final,
}

impl Case<'_> {
    /// Returns the acknowledged appends: when they ended, and the last sequence.
    fn acknowledged(&self) -> impl Iterator<Item = (Nanos, u64)> {
        let acked = |operation: &&Operation| match (&operation.call, &operation.outcome) {
            (Call::Append { .. }, Outcome::Ok(Reply::Appended { last })) => {
                Some((operation.end?, *last))
            }
            _ => None,
        };
        self.operations.iter().filter_map(acked)
    }
}

/// Returns everything that is wrong.
pub(crate) fn check(history: &History, finals: &[Final]) -> Vec<Violation> {
    let mut found = Vec::new();
    for state in finals {
        let session = Some(state.session);
        let case = Case {
            operations: history.session(state.session).collect(),
            state,
        };
        let mut report = Report {
            session,
            found: &mut found,
        };
        log::check(&case, &mut report);
        views::check(&case, &mut report);
        interactions::check(&case, &mut report);
        commands::check(&case, &mut report);
        check_errors(&case, &mut report);
    }
    let mut report = Report {
        session: None,
        found: &mut found,
    };
    leases::check(history, &mut report);
    for operation in &history.operations {
        if let (Call::OpenStore, Outcome::Failed(error)) = (&operation.call, &operation.outcome) {
            report.add(
                Rule::Error,
                operation.start,
                format!("does not open: {error}"),
            );
        }
    }
    found
}

/// Fails for errors that a correct caller must not get.
fn check_errors(case: &Case<'_>, report: &mut Report<'_>) {
    for operation in &case.operations {
        let allowed: &[&str] = match operation.call {
            Call::Append { .. }
            | Call::OpenInteraction { .. }
            | Call::CloseInteraction { .. }
            | Call::Receive { .. } => &["Fenced"],
            // An interaction is not there if its owner was fenced while it opened it.
            Call::ReadForeign { .. } | Call::Answer { .. } => &["NotFound"],
            Call::Submit { .. } => &["Full"],
            _ => &[],
        };
        match &operation.outcome {
            Outcome::Failed(error) if !allowed.iter().any(|name| error.starts_with(name)) => {
                let detail = format!("{:?} got {error}", operation.call);
                report.add(Rule::Error, operation.start, detail);
            }
            Outcome::Ok(_) if matches!(operation.call, Call::ReadForeign { .. }) => {
                let detail = "another tenant can read the session".to_owned();
                report.add(Rule::Tenant, operation.start, detail);
            }
            _ => {}
        }
    }
}

/// How many lines of a history are printed.
const LINES: usize = 30;

/// Describes violations, each with the operations on its session around the time it happened.
pub(crate) fn explain(history: &History, violations: &[Violation]) -> String {
    // `cargo xtask prove mutants` reads these lines.
    let rules = violations
        .iter()
        .map(|one| format!("violated: {:?}\n", one.rule));
    let mut text = String::from_iter(rules.collect::<BTreeSet<_>>());
    let _ = writeln!(text, "{} violations", violations.len());
    for violation in violations.iter().take(4) {
        let Violation {
            rule,
            session,
            detail,
            at,
        } = violation;
        let detail = shortened(detail);
        let _ = writeln!(text, "\n{rule:?} in session {session:?}: {detail}");
        let operations = match session {
            Some(session) => history.session(*session).collect::<Vec<_>>(),
            None => history.operations.iter().collect(),
        };
        let mut lines: Vec<_> = operations
            .into_iter()
            .map(|operation| (distance(operation, &detail, *at), operation))
            .collect();
        lines.sort_by_key(|(distance, _)| *distance);
        lines.truncate(LINES);
        lines.sort_by_key(|(_, operation)| operation.start);
        for (_, operation) in lines {
            let _ = writeln!(text, "  {}", line(operation, *at));
        }
    }
    text
}

/// Returns how far an operation is from a violation: those that name the same ids are near.
fn distance(operation: &Operation, detail: &str, at: Nanos) -> u64 {
    // Streams last long: they are relevant only if they delivered something then.
    let items = operation.items.iter().map(|(time, _)| *time);
    let times = items.chain([operation.start]).chain(operation.end);
    let distance = times.map(|time| time.abs_diff(at)).min().unwrap_or(0);
    let call = shortened(&format!("{:?}", operation.call));
    let mut ids = call
        .split([' ', ',', '[', ']'])
        .filter(|word| word.contains('.'));
    match &operation.call {
        _ if ids.any(|id| detail.contains(id)) => distance / 1000,
        Call::Read { .. } | Call::Submit { .. } => distance.saturating_mul(20),
        _ => distance,
    }
}

/// Writes ids as the process and the number.
fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let end = digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len());
        short.push_str(&rest[..start]);
        match digits[..end].parse::<Id>() {
            Ok(id) if id >= 1 << 40 => {
                let mark = if id & APPLY == 0 { "" } else { "apply " };
                let id = id & !APPLY;
                let _ = write!(short, "{mark}{}.{}", id >> 40, id % (1 << 40));
            }
            _ => short.push_str(&digits[..end]),
        }
        rest = &digits[end..];
    }
    short + rest
}

fn line(operation: &Operation, at: Nanos) -> String {
    let millis = |time: Nanos| format!("{:+.3}", (time as f64 - at as f64) / 1e6);
    let start = millis(operation.start);
    let end = operation.end.map_or_else(|| "never".to_owned(), millis);
    let Operation { worker, call, .. } = operation;
    let mut text = format!(
        "{worker} [{start}, {end}] {call:?} -> {:?}",
        operation.outcome
    );
    if !operation.items.is_empty() {
        let near = operation.items.iter();
        let near = near
            .filter(|(time, _)| time.abs_diff(at) < 20_000_000)
            .take(4);
        let near: Vec<&Item> = near.map(|(_, item)| item).collect();
        let _ = write!(text, ", {} items, near {near:?}", operation.items.len());
    }
    let text = shortened(&text);
    match text.char_indices().nth(250) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

/// What a run did, for figures.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) appends: usize,
    pub(crate) events: usize,
    pub(crate) refused: usize,
    pub(crate) unknown: usize,
    pub(crate) claims: usize,
    pub(crate) reads: usize,
    pub(crate) follows: usize,
    pub(crate) followed: usize,
    pub(crate) answers: usize,
    pub(crate) commands: usize,
}

impl Counts {
    pub(crate) fn of(history: &History) -> Self {
        let mut counts = Self::default();
        for operation in &history.operations {
            match (&operation.call, &operation.outcome) {
                (Call::Append { ids, .. }, Outcome::Ok(_)) => {
                    counts.appends += 1;
                    counts.events += ids.len();
                }
                (Call::Append { .. }, Outcome::Failed(_)) => counts.refused += 1,
                (Call::Append { .. }, Outcome::Unknown(_)) => counts.unknown += 1,
                (Call::Claim { .. }, Outcome::Ok(_)) => counts.claims += 1,
                (Call::Read { .. }, Outcome::Ok(_)) => counts.reads += 1,
                (Call::Answer { .. }, Outcome::Ok(_)) => counts.answers += 1,
                (Call::Submit { .. }, Outcome::Ok(_)) => counts.commands += 1,
                (Call::Follow { .. }, _) => {
                    counts.follows += 1;
                    let events = operation.items.iter();
                    counts.followed += events
                        .filter(|(_, item)| matches!(item, Item::Event(_)))
                        .count();
                }
                _ => {}
            }
        }
        counts
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.appends += other.appends;
        self.events += other.events;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.claims += other.claims;
        self.reads += other.reads;
        self.follows += other.follows;
        self.followed += other.followed;
        self.answers += other.answers;
        self.commands += other.commands;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            appends,
            events,
            refused,
            unknown,
            claims,
            reads,
            follows,
            followed,
            answers,
            commands,
        } = self;
        write!(
            f,
            "{events} events in {appends} acknowledged appends, {refused} refused, {unknown} \
             without a result, {claims} claims, {reads} reads, {followed} events seen by {follows} \
             followers, {answers} answers, {commands} commands"
        )
    }
}
