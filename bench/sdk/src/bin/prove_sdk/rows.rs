//! The rows of the fault table, and what each must come to.

use std::time::Duration;

use claw_testkit::figure::quick;
use serde_json::Value;

use crate::run::{Report, Run};

/// One fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The drivers' name for it.
    pub(crate) name: &'static str,
    /// The script of the fake CLI.
    pub(crate) fault: &'static str,
    pub(crate) about: &'static str,
    /// How many messages a turn has: replies, the result, a message of an unknown type.
    messages: u64,
    /// Seconds after which it counts as hanging.
    seconds: u64,
    /// Whether quick runs have a tenth of the messages.
    pub(crate) is_scaled: bool,
    /// Whether nothing happens for long, so that others can run meanwhile.
    pub(crate) waits: bool,
    /// The outcome with our SDK.
    outcome: &'static str,
    /// What the error must contain.
    error: &'static [&'static str],
    /// What else is wrong with a run.
    wrong: fn(&Run) -> Option<String>,
}

const fn row(name: &'static str, about: &'static str, messages: u64, outcome: &'static str) -> Row {
    Row {
        name,
        fault: name,
        about,
        messages,
        seconds: 15,
        is_scaled: false,
        waits: false,
        outcome,
        error: &[],
        wrong: |_| None,
    }
}

impl Row {
    const fn fault(mut self, fault: &'static str) -> Self {
        self.fault = fault;
        self
    }

    const fn error(mut self, error: &'static [&'static str]) -> Self {
        self.error = error;
        self
    }

    const fn wrong(mut self, wrong: fn(&Run) -> Option<String>) -> Self {
        self.wrong = wrong;
        self
    }

    const fn waits(mut self, seconds: u64) -> Self {
        self.seconds = seconds;
        self.waits = true;
        self
    }

    const fn scaled(mut self, seconds: u64) -> Self {
        self.is_scaled = true;
        self.seconds = seconds;
        self
    }

    /// When it counts as hanging. Quick runs wait longer than they need on an idle machine: CI may
    /// share its processors.
    pub(crate) fn limit(&self) -> Duration {
        Duration::from_secs(if quick() { 75 } else { self.seconds })
    }

    pub(crate) fn messages(&self) -> u64 {
        if quick() && self.is_scaled {
            // The text after them and the result are not scaled.
            (self.messages - 2) / 10 + 2
        } else {
            self.messages
        }
    }

    /// What is wrong with a run of our SDK.
    pub(crate) fn errors(&self, run: &Run) -> Vec<String> {
        let Report {
            outcome,
            messages,
            ordered,
            error,
            ..
        } = &run.report;
        let mut wrong = Vec::new();
        if outcome != self.outcome {
            wrong.push(format!("the outcome is {outcome}, not {}", self.outcome));
        }
        if *messages != self.messages() {
            wrong.push(format!("{messages} of {} messages", self.messages()));
        }
        if !ordered {
            wrong.push("out of order".to_owned());
        }
        let error = error.as_deref().unwrap_or_default();
        for part in self.error.iter().filter(|part| !error.contains(**part)) {
            wrong.push(format!("the error does not say {part:?}: {error:?}"));
        }
        wrong.extend((self.wrong)(run));
        wrong
    }
}

/// The thirteen rows of the study of other SDKs, then more load and callbacks with faults.
#[rustfmt::skip] // One line per fault.
pub(crate) const ROWS: &[Row] = &[
    row("unknown_type", "unknown type in mid-turn", 4, "succeeded")
        .wrong(|run| note(run, "unknown", "from_the_future".into())),
    row("non_json_line", "one line that is not JSON", 3, "succeeded")
        .wrong(|run| note(run, "not_json", "this line is not JSON".into())),
    row("exit_before_result", "CLI exits 1 before the result", 1, "process lost")
        .error(&["exit code 1", "something went wrong"]),
    row("message_1_5_mb", "one message of 1.5 MB", 2, "succeeded"),
    row("total_12_mb", "12 MB in all, 0.5 MB each", 26, "succeeded"),
    row("invalid_utf8", "invalid UTF-8 byte in one line", 4, "succeeded")
        .wrong(|run| {
            note(run, "replaced", "broken \u{fffd} byte".into())
                .or_else(|| note(run, "raw_byte_kept", true.into()))
        }),
    row("stderr_1_mb", "1 MB on stderr, no handler set", 2, "succeeded"),
    row("slow_reader_3003", "3,003 messages, reader takes 2 ms each", 3_002, "succeeded")
        .waits(45),
    row("silence_33_s", "33 s of silence", 3, "succeeded")
        .waits(45)
        .wrong(|run| {
            let silence = if quick() { 3_300.0 } else { 33_000.0 };
            (run.report.ms < silence).then(|| "it did not wait".to_owned())
        }),
    row("initialize_never", "`initialize` never answered", 0, "error")
        .waits(75)
        .error(&["was not ready within 2 s"])
        .wrong(|run| {
            let latest = if quick() { 15_000.0 } else { 3_000.0 };
            (run.report.ms > latest).then(|| "later than its limit".to_owned())
        }),
    row("drop_handle", "handle dropped in mid-turn", 1, "dropped"),
    row("drop_handle_stubborn", "the same, CLI ignores SIGTERM and EOF", 1, "dropped"),
    row("interrupt_unread_3000", "interrupt with 3,000 unread", 3_003, "interrupted")
        .wrong(|run| receipt_past(run, 3_000)),
    row(INTERRUPT, "interrupt with 10,000 unread", 10_003, "interrupted")
        .wrong(|run| receipt_past(run, 10_000)),
    row("flood_100000", "100,000 messages, reader sleeps 2 ms after each 100", 100_002, "succeeded")
        .scaled(60)
        .wrong(|run| {
            let peak = run.report.peak_kib;
            (peak > MOST_MEMORY_KIB).then(|| format!("{} MiB of memory", peak >> 10))
        }),
    row("permission_never", "permission callback never answers", 3, "succeeded")
        .wrong(|run| not_denied(run, "did not answer within 1 s")),
    row("permission_panics", "permission callback panics", 3, "succeeded")
        .fault("permission_never")
        .wrong(|run| not_denied(run, "callback panicked")),
];

/// The row that measures the time of an interrupt.
pub(crate) const INTERRUPT: &str = "interrupt_unread_10000";

/// Rows about calls that only our SDK has.
pub(crate) const OWN_ROWS: &[Row] = &[row(
    "query_exit_before_result",
    "CLI exits 1 before the result, read through `query`",
    1,
    "error",
)
.fault("exit_before_result")
.error(&["exit code 1", "something went wrong"])];

/// 4 MiB of unread messages, the program, its threads and the allocator's reserve; all messages
/// would be several times that.
const MOST_MEMORY_KIB: u64 = 40 << 10;

fn note(run: &Run, name: &str, wanted: Value) -> Option<String> {
    let found = run.report.notes.get(name);
    (found != Some(&wanted)).then(|| format!("{name} is {found:?}, not {wanted}"))
}

/// Whether there was no receipt, or too few messages were unread when it was requested.
fn receipt_past(run: &Run, unread: u64) -> Option<String> {
    if run.report.receipt_ms.is_none() {
        return Some("there is no receipt".to_owned());
    }
    let found = run.unread();
    (found < Some(unread)).then(|| format!("{found:?} messages were unread, not {unread}"))
}

fn not_denied(run: &Run, why: &str) -> Option<String> {
    let deny = run.deny();
    (!deny.is_some_and(|deny| deny.contains(why)))
        .then(|| format!("not denied with {why:?} but {deny:?}"))
}
