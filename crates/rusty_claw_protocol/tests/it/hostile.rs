//! Lines that break readers, and what must hold for each of them.

use std::panic::catch_unwind;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use claw_testkit::figure::{Figure, quick, record};
use rustix::time::{ClockId, clock_gettime};
use rusty_claw_protocol::messages::{Message, ResultMessage};
use rusty_claw_protocol::{Line, Peek};
use serde_json::value::RawValue;

mod lines;

use lines::{Expect, HostileLine};

/// The stack of threads: nested text must not exhaust it.
const STACK: usize = 2 << 20;

/// What is wrong with how a line is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Panicked,
    /// Not decoded, or not within its time.
    Failed,
    /// Another type, subtype or end of turn, or other text when it is written again.
    Wrong,
}

/// Returns the fault in reading a line, if there is one.
fn fault(line: &HostileLine) -> Option<(Fault, String)> {
    let start = thread_time();
    let found = catch_unwind(|| misread(line)).unwrap_or(Some((Fault::Panicked, String::new())));
    // Far more than any line needs, and linear in its length.
    let limit = Duration::from_secs_f64(40.0 + line.bytes.len() as f64 / 5e4);
    let time = thread_time() - start;
    found.or_else(|| (time > limit).then(|| (Fault::Failed, format!("it took {time:?}"))))
}

fn misread(line: &HostileLine) -> Option<(Fault, String)> {
    let wrong = |text: String| Some((Fault::Wrong, text));
    let decoded = Line::decode(line.bytes.clone());
    if decoded.raw().as_bytes() != line.bytes {
        return Some((Fault::Failed, "the raw bytes differ".to_owned()));
    }
    let (message, expected_type, expected_final) = match (&line.expect, decoded.message()) {
        (Expect::NotJson, None) => return None,
        (Expect::NotJson, Some(message)) => {
            return wrong(format!("it was read as {:?}", message.message_type()));
        }
        (Expect::Message { .. }, None) => {
            return Some((Fault::Failed, "it was refused".to_owned()));
        }
        (
            Expect::Message {
                message_type,
                is_final,
            },
            Some(message),
        ) => (message, message_type, *is_final),
    };
    let Some(peek) = Peek::new(&line.bytes) else {
        return wrong("it has no peek".to_owned());
    };
    for kind in [message.message_type(), peek.kind()] {
        if kind != expected_type {
            return wrong(format!("its type was read as {kind:?}"));
        }
    }
    if message.is_final() != expected_final {
        return wrong("the end of the turn was misread".to_owned());
    }
    if line.subtype.is_some() && message.subtype() != line.subtype.as_deref() {
        return wrong(format!("its subtype was read as {:?}", message.subtype()));
    }
    let written = match serde_json::to_string(message) {
        Ok(written) => written,
        Err(error) => return wrong(format!("it cannot be written: {error}")),
    };
    if let Err(error) = serde_json::from_str::<&RawValue>(&written) {
        return wrong(format!("what is written is not JSON: {error}"));
    }
    match Message::from_json(&written) {
        Err(error) => wrong(format!("what is written cannot be read: {error}")),
        Ok(again) if again.message_type() != expected_type => wrong(format!(
            "what is written is of the type {:?}",
            again.message_type()
        )),
        Ok(again) if again.is_error() != message.is_error() => {
            wrong("what is written changed its outcome".to_owned())
        }
        Ok(_) => None,
    }
}

fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], bytes.len()),
        None => text.into_owned(),
    }
}

/// The figure of `cargo xtask prove protocol --only hostile`.
#[test]
fn no_hostile_line_is_misread() {
    let (sender, names) = channel();
    let reader = thread::Builder::new().stack_size(STACK);
    let reader = reader.spawn(move || read_all(&sender)).unwrap();
    // Names a line that hangs, before the test runner ends this process.
    let mut name = String::new();
    loop {
        match names.recv_timeout(Duration::from_secs(30)) {
            Ok(next) => name = next,
            Err(RecvTimeoutError::Timeout) => eprintln!("still reading {name}"),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let (mutations, lines, faults) = reader.join().unwrap();
    let count = |wanted| faults.iter().filter(|(fault, _)| *fault == wanted).count();
    let figure = Figure::new(
        "hostile lines (at least 80 mutations and a 64 MB line): panics / failures / wrong type or lost end of turn",
        "0 / 0 / 0",
    )
    .measured(
        format!(
            "{} / {} / {} ({mutations} mutations)",
            count(Fault::Panicked),
            count(Fault::Failed),
            count(Fault::Wrong)
        ),
        faults.is_empty() && mutations >= 80 && lines > mutations,
    )
    .note(format!("{lines} lines in all: every mutation with several seeds, and a huge one; read on a stack of 2 MB"))
    .note("a line that takes longer than 40 s and 20 s for each megabyte is a failure (not optimised)")
    .list("faults", faults.iter().map(|(fault, line)| format!("{fault:?}: {line}")));
    record("hostile", vec![figure]);
}

/// Reads the lines of all seeds, and sends the name of each before. Returns the number of
/// mutations, of lines, and the faults.
fn read_all(names: &Sender<String>) -> (usize, usize, Vec<(Fault, String)>) {
    // 64 MB take long in a debug build: a shorter line leaves every small buffer as well.
    let (seeds, huge) = if quick() {
        (8, 8 << 20)
    } else {
        (10, 64 << 20)
    };
    let mut all = lines::lines(0);
    let mutations = all.len();
    all.push(lines::huge_line(huge));
    for seed in 1..seeds {
        let mut lines = lines::lines(seed);
        lines.retain(|line| !all[..mutations].contains(line));
        assert!(lines.len() > 50, "the seed {seed} changes nothing");
        all.append(&mut lines);
    }
    let faults = all.iter().filter_map(|line| {
        names.send(line.name.clone()).unwrap();
        let (fault, text) = fault(line)?;
        Some((
            fault,
            format!("{}: {text}: {}", line.name, shortened(&line.bytes)),
        ))
    });
    (mutations, all.len(), faults.collect())
}

/// The error variant has its subtype as a field, which must not hide the second one.
#[test]
fn the_last_of_two_subtypes_decides_whether_a_turn_failed() {
    for (line, is_error) in [
        (
            r#"{"type":"result","subtype":"success","subtype":"error_max_turns"}"#,
            true,
        ),
        (
            r#"{"type":"result","subtype":"error_max_turns","subtype":"success"}"#,
            false,
        ),
    ] {
        let message = Message::from_json(line).unwrap();
        let is_success = matches!(message, Message::Result(ResultMessage::Success { .. }));
        assert_eq!(
            (message.is_error(), is_success),
            (is_error, !is_error),
            "{message:?}"
        );
    }
}

/// Members of control frames that are not where they belong are neither lost nor made up.
#[test]
fn odd_control_frames_are_written_as_they_came() {
    for line in [
        r#"{"type":"control_request","subtype":"interrupt","request_id":7}"#,
        r#"{"type":"control_request","subtype":"interrupt"}"#,
        r#"{"type":"control_request","request_id":"a","request":{"subtype":"interrupt"},"more":1}"#,
        r#"{"type":"control_request","request_id":{},"request":{"subtype":"interrupt"}}"#,
        r#"{"type":"control_response","request_id":"out","response":{"subtype":"success","request_id":"in"}}"#,
        r#"{"type":"control_response","response":{"subtype":"success","request_id":7}}"#,
        r#"{"type":"control_response","response":{"subtype":"success"}}"#,
        r#"{"type":"control_response","request_id":null,"response":{"subtype":"success"}}"#,
        r#"{"type":"control_response","subtype":"success","request_id":null,"response":{"a":1}}"#,
        // If there are two payloads, the last one counts, even if it is `null`.
        r#"{"type":"control_request","request_id":"a","request":{"subtype":"interrupt"},"request":null}"#,
    ] {
        let message = Message::from_json(line).unwrap();
        let before: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            serde_json::to_value(&message).unwrap(),
            before,
            "{message:?}"
        );
    }
}

/// The time grows with the line, not with its square. The thread's own processor time is compared,
/// so that the load of the machine does not count: with 16 times as many members, a quadratic
/// reader takes 256 times as long.
#[test]
fn many_new_members_are_kept_in_linear_time() {
    let read = |count: u32| {
        let members: Vec<String> = (0..count)
            .map(|index| format!("\"new{index}\":{index}"))
            .collect();
        let line = format!(r#"{{"type":"assistant",{}}}"#, members.join(","));
        let start = thread_time();
        let message = Message::from_json(&line).unwrap();
        let time = thread_time() - start;
        let Message::Assistant(assistant) = message else {
            panic!("{message:?}")
        };
        let last = assistant.extra.get(&format!("new{}", count - 1));
        assert_eq!(
            last.map(|kept| kept.to_string()),
            Some((count - 1).to_string())
        );
        time
    };
    let fewest = |count| (0..5).map(|_| read(count)).min().unwrap();
    let (few, many) = (fewest(4_000), fewest(64_000));
    assert!(
        many < few * 64,
        "4,000 members took {few:?}, 64,000 took {many:?}"
    );
}

/// The processor time of this thread.
fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap()
}
