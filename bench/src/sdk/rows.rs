//! The rows of the fault table.

use std::time::Duration;

use claw_testkit::figure::quick;

/// One fault.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The drivers' name for it.
    pub name: &'static str,
    /// The script of the fake CLI.
    pub fault: &'static str,
    /// What happens.
    pub about: &'static str,
    /// How many messages a turn has: replies, the result, a message of an unknown type.
    pub messages: u64,
    /// Seconds after which it counts as hanging.
    pub seconds: u64,
    /// Whether quick runs have a tenth of the messages.
    pub is_scaled: bool,
    /// Whether nothing happens for long, so that others can run meanwhile.
    pub waits: bool,
}

impl Row {
    /// A row whose script has the same name.
    pub const fn new(name: &'static str, about: &'static str, messages: u64) -> Self {
        Self {
            name,
            fault: name,
            about,
            messages,
            seconds: 15,
            is_scaled: false,
            waits: false,
        }
    }

    const fn waits(self, seconds: u64) -> Self {
        Self {
            seconds,
            waits: true,
            ..self
        }
    }

    /// When it counts as hanging. Quick runs wait longer than they need on an idle machine: CI may
    /// share its processors.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(if quick() { 75 } else { self.seconds })
    }

    /// How many messages must arrive.
    pub fn messages(&self) -> u64 {
        if quick() && self.is_scaled {
            // The text after them and the result are not scaled.
            (self.messages - 2) / 10 + 2
        } else {
            self.messages
        }
    }
}

/// The thirteen rows of the study of other SDKs, then more load and callbacks with faults.
#[rustfmt::skip] // A table.
pub const ROWS: &[Row] = &[
    Row::new("unknown_type", "unknown type in mid-turn", 4),
    Row::new("non_json_line", "one line that is not JSON", 3),
    Row::new("exit_before_result", "CLI exits 1 before the result", 1),
    Row::new("message_1_5_mb", "one message of 1.5 MB", 2),
    Row::new("total_12_mb", "12 MB in all, 0.5 MB each", 26),
    Row::new("invalid_utf8", "invalid UTF-8 byte in one line", 4),
    Row::new("stderr_1_mb", "1 MB on stderr, no handler set", 2),
    Row::new("slow_reader_3003", "3,003 messages, reader takes 2 ms each", 3_002).waits(45),
    Row::new("silence_33_s", "33 s of silence", 3).waits(45),
    Row::new("initialize_never", "`initialize` never answered", 0).waits(75),
    Row::new("drop_handle", "handle dropped in mid-turn", 1),
    Row::new("drop_handle_stubborn", "the same, CLI ignores SIGTERM and EOF", 1),
    Row::new("interrupt_unread_3000", "interrupt with 3,000 unread", 3_003),
    INTERRUPT,
    Row {
        seconds: 60,
        is_scaled: true,
        ..Row::new("flood_100000", "100,000 messages, reader sleeps 2 ms after each 100", 100_002)
    },
    Row::new("permission_never", "permission callback never answers", 3),
    Row { fault: "permission_never", ..Row::new("permission_panics", "permission callback panics", 3) },
];

/// The row that measures the time of an interrupt.
pub const INTERRUPT: Row = Row::new(
    "interrupt_unread_10000",
    "interrupt with 10,000 unread",
    10_003,
);
