//! The page about limits is correct.

use std::time::Duration;

use super::page::{cells, read};
use crate::cli::length::LONGEST as LONGEST_ARGUMENT;
use crate::duration::human;
use crate::options::Limits;
use crate::prompt::LONGEST;
use crate::pump::{REST, STOP};
use crate::store::{FIRST_PAUSE, LONGEST_PAUSE, MirrorOptions};
use crate::transport::{TAIL, custody};

/// Formats a number of bytes for people.
fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let fits = |(shift, _): &&(u32, &str)| bytes >= 1 << shift;
    let (shift, unit) = units.iter().find(fits).expect("a size");
    format!("{} {unit}", bytes >> shift)
}

fn time(limit: impl Into<Option<Duration>>) -> String {
    limit
        .into()
        .map_or("none".to_owned(), |limit| human(&limit))
}

/// The row whose first cell begins like this.
fn row(section: &str, what: &str) -> Vec<String> {
    let rows = cells(&read("docs/reference/limits.md"), section);
    let mut of = rows.into_iter().filter(|row| row[0].starts_with(what));
    match (of.next(), of.next()) {
        (Some(row), None) => row,
        (None, _) => panic!("no row begins with {what:?}"),
        _ => panic!("several rows begin with {what:?}"),
    }
}

#[test]
fn it_names_the_times_that_hold() {
    let limits = Limits::default();
    let mirror = MirrorOptions::new("/c");
    for (what, holds) in [
        ("the CLI's answer to `--version`", time(crate::cli::TIMEOUT)),
        ("start, up to the reply", time(limits.start)),
        ("loading a conversation", time(crate::session::STORE_CALL)),
        ("a control request", time(limits.control)),
        ("no output of the CLI", time(limits.idle)),
        ("unread messages while", time(limits.idle)),
        ("a turn, including waiting", time(limits.turn)),
        ("the CLI's response to the interrupt", time(STOP)),
        ("no output after a result", time(REST)),
        (
            "closing: after `end_session`",
            time(limits.ladder.end_session),
        ),
        (
            "closing: after the end of input",
            time(limits.ladder.end_of_input),
        ),
        ("closing: after SIGTERM", time(limits.ladder.terminate)),
        ("an orphan", time(custody::GRACE)),
        ("lines that wait for the store", time(mirror.linger)),
        ("one attempt of the store", time(mirror.attempt_limit)),
        ("the store, after the CLI", time(crate::session::LAST_LINES)),
    ] {
        assert_eq!(row("## Time", what)[1], holds, "{what}");
    }
    let retries = &row("## Time", "one attempt of the store")[3];
    let first = format!("after {} s", FIRST_PAUSE.as_secs_f64());
    let longest = format!("at most {}", time(LONGEST_PAUSE));
    assert!(
        retries.contains(&first) && retries.contains(&longest),
        "{retries}"
    );
}

#[test]
fn it_names_the_sizes_that_hold() {
    let limits = Limits::default();
    let mirror = MirrorOptions::new("/c");
    assert_eq!(limits.line, None);
    for (what, holds) in [
        ("a line of the CLI", "none".to_owned()),
        (
            "unread messages in memory",
            size(limits.unread_in_memory as u64),
        ),
        ("unread messages in the file", size(limits.unread_in_file)),
        ("standard error", format!("the last {}", size(TAIL as u64))),
        ("one argument", size(LONGEST_ARGUMENT as u64)),
        ("an image or a document", size(LONGEST as u64)),
        (
            "lines that wait for the store",
            size(mirror.queue_limit as u64),
        ),
    ] {
        assert_eq!(row("## Size", what)[1], holds, "{what}");
    }
}
