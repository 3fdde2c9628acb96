//! Checks that the errors page lists all errors as they are printed.

use rusty_claw::{SessionError, StartError};

use crate::controller::{ControllerError, WatchEnd};
use crate::input::Role;
use crate::interactions::AnswerRefused;
use crate::log::LogError;
use crate::reference_page::{page, rows};

/// The names of all variants. Does not compile if one is missing.
macro_rules! variants {
    ($type:ident: $($variant:ident,)+) => {{
        #[allow(dead_code, reason = "it is there to be compiled")]
        fn has_no_other(value: &$type) {
            match value {
                $($type::$variant { .. } => {})+
            }
        }
        vec![$(stringify!($variant)),+]
    }};
}

/// The rows of the table whose header names this type.
fn table(kind: &str) -> Vec<Vec<String>> {
    let head = format!("`{kind}`");
    let rows = rows(&page("errors.md"));
    let behind = rows.into_iter().skip_while(|row| row[0] != head).skip(1);
    let is_name = |row: &Vec<String>| {
        let name = row[0].trim_matches('`');
        row[0].starts_with('`') && name.chars().all(char::is_alphanumeric)
    };
    let is_head = |row: &Vec<String>| ["what is printed", "what happened"].contains(&&*row[1]);
    let table = behind.take_while(|row| is_name(row) && !is_head(row));
    table.collect()
}

fn names(table: &[Vec<String>]) -> Vec<&str> {
    let names = table.iter().map(|row| row[0].trim_matches('`'));
    names.collect()
}

#[test]
fn errors_of_a_controller_are_printed_so() {
    let session_id = crate::SessionId::from(7);
    let table = table("ControllerError");
    let all = variants!(ControllerError: NoSession, UnknownNumber, AlreadyOpen, HasHistory, Incomplete,
        AheadOfLog, ShuttingDown, QueueFull, KeyReused, NotUserTurn, StaleTurn, Unsendable, Start,
        NotRunning, Attach, Session, Panicked, Log,);
    assert_eq!(names(&table), all);
    let printed = [
        ControllerError::NoSession { session_id },
        ControllerError::UnknownNumber { number: 7 },
        ControllerError::AlreadyOpen { session_id },
        ControllerError::HasHistory { session_id },
        ControllerError::Incomplete { session_id },
        ControllerError::AheadOfLog {
            session_id,
            after: 90,
            latest: 12,
        },
        ControllerError::ShuttingDown,
        ControllerError::QueueFull { limit: 64 },
        ControllerError::KeyReused {
            key: "phone-1".to_owned(),
        },
        ControllerError::NotUserTurn {
            role: Role::Assistant,
        },
        ControllerError::StaleTurn {
            sequence: 4,
            last: 5,
        },
        ControllerError::Unsendable { why: "it is empty" },
        ControllerError::Start(StartError::CliNotFound {
            searched: Vec::new(),
        }),
        ControllerError::NotRunning { session_id },
        ControllerError::Attach(StartError::CliNotFound {
            searched: Vec::new(),
        }),
        ControllerError::Session(SessionError::Unsendable {
            what: "an image",
            why: "it is empty".to_owned(),
        }),
        ControllerError::Panicked,
        ControllerError::Log(LogError::unavailable("no leader")),
    ];
    for (row, error) in table.iter().zip(printed) {
        assert_eq!(row[1], error.to_string());
        assert!(!row[2].is_empty(), "{row:?}");
    }
}

#[test]
fn refused_answers_are_printed_so() {
    let table = table("AnswerRefused");
    let all = variants!(AnswerRefused: AlreadyAnswered, Expired, Withdrawn, Unknown, Unfit,
        NotStored, NoSession,);
    assert_eq!(names(&table), all);
    let printed = [
        AnswerRefused::AlreadyAnswered {
            by: Some("phone".to_owned()),
        },
        AnswerRefused::Expired,
        AnswerRefused::Withdrawn,
        AnswerRefused::Unknown,
        AnswerRefused::Unfit {
            why: "a question needs answers, not an approval".to_owned(),
        },
        AnswerRefused::NotStored {
            reason: "the log of events is unavailable: no leader".to_owned(),
        },
        AnswerRefused::NoSession,
    ];
    for (row, error) in table.iter().zip(printed) {
        assert_eq!(row[1], error.to_string());
        assert!(!row[2].is_empty(), "{row:?}");
    }
}

#[test]
fn errors_of_a_log_are_printed_so() {
    let table = table("LogError");
    let all = variants!(LogError: Fenced, Deleted, Unavailable, Full, TooLarge, Damaged,);
    assert_eq!(names(&table), all);
    let printed = [
        LogError::Fenced,
        LogError::Deleted,
        LogError::unavailable("no leader"),
        LogError::Full {
            reason: "the disk has no space left".to_owned(),
        },
        LogError::TooLarge { size: 9, limit: 8 },
        LogError::Damaged {
            sequence: 12,
            reason: "it is not JSON".to_owned(),
        },
    ];
    for (row, error) in table.iter().zip(printed) {
        assert_eq!(row[1], error.to_string());
        assert!(!row[2].is_empty(), "{row:?}");
    }
}

#[test]
fn every_end_of_a_watch_is_there() {
    let all =
        variants!(WatchEnd: SessionEnded, SinkClosed, Stopped, LeftBehind, Panicked, LogFailed,);
    assert_eq!(names(&table("WatchEnd")), all);
}
