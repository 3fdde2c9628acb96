//! The page about limits says how long sessions wait, and for how much.

use std::time::Duration;

use super::Controller;
use super::asks::QUEUE;
use super::deciding::{MOST_DECIDING, MOST_DECIDING_IN_ALL};
use super::ending::FLUSH;
use super::forwarder::PAGE;
use super::notices::MOST_NOTICES;
use super::place::{COMMANDS, REPORTS};
use super::queue::KEYS;
use super::serving::WAITING;
use super::session::{BATCH_BYTES, BATCH_LINES, TRY_AGAIN};
use crate::prompts::{GROUP_WINDOW_MS, GROWS_MS, REMEMBERED};
use crate::reference_page::{limit, number};

fn time(limit: impl Into<Option<Duration>>) -> String {
    let limit: Duration = limit.into().expect("a time");
    match limit.as_secs() {
        seconds if seconds >= 60 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

fn size(bytes: usize) -> String {
    format!("{} KiB", bytes / 1024)
}

#[test]
fn it_names_the_times_that_hold() {
    let limits = &Controller::builder().build().shared.limits;
    for (what, holds) in [
        ("a prompt that nobody answers", time(limits.prompt_timeout)),
        (
            "a prompt that is held back",
            format!("{GROUP_WINDOW_MS} ms"),
        ),
        (
            "a prompt that joins a group",
            format!("{GROUP_WINDOW_MS} ms"),
        ),
        ("the same while more calls", format!("{GROWS_MS} ms")),
        ("a policy that decides", time(limits.policy_timeout)),
        ("a sink that takes nothing", time(limits.sink_timeout)),
        ("sinks that have the last of it", time(FLUSH)),
        ("a turn that the CLI would not stop", time(TRY_AGAIN)),
    ] {
        assert_eq!(limit(what), holds, "{what}");
    }
    assert!(limit("a log that does not answer").ends_with(&time(FLUSH)));
}

#[test]
fn it_names_the_numbers_and_sizes_that_hold() {
    let controller = Controller::builder().build();
    assert_eq!(KEYS, REMEMBERED);
    for (what, holds) in [
        ("inputs that wait", number(controller.shared.limits.queued)),
        ("keys of inputs, answers", format!("{} each", number(KEYS))),
        ("what waits for a sink", size(controller.shared.unsent)),
        (
            "what is read of the log at once",
            format!(
                "{} events or {}, one event at least",
                PAGE.events,
                size(PAGE.bytes)
            ),
        ),
        ("ends of sessions", number(REPORTS)),
        (
            "policy decisions in progress, for one",
            number(MOST_DECIDING),
        ),
        (
            "policy decisions in progress, in all",
            number(MOST_DECIDING_IN_ALL),
        ),
        ("messages queued for a sink of", number(MOST_NOTICES)),
        ("inputs that `Controller::serve` holds", number(WAITING)),
        ("commands on their way", number(COMMANDS)),
        ("requests of the CLI and their", number(QUEUE)),
        (
            "what is stored at once",
            format!("{BATCH_LINES} lines or {}", size(BATCH_BYTES)),
        ),
    ] {
        assert_eq!(limit(what), holds, "{what}");
    }
}
