//! The rows of the fault table, and what each must come to.

use std::time::Duration;

use super::run::{Run, Told};

/// One fault.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// What the drivers know it by.
    pub(crate) name: &'static str,
    /// The script of the stand-in.
    pub(crate) fault: &'static str,
    pub(crate) about: &'static str,
    /// How many messages a turn has: what the model says, the result, a message of a new type.
    messages: u64,
    /// Seconds after which it counts as hanging.
    seconds: u64,
    /// Whether quick runs have a tenth of the messages.
    pub(crate) is_scaled: bool,
    /// Whether nothing happens for long, so that others can run meanwhile.
    pub(crate) waits: bool,
    /// What it must come to with our SDK.
    expected: Expected,
}

/// What a row must come to.
#[derive(Debug, Clone, Copy)]
struct Expected {
    outcome: &'static str,
    /// What the error must say.
    error: &'static [&'static str],
    /// What else must be seen.
    seen: fn(&Run, bool) -> Option<String>,
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
        expected: Expected {
            outcome,
            error: &[],
            seen: |_, _| None,
        },
    }
}

impl Row {
    const fn fault(mut self, fault: &'static str) -> Self {
        self.fault = fault;
        self
    }

    const fn error(mut self, error: &'static [&'static str]) -> Self {
        self.expected.error = error;
        self
    }

    const fn seen(mut self, seen: fn(&Run, bool) -> Option<String>) -> Self {
        self.expected.seen = seen;
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

    /// When it counts as hanging.
    pub(crate) fn limit(&self, quick: bool) -> Duration {
        Duration::from_secs(if quick {
            self.seconds.min(15)
        } else {
            self.seconds
        })
    }

    /// How many messages there are.
    pub(crate) fn messages(&self, quick: bool) -> u64 {
        if quick && self.is_scaled {
            // The text behind them and the result are not scaled.
            (self.messages - 2) / 10 + 2
        } else {
            self.messages
        }
    }

    /// What our SDK did wrong, if anything.
    pub(crate) fn wrong(&self, run: &Run, quick: bool) -> Vec<String> {
        let Told {
            outcome,
            messages,
            ordered,
            error,
            ..
        } = &run.told;
        let mut wrong = Vec::new();
        if outcome != self.expected.outcome {
            wrong.push(format!(
                "the outcome is {outcome}, not {}",
                self.expected.outcome
            ));
        }
        if *messages != self.messages(quick) {
            wrong.push(format!("{messages} of {} messages", self.messages(quick)));
        }
        if !ordered {
            wrong.push("out of order".to_owned());
        }
        let error = error.as_deref().unwrap_or_default();
        for part in self.expected.error {
            if !error.contains(part) {
                wrong.push(format!("the error does not say {part:?}: {error:?}"));
            }
        }
        wrong.extend((self.expected.seen)(run, quick));
        wrong
    }
}

/// The thirteen rows of the study of other SDKs, then more load and callbacks with faults.
pub(crate) const ROWS: &[Row] = &[
    row("unknown_type", "unknown type in mid-turn", 4, "succeeded")
        .seen(|run, _| note(run, "unknown", "from_the_future")),
    row("non_json_line", "one line that is not JSON", 3, "succeeded")
        .seen(|run, _| note(run, "not_json", "this line is not JSON")),
    row(
        "exit_before_result",
        "CLI exits 1 before the result",
        1,
        "process lost",
    )
    .error(&["exit code 1", "something went wrong"]),
    row("message_1_5_mb", "one message of 1.5 MB", 2, "succeeded"),
    row("total_12_mb", "12 MB in all, 0.5 MB each", 26, "succeeded"),
    row(
        "invalid_utf8",
        "invalid UTF-8 byte in one line",
        4,
        "succeeded",
    )
    .seen(|run, _| {
        note(run, "replaced", "broken \u{fffd} byte").or_else(|| {
            (run.told.notes.get("raw_byte_kept") != Some(&true.into()))
                .then(|| "the byte itself was not kept".to_owned())
        })
    }),
    row(
        "stderr_1_mb",
        "1 MB on stderr, no handler set",
        2,
        "succeeded",
    ),
    row(
        "slow_reader_3003",
        "3,003 messages, reader takes 2 ms each",
        3_002,
        "succeeded",
    )
    .waits(45),
    row("silence_33_s", "33 s of silence", 3, "succeeded")
        .waits(45)
        .seen(|run, quick| {
            let silence = if quick { 3_300.0 } else { 33_000.0 };
            (run.told.ms < silence).then(|| "it did not wait".to_owned())
        }),
    row(
        "initialize_never",
        "`initialize` never answered",
        0,
        "error",
    )
    .waits(75)
    .error(&["was not ready within 2 s"])
    .seen(|run, _| (run.told.ms > 3_000.0).then(|| "later than its limit".to_owned())),
    row("drop_handle", "handle dropped in mid-turn", 1, "dropped"),
    row(
        "drop_handle_stubborn",
        "the same, CLI ignores SIGTERM and EOF",
        1,
        "dropped",
    ),
    row(
        "interrupt_unread_3000",
        "interrupt with 3,000 unread",
        3_003,
        "interrupted",
    )
    .seen(|run, _| receipt_past(run, 3_000)),
    row(
        "interrupt_unread_10000",
        "interrupt with 10,000 unread",
        10_003,
        "interrupted",
    )
    .seen(|run, _| receipt_past(run, 10_000)),
    row(
        "flood_100000",
        "100,000 messages, reader sleeps 2 ms after each 100",
        100_002,
        "succeeded",
    )
    .scaled(60)
    .seen(|run, _| {
        (run.told.peak_kib > MOST_MEMORY_KIB)
            .then(|| format!("{} MiB of memory", run.told.peak_kib >> 10))
    }),
    row(
        "permission_never",
        "permission callback never answers",
        3,
        "succeeded",
    )
    .seen(|run, _| denied(run, "did not answer within 1 s")),
    row(
        "permission_panics",
        "permission callback panics",
        3,
        "succeeded",
    )
    .fault("permission_never")
    .seen(|run, _| denied(run, "callback panicked")),
];

/// Rows about ways in that only our SDK has.
pub(crate) const OWN_ROWS: &[Row] = &[row(
    "query_exit_before_result",
    "CLI exits 1 before the result, read through `query`",
    1,
    "error",
)
.fault("exit_before_result")
.error(&["exit code 1", "something went wrong"])];

/// 4 MiB of unread messages, the program, its threads and what the allocator keeps; all the
/// messages would be several times that.
const MOST_MEMORY_KIB: u64 = 40 << 10;

fn note(run: &Run, name: &str, wanted: &str) -> Option<String> {
    let found = run.told.notes.get(name);
    (found.and_then(serde_json::Value::as_str) != Some(wanted))
        .then(|| format!("{name} is {found:?}, not {wanted:?}"))
}

/// There was a receipt, and so many messages were unread when it was asked for.
fn receipt_past(run: &Run, unread: u64) -> Option<String> {
    if run.told.receipt_ms.is_none() {
        return Some("there is no receipt".to_owned());
    }
    match run.unread() {
        Some(waiting) if waiting >= unread => None,
        Some(waiting) => Some(format!("{waiting} messages were unread, not {unread}")),
        None => Some("nothing says how many messages were unread".to_owned()),
    }
}

fn denied(run: &Run, why: &str) -> Option<String> {
    let deny = run.deny();
    (!deny.is_some_and(|deny| deny.contains(why)))
        .then(|| format!("not denied with {why:?} but {deny:?}"))
}
