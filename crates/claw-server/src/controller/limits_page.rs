//! Checks that the reference page about limits matches the limits of a session.

use std::time::Duration;

use super::Controller;
use super::cli_requests::QUEUE;
use super::closing::FLUSH;
use super::delivery::TRY_AGAIN;
use super::forwarder::PAGE;
use super::notices::MOST_NOTICES;
use super::policy_runner::{MOST_DECIDING, MOST_DECIDING_IN_ALL};
use super::queue::KEYS;
use super::serving::WAITING;
use super::session::{BATCH_BYTES, BATCH_LINES};
use super::slot::{COMMANDS, REPORTS};
use crate::interactions::{GROUP_WINDOW_MS, GROWS_MS, REMEMBERED};
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
        (
            "an interaction without an answer",
            time(limits.interaction_timeout),
        ),
        (
            "an interaction that is held back",
            format!("{GROUP_WINDOW_MS} ms"),
        ),
        (
            "an interaction that joins a group",
            format!("{GROUP_WINDOW_MS} ms"),
        ),
        ("the same while more calls", format!("{GROWS_MS} ms")),
        ("a policy that decides", time(limits.policy_timeout)),
        ("a sink that accepts nothing", time(limits.sink_timeout)),
        ("sinks that have not accepted", time(FLUSH)),
        ("a turn that continues", time(TRY_AGAIN)),
    ] {
        assert_eq!(limit(what), holds, "{what}");
    }
    assert!(limit("a log that does not respond").ends_with(&time(FLUSH)));
}

#[test]
fn it_names_the_numbers_and_sizes_that_hold() {
    let controller = Controller::builder().build();
    assert_eq!(KEYS, REMEMBERED);
    for (what, holds) in [
        ("queued inputs", number(controller.shared.limits.queued)),
        ("keys of inputs, answers", format!("{} each", number(KEYS))),
        ("unsent messages of a sink", size(controller.shared.unsent)),
        (
            "events read from the log at once",
            format!(
                "{} events or {}, one event at least",
                PAGE.events,
                size(PAGE.bytes)
            ),
        ),
        ("reports of ended sessions", number(REPORTS)),
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
        ("commands queued", number(COMMANDS)),
        ("requests of the CLI and their", number(QUEUE)),
        (
            "lines stored at once",
            format!("{BATCH_LINES} lines or {}", size(BATCH_BYTES)),
        ),
    ] {
        assert_eq!(limit(what), holds, "{what}");
    }
}
